//! Tests `cpb run --suite`.

use crate::program::succeeds;

#[test]
fn the_overview_is_carried_and_measures_what_a_library_has_of_it() {
    let called = succeeds(
        "run --suite overview --library native --precision 99% --max-time 120 --format json",
    );
    let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
    assert!(run.records.iter().any(|record| record.subject.primitive == "sha3-256"));
    assert!(run.records.len() < 200, "{}", run.records.len());
}
