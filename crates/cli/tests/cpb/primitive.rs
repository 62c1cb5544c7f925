//! Tests `cpb primitive` with all that this CPU has; all else is in a transcript.

use crate::program::{cpb, succeeds};
use serde_json::Value;

/// Few calls are enough, because the tests do not depend on speed.
const QUICK: &str = "--repeats-time=2 --repeats-warm=0";
const EVERY_PARAMETER: &str = "--message-size=64 --bytes-size=64 --key-size=32 --ikm-size=16 \
    --salt-size=8 --info-size=4 --iterations=3 --aad-size=5";

#[test]
fn every_name_runs_or_says_why() {
    let called = cpb(&format!("primitive * --advanced {EVERY_PARAMETER} {QUICK}")).ends(0, &[]);
    let document: Value = called.json();
    let entries = document["benchmark"]["primitive"].as_object().expect("entries");
    let (mut run, mut unavailable) = (0, 0);
    for name in succeeds("primitive list --advanced").stdout.lines() {
        if let Some(entry) = entries.get(name) {
            let nanoseconds = entry["metrics"]["duration"]["nanoseconds_per_call"].as_f64();
            assert!(nanoseconds.is_some_and(|ns| ns > 0.0), "{name}: {entry}");
            assert_ne!(entry["verified"], "unverified", "{name}");
            run += 1;
        } else {
            assert!(called.stderr.contains(&format!("without {name}: ")), "{name}");
            unavailable += 1;
        }
    }
    println!("primitive names: run={run} unavailable={unavailable}");
    assert!(run >= 12, "{}", called.stderr);
    assert_eq!(run, entries.len());
}

#[test]
fn what_cannot_run_here_says_why() {
    let foreign = if cfg!(target_arch = "aarch64") { "x86-64-avx-2" } else { "arm-64-neon" };
    let name = format!("codec-base-64-hw-{foreign}-encode");
    let called = cpb(&format!("primitive {name} --advanced --bytes-size=8")).ends(1, &[&name]);
    let document: Value = called.json();
    let error = document["benchmark"]["primitive"][&name]["error"].as_str().expect("a reason");
    assert!(error.contains("run a build for"), "{error}");
    let foreign = if cfg!(target_arch = "aarch64") { "avx512" } else { "neon" };
    succeeds("primitive list --advanced --format table")
        .shows(&[&format!("backend {foreign} is for")]);
}
