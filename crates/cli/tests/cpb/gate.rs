//! Tests `cpb gate`: exit statuses and reports. Baselines differ by such a factor
//! that no disturbance decides.

use crate::program::{cpb, on_this_machine};
use crate::slow::{Slow, scale};

/// Returns baselines that are as fast as now, ten times faster and ten times
/// slower.
fn baselines(slow: &Slow) -> [String; 3] {
    let same = slow.run("same.json");
    let faster = slow.edited("same.json", "faster.json", |run| scale(run, 0.1));
    let slower = slow.edited("same.json", "slower.json", |run| scale(run, 10.0));
    [same, faster, slower]
}

#[test]
fn what_is_as_fast_as_its_baseline_passes() {
    on_this_machine();
    let slow = Slow::new("gate");
    // The figures are equal within a factor of two on any machine.
    let line = format!("gate --baseline {} --tolerance 99% --max-time 60", slow.run("same.json"));
    let fine = cpb(&format!("{line} --no-save"));
    assert_eq!(fine.status, 0, "{}{}", fine.stdout, fine.stderr);
    assert!(fine.stdout.contains("no regression in 1 row"), "{}", fine.stdout);
}

#[test]
fn the_baselines_own_build_is_measured_beside_the_new_one() {
    let slow = Slow::new("beside");
    let [_, faster, _] = baselines(&slow);
    std::fs::copy(slow.path("libslow.so"), slow.path("libcopy.so")).expect("a copy");
    let gate = format!("gate --baseline {faster} --tolerance 50% --max-time 60");
    // The baseline was ten times faster by its saved figures, but its build is not.
    let across = cpb(&gate);
    assert_eq!(across.status, 3, "{}{}", across.stdout, across.stderr);
    assert!(across.stderr.contains("comparing across time"), "{}", across.stderr);
    let copy = format!("slow={}", slow.path("libcopy.so"));
    let json = slow.path("beside.json");
    let beside = cpb(&format!("{gate} --library {copy} --json {json}"));
    assert_eq!(beside.status, 0, "{}{}", beside.stdout, beside.stderr);
    assert!(beside.stderr.contains("baseline's own build beside"), "{}", beside.stderr);
    let text = std::fs::read_to_string(&json).expect("a report");
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(result["rows"][0]["beside_baseline"], true);
    // Figures of two separate runs could not decide at this tolerance.
    for (burn, status, word) in [(0, 0, "within tolerance"), (30, 3, "slower")] {
        let line = format!("gate --baseline {faster} --tolerance 1% --json {json} --library");
        let called = cpb(&format!("{line} {copy};CPB_BURN={burn}"));
        assert_eq!(called.status, status, "{}{}", called.stdout, called.stderr);
        let text = std::fs::read_to_string(&json).expect("a report");
        let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let row = &result["rows"][0];
        assert_eq!((&row["status"], &row["measurements"]), (&word.into(), &1.into()), "{row}");
    }
    // The file has changed since, so it is no longer the baseline's build.
    let other = slow.edited("faster.json", "other.json", |run| {
        run["libraries"][0]["digest"] = "00".into();
    });
    let gone =
        cpb(&format!("gate --baseline {other} --tolerance 50% --max-time 60 --library {copy}"));
    assert_eq!(gone.status, 3, "{}{}", gone.stdout, gone.stderr);
}

#[test]
fn what_had_no_time_is_a_row_that_says_so() {
    on_this_machine();
    let slow = Slow::new("late");
    let same = slow.run("same.json");
    let called = cpb(&format!("gate --baseline {same} --max-time 0.0001 --no-save"));
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("no time was left"), "{}", called.stdout);
}
