//! Random messages in random pieces: every backend against the portable one, and
//! that one against the naive implementation.

use cpb_kernels::keccak::Backend;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};

use crate::function::Function;
use crate::on_every_backend;

#[test]
fn pieces_do_not_matter() {
    let portable = Backend::by_name("portable").unwrap();
    let cases = 96;
    println!("keccak pieces: cases={cases}");
    on_every_backend("keccak pieces", |backend| {
        let mut runner =
            TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        let strategy = (
            select(&Function::ALL[..]),
            proptest::collection::vec(any::<u8>(), 0..1200),
            cuts(),
            cuts(),
        );
        runner
            .run(&strategy, |(function, message, cuts_in, cuts_out)| {
                let wanted = 1200;
                let pieces: Vec<&[u8]> =
                    spans(&cuts_in, message.len()).map(|(from, to)| &message[from..to]).collect();
                let outputs: Vec<usize> =
                    spans(&cuts_out, wanted).map(|(from, to)| to - from).collect();
                let actual = function.compute_in_pieces(backend, &pieces, &outputs);
                prop_assert_eq!(&actual, &function.compute(portable, &message, wanted));
                prop_assert_eq!(&actual, &function.naive(&message, wanted));
                Ok(())
            })
            .unwrap_or_else(|error| panic!("backend {}: {error}", backend.name()));
    });
}

/// Up to eight places to cut at, ascending.
fn cuts() -> impl Strategy<Value = Vec<usize>> {
    subsequence((0..1200).collect::<Vec<usize>>(), 0..=8)
}

/// The pieces between cuts, those beyond the end empty.
fn spans(cuts: &[usize], length: usize) -> impl Iterator<Item = (usize, usize)> {
    let ends = cuts.iter().copied().chain([length]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts.zip(ends).map(move |(from, to)| (from.min(length), to.min(length)))
}
