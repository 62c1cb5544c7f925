//! `cpb gate`: exit statuses and reports. Baselines are off by a factor, so that
//! no disturbance decides.

use crate::program::{Called, command, cpb, refused, succeeds};
use crate::slow::{Slow, scale};

/// Baselines as fast as now, ten times faster and ten times slower.
fn baselines(slow: &Slow) -> [String; 3] {
    let same = slow.run("same.json");
    let faster = slow.edited("same.json", "faster.json", |run| scale(run, 0.1));
    let slower = slow.edited("same.json", "slower.json", |run| scale(run, 10.0));
    [same, faster, slower]
}

#[test]
fn exit_statuses_and_reports_tell_slower_from_fine() {
    let slow = Slow::new("gate");
    let [same, faster, slower] = baselines(&slow);
    // Equal within a factor of two, on any machine.
    let fine = cpb(&format!("gate --baseline {same} --tolerance 99% --max-time 60"));
    assert_eq!(fine.status, 0, "{}{}", fine.stdout, fine.stderr);
    assert!(fine.stdout.contains("none of 1 row is slower"), "{}", fine.stdout);
    let better = cpb(&format!("gate --baseline {slower} --max-time 60"));
    assert_eq!(better.status, 0, "{}{}", better.stdout, better.stderr);
    assert!(better.stdout.contains("faster"), "{}", better.stdout);

    let [json, junit, markdown] = ["gate.json", "gate.xml", "gate.md"].map(|name| slow.path(name));
    let line = format!(
        "gate known-chain --baseline {faster} --max-time 60 --json {json} --junit {junit} \
         --markdown {markdown}"
    );
    let worse = command().args(line.split(' ')).env("GITHUB_ACTIONS", "true").output();
    let worse: Called = worse.expect("cpb starts").into();
    assert_eq!(worse.status, 3, "{}{}", worse.stdout, worse.stderr);
    assert!(worse.stdout.contains("1 of 1 row slower"), "{}", worse.stdout);
    assert!(worse.stderr.contains("anew"), "suspects are measured again: {}", worse.stderr);
    let annotation = "\n::error title=cpb gate::known-chain hash slow=";
    assert_eq!(worse.stderr.matches(annotation).count(), 1, "{}", worse.stderr);
    let read = |path: &str| std::fs::read_to_string(path).expect("a report");
    let result: serde_json::Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!(result["rows"][0]["status"], "slower");
    assert_eq!(result["rows"][0]["measurements"], 3);
    let document = read(&junit);
    let document = roxmltree::Document::parse(&document).expect("XML");
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("one");
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("1"), Some("1")));
    assert!(document.descendants().any(|node| node.has_tag_name("failure")));
    assert!(read(&markdown).contains("| **slower** | known-chain hash slow"));
}

#[test]
fn another_build_takes_the_place_of_the_baselines() {
    let slow = Slow::new("instead");
    let same = slow.run("same.json");
    let library = slow.library();
    let worse =
        cpb(&format!("gate --baseline {same} --max-time 60 --library {library};CPB_BURN=9000"));
    assert_eq!(worse.status, 3, "{}{}", worse.stdout, worse.stderr);
}

#[test]
fn the_baselines_own_build_is_measured_beside_the_new_one() {
    let slow = Slow::new("beside");
    let [_, faster, _] = baselines(&slow);
    std::fs::copy(slow.path("libslow.so"), slow.path("libcopy.so")).expect("a copy");
    let gate = format!("gate --baseline {faster} --tolerance 50% --max-time 60");
    // By its saved figures the baseline was ten times faster; its own build is not.
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
    // Changed since, it is not the baseline's build any more.
    let other = slow.edited("faster.json", "other.json", |run| {
        run["libraries"][0]["digest"] = "00".into();
    });
    let gone =
        cpb(&format!("gate --baseline {other} --tolerance 50% --max-time 60 --library {copy}"));
    assert_eq!(gone.status, 3, "{}{}", gone.stdout, gone.stderr);
}

#[test]
fn what_cannot_be_measured_now_is_no_pass() {
    let slow = Slow::new("gone");
    slow.run("same.json");
    let gone = slow.edited("same.json", "gone.json", |run| {
        run["records"][0]["subject"]["primitive"] = "forgotten-chain".into();
    });
    let called = cpb(&format!("gate --baseline {gone} --max-time 60"));
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("not measured"), "{}", called.stdout);
    assert!(called.stdout.contains("does not have it here"), "{}", called.stdout);
}

#[test]
fn a_baseline_of_another_store_needs_no_saving() {
    let slow = Slow::new("unsaved");
    let same = slow.run("same.json");
    let store = slow.path("runs.sqlite");
    succeeds(&format!("import {same} --store {store}"));
    let called =
        cpb(&format!("gate --baseline 1 --tolerance 99% --max-time 60 --store {store} --no-save"));
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let runs = succeeds(&format!("history --store {store} --format csv")).stdout;
    assert_eq!(runs.lines().count(), 2, "{runs}");
}

#[test]
fn wrong_baselines_are_refused() {
    let slow = Slow::new("wrong");
    let same = slow.run("same.json");
    let elsewhere = slow.edited("same.json", "elsewhere.json", |run| {
        run["host"]["cpu"] = "Another CPU".into();
    });
    let line = format!("gate --baseline {elsewhere} --tolerance 99% --max-time 60");
    refused(&line, &["another CPU", "Another CPU", "--other-machine"]);
    assert_eq!(cpb(&format!("{line} --other-machine")).status, 0);
    refused("gate --baseline nowhere.json", &["nowhere.json"]);
    refused(&format!("gate known-chian --baseline {same}"), &["known-chian", "'known-chain'"]);
    let absent = cpb(&format!("gate sha3-256 --baseline {same}"));
    assert_eq!(absent.status, 1, "{}", absent.stderr);
    assert!(absent.stderr.contains("the saved run has no 'sha3-256'"), "{}", absent.stderr);
    refused("gate", &["--baseline"]);
    refused(&format!("gate --baseline {same} --tolerance 0"), &["--tolerance"]);
    refused(&format!("gate --baseline {same} --library opensll"), &["Did you mean 'openssl'"]);
}

#[test]
fn a_saved_run_is_a_baseline_and_what_is_measured_is_saved() {
    let slow = Slow::new("store");
    let (library, store) = (slow.library(), slow.path("runs.sqlite"));
    succeeds(&format!(
        "run known-chain --library {library} --precision 99% --max-time 120 --store {store}"
    ));
    succeeds(&format!("label latest good --store {store}"));
    let gate = "gate --baseline good --tolerance 99% --max-time 60";
    let fine = cpb(&format!("{gate} --store {store}"));
    assert_eq!(fine.status, 0, "{}{}", fine.stdout, fine.stderr);
    assert!(fine.stderr.contains("saved as run 2"), "{}", fine.stderr);
    let exported = succeeds(&format!("export 2 --store {store}")).stdout;
    let run: cpb_model::Run = serde_json::from_str(&exported).expect("cpb's own JSON");
    assert!(run.records[0].points.iter().all(|point| !point.raw.is_empty()));

    let called = succeeds(&format!("compare good latest --format json --store {store}"));
    let result: serde_json::Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(result["workloads"][0]["primitive"], "known-chain");
    refused(&format!("gate --baseline god --store {store}"), &["god", "Did you mean 'good'"]);

    let file = slow.run("same.json");
    let unsaved = cpb(&format!("gate --baseline {file} --tolerance 99% --max-time 60 --no-save"));
    assert_eq!(unsaved.status, 0, "{}{}", unsaved.stdout, unsaved.stderr);
    assert!(!unsaved.stderr.contains("saved as"), "{}", unsaved.stderr);
}

#[test]
fn what_had_no_time_is_a_row_that_says_so() {
    let slow = Slow::new("late");
    let same = slow.run("same.json");
    let called = cpb(&format!("gate --baseline {same} --max-time 0.0001 --no-save"));
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("no time was left"), "{}", called.stdout);
}
