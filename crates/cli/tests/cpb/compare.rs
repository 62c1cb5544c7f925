//! Tests `cpb compare`: sides, verdicts and formats. The sides differ by such a
//! factor that no disturbance decides.

use crate::program::{on_this_machine, succeeds};
use crate::slow::Slow;
use serde_json::Value;

/// Loops of known cycles are measured in the first rounds, each in a process.
const PROCESSES_OF_KNOWN_LOOPS: u64 = 5;

#[test]
fn a_side_ten_times_slower_is_called_slower() {
    on_this_machine();
    let slow = Slow::new();
    let (library, plot) = (slow.library(), slow.path("ratios.svg"));
    let line = format!(
        "compare {library} {library};CPB_BURN=9000 --max-time 120 --sizes 64,256 --format json \
         --plot {plot}"
    );
    let result: Value = succeeds(&line).json();
    assert_eq!(result["kind"], "comparison");
    assert_eq!(result["paired"], true);
    let workload = &result["workloads"][0];
    assert_eq!(workload["primitive"], "known-chain");
    assert_eq!(workload["comparison"]["verdict"], "slower");
    assert!(workload["comparison"]["ratio"].as_f64().expect("a number") > 4.0, "{workload}");
    assert!(workload["rounds"].as_u64() >= Some(10));
    assert_eq!(workload["lengths"].as_array().map(Vec::len), Some(2));
    assert!(std::fs::read_to_string(plot).expect("a chart").contains("known-chain hash"));
}

#[test]
fn sides_about_as_fast_are_timed_in_the_same_batches() {
    let slow = Slow::new();
    let library = slow.library();
    // Each side alone would choose the calls that take the same time, here a third
    // fewer.
    let line = format!(
        "compare {library};CPB_WORK=1 {library};CPB_WORK=1;CPB_BURN=500 --max-time 120 --precision 30% --sizes 64 \
         --format json"
    );
    let result: Value = succeeds(&line).json();
    let calls =
        |side: usize| result["run"]["records"][side]["points"][0]["calls_per_sample"].as_u64();
    assert!(calls(0).is_some_and(|calls| calls > 4), "{:?}", calls(0));
    assert_eq!(calls(0), calls(1));
}

#[test]
fn a_library_against_itself_has_a_process_for_each_side() {
    let line = "compare native native sha3-256 --max-time 120 --precision 30% --sizes 64";
    let result: Value = succeeds(&format!("{line} --format json")).json();
    assert_eq!(result["a"], result["b"]);
    assert_eq!(result["workloads"].as_array().map(Vec::len), Some(1));
    let clock = &result["run"]["clock"];
    let workers = clock["workers"].as_u64().expect("a number") - PROCESSES_OF_KNOWN_LOOPS;
    let rounds = result["workloads"][0]["rounds"].as_u64().expect("a number");
    assert_eq!(workers, 2 * rounds);
    assert_eq!(clock["known_loops"][0]["name"], "chain-logic");
}

#[test]
fn a_difference_no_wider_than_its_doubt_is_none() {
    let slow = Slow::new();
    slow.run("run.json");
    // The second run costs 12 % more, and is known to ten points, or to one.
    for (half_width, verdict) in [(0.07, "cannot tell"), (0.007, "slower")] {
        let edit = |ratio: f64| {
            move |run: &mut Value| {
                let figure = &mut run["records"][0]["points"][0]["cycles_per_call"];
                figure["estimate"] = (1000.0 * ratio).into();
                figure["interval"]["low"] = (1000.0 * ratio * (1.0 - half_width)).into();
                figure["interval"]["high"] = (1000.0 * ratio * (1.0 + half_width)).into();
            }
        };
        let a = slow.edited("run.json", "a.json", edit(1.0));
        let b = slow.edited("run.json", "b.json", edit(1.12));
        let line = format!("compare {a} {b} --sizes 64 --format json");
        let result: Value = succeeds(&line).json();
        assert_eq!(result["workloads"][0]["comparison"]["verdict"], verdict, "{result}");
        assert_eq!(result["sum"]["verdict"], verdict);
    }
}
