//! Tests lengths from files that none of our programs wrote: whatever they are, they
//! give an error row.

use crate::program::{Called, Folder, command, cpb};
use serde_json::Value;
use std::path::Path;

/// Text that a broken library or a bug of ours would print.
const BROKEN: [&str; 6] = ["SIG", "abort", "internal error", "panicked", "exited", "crash"];

/// Returns a run of one row of the library; `None` if that is not installed.
fn run(library: &str, selector: &str) -> Option<Value> {
    let line = format!(
        "run {selector} --library {library} --precision 99% --max-time 120 --sizes 64 --format json"
    );
    let called = cpb(&format!("{line} --no-save"));
    if called.stderr.contains("not available") {
        return None;
    }
    Some(serde_json::from_str(&called.stdout).expect("JSON"))
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

fn write(path: &Path, run: &Value) {
    std::fs::write(path, run.to_string()).expect("a file");
}

/// Checks that the command failed with these words, and without a sign of a crash.
fn refuses(called: &Called, what: &str, words: &str) {
    let said = format!("{}{}", called.stdout, called.stderr);
    assert_ne!(called.status, 0, "{what}: {said}");
    assert!(said.contains(words), "{what} does not say '{words}':\n{said}");
    for broken in BROKEN {
        assert!(!said.contains(broken), "{what}: {broken}:\n{said}");
    }
}

#[test]
fn a_baseline_with_lengths_that_fit_none_is_refused_row_by_row() {
    let folder = Folder::new("lengths-gate");
    let file = folder.0.join("baseline.json");
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
        write(&file, &changed(&all, field, bytes));
        let called = cpb(&format!("gate --baseline {} --max-time 60", file.display()));
        let what = format!("{field} of {bytes}");
        refuses(&called, &what, words);
        assert!(called.stdout.matches(words).count() >= records, "{what}: {}", called.stdout);
    }
}

#[test]
fn a_saved_run_with_lengths_that_fit_none_is_compared_with_nothing() {
    let folder = Folder::new("lengths-compare");
    let file = folder.0.join("run.json");
    let Some(run) = run("nettle", "aes-128-cbc") else { return };
    for (field, bytes, words) in
        [("nonce_bytes", 64, "nonce"), ("key_bytes", 0, "key"), ("message_bytes", 1 << 40, "1 GiB")]
    {
        write(&file, &changed(&run, field, bytes));
        // The same run would not be imported twice.
        let store = folder.0.join(format!("{field}.sqlite"));
        let store = store.display();
        let imported = cpb(&format!("import {} --store {store}", file.display()));
        assert_eq!(imported.status, 0, "{}", imported.stderr);
        let line = format!("compare latest nettle --max-time 60 --store {store}");
        refuses(&cpb(&line), &format!("{field} of {bytes}"), words);
    }
}

/// Files from before lengths had ranges are still read, and pass.
#[test]
fn a_run_of_today_is_measured_again() {
    let folder = Folder::new("lengths-today");
    let file = folder.0.join("baseline.json");
    let mut run = run("native", "hkdf-sha256").expect("native is there");
    for (field, bytes) in [("key_bytes", 5), ("nonce_bytes", 0), ("aad_bytes", 13)] {
        run = changed(&run, field, bytes);
    }
    write(&file, &run);
    let line = format!("gate --baseline {} --tolerance 99% --max-time 60", file.display());
    let called = command().args(line.split_whitespace()).output().expect("cpb starts");
    let said = String::from_utf8_lossy(&called.stdout);
    assert!(said.contains("hkdf-sha256") && !said.contains("takes"), "{said}");
}
