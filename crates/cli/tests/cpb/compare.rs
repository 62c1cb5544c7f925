//! `cpb compare`: sides, verdicts and formats. The sides differ by a factor, so
//! that no disturbance decides.

use crate::program::{Called, cpb, refused, succeeds};
use crate::slow::{Slow, saved};
use serde_json::Value;

/// The loops of known cycles are measured in the first rounds, each in a process.
const PROCESSES_OF_KNOWN_LOOPS: u64 = 5;

fn json(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).expect("JSON")
}

#[test]
fn a_side_ten_times_slower_is_called_slower() {
    let slow = Slow::new("compare");
    let (library, plot) = (slow.library(), slow.path("ratios.svg"));
    let line = format!(
        "compare {library} {library};CPB_BURN=9000 --max-time 120 --sizes 64,256 --format json \
         --plot {plot}"
    );
    let called = succeeds(&line);
    let result = json(&called);
    assert_eq!(result["kind"], "comparison");
    assert_eq!(result["paired"], true);
    let workload = &result["workloads"][0];
    assert_eq!(workload["primitive"], "known-chain");
    assert_eq!(workload["comparison"]["verdict"], "slower");
    assert!(workload["comparison"]["ratio"].as_f64().expect("a number") > 4.0, "{workload}");
    assert!(workload["rounds"].as_u64() >= Some(10));
    assert_eq!(workload["lengths"].as_array().map(Vec::len), Some(2));
    assert!(std::fs::read_to_string(plot).expect("a chart").contains("known-chain hash"));

    let back = format!("compare {library};CPB_BURN=9000 {library} --max-time 120 --sizes 64,256");
    let page = slow.path("page.html");
    let table = succeeds(&back).stdout;
    succeeds(&format!("{back} --output {page}"));
    let page = std::fs::read_to_string(page).expect("a page");
    for words in [r#""paired":true"#, r#","faster","#, "known-chain"] {
        assert!(page.contains(words), "the page does not say {words}");
    }
    for word in ["A: slow=", "B: slow=", "known-chain hash", "faster", "256 B", "processes"] {
        assert!(table.contains(word), "no '{word}' in\n{table}");
    }
    let lines = succeeds(&format!("{back} --per-size --format csv")).stdout;
    let header = lines.lines().next().expect("a header");
    assert!(header.starts_with("primitive,operation") && header.contains("ratio_low"));
    // A workload for each size, each with its sum and its length.
    assert_eq!(lines.lines().filter(|line| line.starts_with("known-chain,hash")).count(), 4);
}

#[test]
fn sides_about_as_fast_are_timed_in_the_same_batches() {
    let slow = Slow::new("batches");
    let library = slow.library();
    // By itself each side would choose what lasts as long: here a third less.
    let line = format!(
        "compare {library};CPB_WORK=1 {library};CPB_WORK=1;CPB_BURN=500 --max-time 120 --precision 30% --sizes 64 \
         --format json"
    );
    let result = json(&succeeds(&line));
    let calls =
        |side: usize| result["run"]["records"][side]["points"][0]["calls_per_sample"].as_u64();
    assert!(calls(0).is_some_and(|calls| calls > 4), "{:?}", calls(0));
    assert_eq!(calls(0), calls(1));
}

#[test]
fn all_lines_together_have_a_verdict() {
    let slow = Slow::new("all");
    let library = slow.library();
    let line = format!(
        "compare {library} {library};CPB_BURN=9000 --max-time 120 --sizes 64,256 --per-size"
    );
    let result = json(&succeeds(&format!("{line} --format json")));
    assert_eq!(result["sum"]["verdict"], "slower", "{result}");
    assert!(succeeds(&line).stdout.contains("all 2 (geometric mean)"));
}

#[test]
fn a_library_against_itself_has_a_process_for_each_side() {
    let called = succeeds(
        "compare native native sha3-256 --max-time 120 --precision 30% --sizes 64 --format json",
    );
    let result = json(&called);
    assert_eq!(result["a"], result["b"]);
    assert_eq!(result["workloads"].as_array().map(Vec::len), Some(1));
    let clock = &result["run"]["clock"];
    let workers = clock["workers"].as_u64().expect("a number") - PROCESSES_OF_KNOWN_LOOPS;
    let rounds = result["workloads"][0]["rounds"].as_u64().expect("a number");
    assert_eq!(workers, 2 * rounds);
    assert_eq!(clock["known_loops"][0]["name"], "chain-logic");
}

#[test]
fn backends_of_a_library_are_sides() {
    let called = succeeds(
        "compare native:portable native sha3-256 sha3-512 --max-time 120 --precision 30% --sizes 64 --format json",
    );
    let result = json(&called);
    assert_eq!(result["workloads"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["workloads"][0]["backend_a"], "portable");
    assert_eq!(result["a"], "native:portable");
}

#[test]
fn saved_runs_are_sides_and_said_to_be_apart() {
    let slow = Slow::new("saved");
    let run = slow.run("run.json");
    let called = succeeds(&format!("compare {run} {run} --format json"));
    let result = json(&called);
    assert_eq!(result["paired"], false);
    assert_eq!(result["workloads"][0]["comparison"]["ratio"], 1.0);
    assert!(called.stderr.contains("measured at different times"), "{}", called.stderr);

    let elsewhere = slow.edited("run.json", "elsewhere.json", |run| {
        run["host"]["cpu"] = "Another CPU".into();
        run["clock"]["name"] = "another-counter".into();
    });
    let called = succeeds(&format!("compare {run} {elsewhere}"));
    for word in ["The CPU differs", "Another CPU", "another-counter", "measured at different times"]
    {
        let both = format!("{}{}", called.stdout, called.stderr);
        assert!(both.contains(word), "no '{word}' in\n{both}");
    }

    let live = succeeds(&format!(
        "compare {run} {} --max-time 120 --precision 50% --format json",
        slow.library()
    ));
    assert_eq!(json(&live)["workloads"][0]["primitive"], "known-chain");
    assert_eq!(saved(&live.stdout, "run")["records"][0]["subject"]["primitive"], "known-chain");
}

#[test]
fn a_difference_no_wider_than_its_doubt_is_none() {
    let slow = Slow::new("wide");
    slow.run("run.json");
    // 12 % more, and known to ten points, or to one.
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
        let result = json(&succeeds(&format!("compare {a} {b} --sizes 64 --format json")));
        assert_eq!(result["workloads"][0]["comparison"]["verdict"], verdict, "{result}");
        assert_eq!(result["sum"]["verdict"], verdict);
    }
}

#[test]
fn sides_that_are_none_are_refused() {
    refused("compare opensll native", &["opensll", "Did you mean 'openssl'"]);
    refused("compare nowhere.json native", &["nowhere.json", "neither a library nor a saved run"]);
    refused("compare native:avx521 native", &["avx521", "Did you mean 'avx512'"]);
    refused("compare native native sha3-257", &["sha3-257", "Did you mean 'sha3-256'"]);
    refused("compare native native --precision 0", &["--precision"]);
    refused("compare native native --plot x.png", &["x.png", ".svg"]);
    refused("compare native", &["Usage"]);
    let missing = cpb("compare slow=/nowhere/libslow.so native");
    assert_eq!(missing.status, 1, "{}", missing.stderr);
    assert!(missing.stderr.contains("/nowhere/libslow.so"), "{}", missing.stderr);
}

#[test]
fn what_is_measured_is_saved_and_sizes_are_told_apart() {
    let folder = crate::program::Folder::new("compare-saved");
    let store = folder.0.join("runs.sqlite").display().to_string();
    let line = "compare native:portable native sha3-256 --per-size --sizes 64,1024 --max-time 120 --precision 30%";
    let called = cpb(&format!("{line} --store {store}"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stderr.contains("saved as run 1"), "{}", called.stderr);
    for name in ["sha3-256 hash 64 B", "sha3-256 hash 1 KiB"] {
        assert!(called.stdout.contains(name), "{}", called.stdout);
    }
    let shown = succeeds(&format!("show 1 --store {store}")).stdout;
    assert!(shown.contains("sha3-256 (hash)"), "{shown}");
}

#[test]
fn what_had_no_time_is_a_line_that_says_so() {
    let called = cpb("compare native:portable native --max-time 0.01 --no-save --format json");
    assert_eq!(called.status, 1, "{}", called.stderr);
    let result = json(&called);
    let lines = result["workloads"].as_array().expect("lines");
    let late = |line: &&Value| {
        line["failure"].as_str().is_some_and(|words| words.contains("no time was left"))
    };
    assert!(lines.iter().filter(late).count() > 0, "{result}");
    assert!(called.stderr.lines().count() < 10, "no line for each row: {}", called.stderr);
}
