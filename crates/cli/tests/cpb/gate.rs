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
    let slow = Slow::new();
    // The figures are equal within a factor of two on any machine.
    let line = format!("gate --baseline {} --tolerance 99% --max-time 60", slow.run("same.json"));
    cpb(&format!("{line} --no-save")).ends(0, &[]).shows(&["no regression in 1 row"]);
}

#[test]
fn the_baselines_own_build_is_measured_beside_the_new_one() {
    let slow = Slow::new();
    let [_, faster, _] = baselines(&slow);
    std::fs::copy(slow.path("libslow.so"), slow.path("libcopy.so")).expect("a copy");
    let gate = format!("gate --baseline {faster} --tolerance 50% --max-time 60");
    // The baseline was ten times faster by its saved figures, but its build is not.
    cpb(&gate).ends(3, &["comparing across time"]);
    let copy = format!("slow={}", slow.path("libcopy.so"));
    let json = slow.path("beside.json");
    cpb(&format!("{gate} --library {copy} --json {json}"))
        .ends(0, &["baseline's own build beside"]);
    let row = || {
        let text = std::fs::read_to_string(&json).expect("a report");
        let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        result["rows"][0].clone()
    };
    assert_eq!(row()["beside_baseline"], true);
    // Figures of two separate runs could not decide at this tolerance.
    for (burn, status, word) in [(0, 0, "within tolerance"), (30, 3, "slower")] {
        let line = format!("gate --baseline {faster} --tolerance 1% --json {json} --library");
        cpb(&format!("{line} {copy};CPB_BURN={burn}")).ends(status, &[]);
        let row = row();
        assert_eq!((&row["status"], &row["measurements"]), (&word.into(), &1.into()), "{row}");
    }
    // The file has changed since, so it is no longer the baseline's build.
    let other = slow.edited("faster.json", "other.json", |run| {
        run["libraries"][0]["digest"] = "00".into();
    });
    cpb(&format!("gate --baseline {other} --tolerance 50% --max-time 60 --library {copy}"))
        .ends(3, &[]);
}

#[test]
fn what_had_no_time_is_a_row_that_says_so() {
    on_this_machine();
    let slow = Slow::new();
    let same = slow.run("same.json");
    cpb(&format!("gate --baseline {same} --max-time 0.0001 --no-save"))
        .ends(1, &[])
        .shows(&["no time was left"]);
}
