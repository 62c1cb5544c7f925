//! Random lanes: every form against the portable one.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::{on_every_form, portable};

const COUNTS: [(u64, u32); 6] = [(0, 4), (1, 64), (2, 32), (3, 32), (17, 16), (1000, 3)];

#[test]
fn every_form_agrees_with_portable() {
    on_every_form("recursive_sha256 random", |form| {
        for (count, cases) in COUNTS {
            let config = Config { cases, failure_persistence: None, ..Config::default() };
            let lanes = proptest::collection::vec(any::<[u8; 32]>(), form.lanes());
            TestRunner::new(config)
                .run(&lanes, |mut lanes| {
                    let mut expected = lanes.clone();
                    portable().iterate(&mut expected, count);
                    form.iterate(&mut lanes, count);
                    prop_assert_eq!(lanes, expected);
                    Ok(())
                })
                .unwrap_or_else(|error| panic!("{form:?}, {count} iterations: {error}"));
        }
    });
}

/// A run in two parts is the run.
#[test]
fn counts_add_up() {
    on_every_form("recursive_sha256 counts", |form| {
        let mut whole = crate::distinct_lanes(form.lanes());
        let mut parts = whole.clone();
        form.iterate(&mut whole, 29);
        form.iterate(&mut parts, 12);
        form.iterate(&mut parts, 17);
        assert_eq!(parts, whole);
    });
}
