//! Tests `cpb run`, `cpb list` and `cpb doctor`.

#![allow(clippy::panic, reason = "these are tests")]

use crate::program::{
    command, cpb, on_this_machine, spawn, succeeds, with_cross_checks, with_key_pairs,
};
use cpb_model::{Operation, Run};
use std::io::{BufRead, BufReader};
use std::time::Duration;

const KECCAK: [&str; 6] = ["sha3-224", "sha3-256", "sha3-384", "sha3-512", "shake128", "shake256"];

#[test]
fn everything_is_measured_once() {
    let line = "run --library native --precision 99% --max-time 120 --sizes 64 --format json";
    let run: Run = succeeds(line).run();
    for primitive in KECCAK {
        let record = run.records.iter().find(|record| record.subject.primitive == primitive);
        let record = record.expect(primitive);
        assert!(record.failure.is_none(), "{record:?}");
    }
}

/// Known answers, and our own kernels, decide about these.
#[test]
fn libraries_on_which_nothing_depends_are_not_asked() {
    with_cross_checks();
    let line = "run sha3-256 hmac-sha256 --library native --sizes 64 --no-save --format json";
    let run: Run = succeeds(line).run();
    let asked: Vec<&str> = run.libraries.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(asked, ["native"]);
}

#[test]
fn raw_samples_are_kept_when_asked_for() {
    let line = "run sha3-256 --library native --precision 99% --max-time 120 --backend portable --format json";
    let run = |line: &str| -> Run { succeeds(line).run() };
    assert!(run(line).records[0].points.iter().all(|point| point.raw.is_empty()));
    for point in &run(&format!("{line} --raw")).records[0].points {
        let kept: usize = point.raw.iter().map(|round| round.samples.ticks.len()).sum();
        assert!(kept as u64 == point.samples && point.samples > 0);
    }
}

#[test]
fn doctor_tells_of_counters_clock_and_system() {
    on_this_machine();
    let words = ["counter amd64-tsc", "self-test", "interruptions", "hypervisor", "steal"];
    cpb("doctor").ends(0, &[]).shows(&words);
}

#[test]
fn a_closed_standard_output_is_no_error() {
    on_this_machine();
    let mut child = spawn(command().args(["bench", "2"]));
    drop(child.stdout.take());
    let stderr = BufReader::new(child.stderr.take().expect("piped"));
    let complaints: Vec<String> =
        stderr.lines().map_while(Result::ok).filter(|line| !line.starts_with("info: ")).collect();
    let status = child.wait().expect("it ends");
    assert!(complaints.iter().all(|line| line.starts_with("warning: ")), "{complaints:?}");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn what_had_no_time_is_a_row_that_says_so() {
    on_this_machine();
    let start = std::time::Instant::now();
    let called = cpb("run * --library native --max-time 0.05 --no-save --format json");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let called = called.ends(1, &[]);
    let run: Run = called.run();
    let reasons = run.records.iter().filter_map(|record| record.failure.as_ref());
    let late = reasons.filter(|it| it.reason.contains("no time was left")).count();
    assert!(late > 0, "{}", run.records.len());
    let words = format!("{late} of {} rows", run.records.len());
    assert!(run.warnings.iter().any(|warning| warning.contains(&words)), "{:?}", run.warnings);
    assert!(called.stderr.lines().count() < 10, "no line for each row: {}", called.stderr);
}

#[test]
fn a_library_that_hangs_does_not_outlast_the_time() {
    on_this_machine();
    let start = std::time::Instant::now();
    // With --timeout alone it would take 20 s.
    let called = cpb("run fault-hang --library selftest --max-time 2 --no-save");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    let called = called.ends(1, &[]);
    let hung = ["time was up", "no answer"];
    assert!(hung.iter().any(|words| called.stdout.contains(words)), "{}", called.stdout);
}

#[test]
fn variants_are_measured_where_they_are_named() {
    let Some(_) = with_key_pairs() else { return };
    let backends = |more: &str| -> Vec<String> {
        let line = "run sha256 hash --library openssl --precision 99% --max-time 60 --format json";
        let run: Run = succeeds(&format!("{line} --no-save --sizes 64 {more}")).run();
        assert!(run.records.iter().all(|record| record.failure.is_none()), "{:?}", run.records);
        run.records.into_iter().map(|record| record.subject.backend).collect()
    };
    assert_eq!(backends(""), ["default"]);
    let named = "implicit-fetch,EVP_Digest,EVP_Q_digest";
    assert_eq!(backends(&format!("--backend {named}")).join(","), named);
}

#[test]
fn calls_are_made_one_by_one_where_they_can_depend_on_each_other() {
    on_this_machine();
    let line = "run sha256 base16 --library native --backend portable --chain --sizes 64,8 \
                --precision 99% --max-time 600 --no-save --format";
    let run: Run = succeeds(&format!("{line} json")).run();
    let of = |operation| run.records.iter().find(|it| it.subject.operation == operation);
    let hash = of(Operation::Hash).expect("a hash");
    let at = |bytes| hash.points.iter().find(|it| it.parameters.message_bytes == bytes);
    assert!(at(64).expect("64 B").one_by_one.is_some());
    // The message is too short to depend on the previous output.
    assert!(at(8).expect("8 B").one_by_one.is_none());
    assert!(hash.no_dependence.is_some() && hash.failure.is_none());
    let encode = of(Operation::Encode).expect("a codec");
    assert!(!encode.has_one_by_one() && encode.failure.is_none());
    assert!(encode.no_dependence.as_ref().is_some_and(|it| it.contains("encode")));
    succeeds(&format!("{line} table")).shows(&["independent", " dependent"]);
    let csv = succeeds(&format!("{line} csv")).stdout;
    assert!(csv.lines().next().is_some_and(|it| it.contains("dependent_cycles_per_call")));
}

#[test]
fn who_else_has_what_the_libraries_asked_for_have_not_is_said() {
    with_cross_checks();
    if cpb("list aes --library openssl").status != 0 {
        return println!("SKIPPED: OpenSSL is not here, which has AES");
    }
    let called = cpb("run aes --library native --no-save");
    assert!(!called.stderr.contains("0 primitives"), "{}", called.stderr);
    called.fails(1, &["no library asked for has aes; "]);
}

#[test]
fn the_overview_is_carried_and_measures_what_a_library_has_of_it() {
    let line = "run --suite overview --library native --precision 99% --max-time 120";
    let run: Run = succeeds(&format!("{line} --format json")).run();
    assert!(run.records.iter().any(|record| record.subject.primitive == "sha3-256"));
    assert!(run.records.len() < 200, "{}", run.records.len());
}
