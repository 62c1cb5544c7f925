//! Tests `cpb recursive` with all the loops of this CPU; all else of it is in recordings.

use crate::program::{cpb, on_this_machine, succeeds};
use cpb_kernels::Backend as _;
use cpb_kernels::recursive_sha256::Backend;
use cpb_model::{Method, Run, Verification};

fn run(line: &str) -> Run {
    succeeds(line).run()
}

#[test]
fn every_loop_is_verified_and_measured() {
    on_this_machine();
    for (count, how) in [("1", "known"), ("1K", "known"), ("777", "reference")] {
        let run = run(&format!("recursive -i {count} --lanes all --repetitions 2 --format json"));
        let portable = run.records.iter().find(|row| row.subject.backend == "portable");
        assert_eq!(portable.expect("always there").setup.lanes, 1);
        let only_portable = run.records.len() == 1;
        for row in &run.records {
            assert_eq!(row.method, Method::Throughput);
            assert_eq!(row.failure, None);
            let found = row.concurrent.as_ref().expect("measured");
            assert_eq!((found.rounds.len(), row.setup.threads), (2, 1));
            assert!(found.calls_per_second.expect("measured").estimate > 0.0);
            assert_eq!(found.loops.len(), 1);
            match (how, &row.verification) {
                ("known", Some(Verification::KnownAnswer)) => {}
                ("reference", Some(Verification::Reference { with })) => {
                    assert_ne!(*with, format!("native {}", row.subject.backend));
                }
                ("reference", Some(Verification::Unverified { .. })) if only_portable => {}
                (_, other) => panic!("{count}: {} has {other:?}", row.subject.backend),
            }
        }
    }
}

#[test]
fn any_number_of_lanes_and_threads_will_do() {
    on_this_machine();
    let run = run("recursive -i 1K --lanes 5,33 -t 3 --repetitions 1 --format json");
    let lanes: Vec<usize> = run.records.iter().map(|row| row.setup.lanes).collect();
    assert_eq!(lanes, [5, 33]);
    let clock = run.clock.expect("a counter is here");
    let known: Vec<&str> = clock.known_loops.iter().map(|known| known.name.as_str()).collect();
    assert!(known.contains(&"chain-checksum"), "{known:?}");
    for row in &run.records {
        let found = row.concurrent.as_ref().expect("measured");
        // Only the last loop may be wider than what is left of them.
        let widths = found.loops.iter().map(|part| part.lanes);
        let (all, narrowest) = (widths.clone().sum::<usize>(), widths.min().expect("a loop"));
        let lanes = row.setup.lanes;
        assert!(all - narrowest < lanes && lanes <= all, "{:?}", found.loops);
        assert_eq!((row.setup.threads, found.cpus.len()), (3, 3));
        assert_eq!(row.verification, Some(Verification::KnownAnswer));
    }
}

#[test]
fn a_backend_that_is_not_here_is_told_with_its_reason() {
    on_this_machine();
    let missing = Backend::NAMES.iter().find(|name| Backend::by_name(name).is_err());
    // No CPU has every backend of every architecture, but one may have all that
    // were built.
    let Some(missing) = missing else { return };
    cpb(&format!("recursive -i 1K --backend {missing}")).fails(1, &[missing]);
}
