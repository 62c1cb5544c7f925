//! Tests Ctrl-C, SIGTERM and SIGHUP while rows are measured.

use crate::program::{
    Folder, catches_ctrl_c, data_home, feed, has_signal, interrupted, on_this_machine, says, send,
    skipped, spawn, succeeds, wait,
};
use cpb_model::Run;
use rustix::process::Signal;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

#[test]
fn what_was_finished_is_printed_and_saved() {
    on_this_machine();
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        ends_with_what_was_finished(signal, status);
    }
    // Under nohup, processes started here rightly ignore the signal, too.
    if is_hangup_ignored() {
        skipped("interruption by SIGHUP: it is ignored here");
    } else {
        ends_with_what_was_finished(Signal::HUP, 129);
    }
}

pub(crate) fn is_hangup_ignored() -> bool {
    has_signal(std::process::id(), "SigIgn:", Signal::HUP)
}

fn ends_with_what_was_finished(signal: Signal, status: i32) {
    let folder = Folder::new();
    let line = folder.line("bench 200000 --backend portable --src-lens 64 --format json");
    let mut child = feed(&line, b"");
    // The first job reports it, and the signal lets that job finish.
    let (mut stderr, mut told) = until_measuring(&mut child);
    // timeout sends the signal to the process and to its group at once.
    send(signal, &child);
    if signal != Signal::INT {
        send(signal, &child);
    }
    stderr.read_to_string(&mut told).expect("UTF-8");
    let called = wait(child);
    assert_eq!(called.status, status, "{told}");
    says(&told, &["interrupted; what was finished is shown", "saved as run 1"]);
    let run: Run = called.run();
    assert_eq!(run.records.len(), 6);
    let (finished, others): (Vec<_>, Vec<_>) =
        run.records.iter().partition(|record| record.failure.is_none());
    assert!(!finished.is_empty() && !others.is_empty(), "{told}");
    assert!(finished.iter().all(|record| !record.points.is_empty()));
    for record in others {
        assert_eq!(record.failure.as_ref().expect("failed").reason, "interrupted");
    }
    assert!(run.warnings.iter().any(|text| text.starts_with("interrupted")), "{:?}", run.warnings);
}

fn until_measuring(child: &mut Child) -> (impl Read + use<>, String) {
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut told = String::new();
    while !told.contains("cpucycles:") {
        assert_ne!(stderr.read_line(&mut told).expect("UTF-8"), 0, "{told}");
    }
    (stderr, told)
}

/// Libraries are inspected by processes of their own, which a Ctrl-C of the terminal also ends;
/// what was found until then looks complete.
#[test]
fn a_list_that_was_interrupted_says_so_first_and_last() {
    for line in ["list", "list --libraries", "list sha256"] {
        let mut child = feed(line, b"");
        // From here on the signal is handled, and all libraries are still to be inspected.
        while !catches_ctrl_c(&child) {
            assert!(child.try_wait().expect("a child").is_none(), "it has ended");
            std::thread::yield_now();
        }
        send(Signal::INT, &child);
        let called = wait(child).ends(130, &["interrupted"]);
        let words = "INTERRUPTED: this list is not complete";
        let lines: Vec<&str> = called.stdout.lines().collect();
        assert_eq!(lines.first(), Some(&words), "{line}: {}", called.stdout);
        assert_eq!(lines.last(), Some(&words), "{line}: {}", called.stdout);
    }
}

/// cpb does not undo nohup.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let cpb = env!("CARGO_BIN_EXE_cpb");
    let line = format!("trap '' HUP; exec {cpb} bench 1000 --backend portable --no-save");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env("XDG_DATA_HOME", data_home()).env("CPB_ASSUME_QUIET", "1");
    let mut child = spawn(&mut shell);
    let (mut stderr, mut told) = until_measuring(&mut child);
    send(Signal::HUP, &child);
    stderr.read_to_string(&mut told).expect("UTF-8");
    let called = wait(child).ends(0, &[]);
    assert_eq!(called.stdout.lines().count(), 7);
}

/// Every command ends in its own way, whenever the signal arrives.
#[test]
fn every_measuring_command_ends_with_130() {
    on_this_machine();
    let folder = Folder::new();
    let measured = "run sha3-256 --library native --backend portable --sizes 64 --precision 99%";
    let run = succeeds(&format!("{measured} --no-save --format json"));
    let baseline = folder.writes("baseline.json", run.stdout);
    let lines = [
        "run sha3-256 --library native --precision 0.0001% --no-save".to_owned(),
        "slope hash --library native --repetitions 100000 --no-save".to_owned(),
        "primitive hash-sha-3* --message-size 64 --repeats-time 1000000 --no-save".to_owned(),
        "compare native:portable native:portable sha3-256 --precision 0.0001%".to_owned(),
        format!("gate --baseline {baseline} --tolerance 0.0001% --no-save"),
    ];
    std::thread::scope(|scope| {
        for line in &lines {
            scope.spawn(move || {
                // Each runs in a thread.
                on_this_machine();
                let called = interrupted(line, b"").ends(130, &["interrupted; what"]);
                assert!(!called.stdout.is_empty(), "{line}");
                let all = called.stdout + &called.stderr;
                assert!(!all.contains("SIGINT"), "a worker was hit: {line}: {all}");
            });
        }
    });
}
