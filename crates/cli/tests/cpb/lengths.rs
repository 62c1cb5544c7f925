//! Tests lengths from files that none of our programs wrote: whatever they are, they
//! give an error row.

use crate::program::{Called, Folder, cpb};
use serde_json::Value;

/// Text that a broken library or a bug of ours would print.
const BROKEN: [&str; 6] = ["SIG", "abort", "internal error", "panicked", "exited", "crash"];

/// Returns a run of one row of the library; `None` if that is not installed.
fn run(library: &str, selector: &str) -> Option<Value> {
    let how = "--precision 99% --max-time 120 --sizes 64 --format json --no-save";
    let called = cpb(&format!("run {selector} --library {library} {how}"));
    (!called.stderr.contains("not available")).then(|| called.json())
}

/// Returns the run with this field changed in every workload.
fn changed(run: &Value, field: &str, bytes: u64) -> Value {
    let mut run = run.clone();
    for record in run["records"].as_array_mut().expect("records") {
        // Before workloads existed, the points stated the lengths.
        record.as_object_mut().expect("a record").remove("workload");
        if field == "output_bytes" {
            record[field] = bytes.into();
        }
        for point in record["points"].as_array_mut().expect("points") {
            point["parameters"][field] = bytes.into();
        }
    }
    run
}

/// Checks that the command failed with these words, and without a sign of a crash.
fn refuses(called: &Called, what: &str, words: &str) {
    let said = called.all();
    assert_ne!(called.status, 0, "{what}: {said}");
    assert!(said.contains(words), "{what} does not say '{words}':\n{said}");
    for broken in BROKEN {
        assert!(!said.contains(broken), "{what}: {broken}:\n{said}");
    }
}

#[test]
fn a_baseline_with_lengths_that_fit_none_is_refused_row_by_row() {
    let folder = Folder::new();
    // There is one row of each library that is installed.
    let rows = [("nettle", "aes-128-cbc"), ("openssl", "aes-128-cbc"), ("native", "sha256")];
    let runs = rows.into_iter().filter_map(|(library, selector)| run(library, selector));
    let all = runs.reduce(|mut all, run| {
        for part in ["records", "libraries"] {
            let list = run[part].as_array().expect("a list").clone();
            all[part].as_array_mut().expect("a list").extend(list);
        }
        all
    });
    let all = all.expect("native is there");
    let records = all["records"].as_array().map_or(0, Vec::len);
    for (field, bytes, words) in [
        ("nonce_bytes", 17, "nonce"),
        ("nonce_bytes", 96, "nonce"),
        ("nonce_bytes", 1 << 40, "1 GiB"),
        ("key_bytes", 1, "key"),
        ("key_bytes", 1 << 63, "1 GiB"),
        ("message_bytes", 1 << 40, "1 GiB"),
        ("message_bytes", 1 << 63, "1 GiB"),
        ("aad_bytes", 13, "takes no associated data"),
        ("aad_bytes", 1 << 40, "1 GiB"),
        ("output_bytes", 1 << 40, "1 GiB"),
    ] {
        let file = folder.writes("baseline.json", changed(&all, field, bytes).to_string());
        let called = cpb(&format!("gate --baseline {file} --max-time 60"));
        let what = format!("{field} of {bytes}");
        refuses(&called, &what, words);
        assert!(called.stdout.matches(words).count() >= records, "{what}: {}", called.stdout);
    }
}

#[test]
fn a_saved_run_with_lengths_that_fit_none_is_compared_with_nothing() {
    let Some(run) = run("nettle", "aes-128-cbc") else { return };
    for (field, bytes, words) in
        [("nonce_bytes", 64, "nonce"), ("key_bytes", 0, "key"), ("message_bytes", 1 << 40, "1 GiB")]
    {
        // The same run would not be imported twice.
        let folder = Folder::new();
        let file = folder.writes("run.json", changed(&run, field, bytes).to_string());
        folder.cpb(&format!("import {file}")).ends(0, &[]);
        let called = folder.cpb("compare latest nettle --max-time 60");
        refuses(&called, &format!("{field} of {bytes}"), words);
    }
}

/// Files from before lengths had ranges are still read, and pass.
#[test]
fn a_run_of_today_is_measured_again() {
    let folder = Folder::new();
    let mut run = run("native", "hkdf-sha256").expect("native is there");
    for (field, bytes) in [("key_bytes", 5), ("nonce_bytes", 0), ("aad_bytes", 13)] {
        run = changed(&run, field, bytes);
    }
    let file = folder.writes("baseline.json", run.to_string());
    let said = cpb(&format!("gate --baseline {file} --tolerance 99% --max-time 60")).stdout;
    assert!(said.contains("hkdf-sha256") && !said.contains("takes"), "{said}");
}
