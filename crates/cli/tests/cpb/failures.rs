//! Tests libraries and workers that misbehave: each costs only its own row.

use crate::program::{Called, call, command, cpb, data_home, on_this_machine, spawn, under, wait};
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

fn records(called: &Called) -> Vec<cpb_model::Record> {
    called.run().records
}

#[test]
fn each_contract_is_held_to_its_own_answer() {
    on_this_machine();
    let failure = |contract: &str| {
        let line = "run fault-oneshot --precision 99% --max-time 120 --format json --contract";
        let called = cpb(&format!("{line} {contract}")).ends(1, &[]);
        records(&called)[0].failure.clone().expect("a failure").reason
    };
    let oneshot = failure("oneshot");
    assert!(oneshot.contains("wrong answer"), "{oneshot}");
    // Its answer is right; timing reveals that its calls do nothing.
    let keyed = failure("keyed");
    assert!(keyed.contains("the library did not make them"), "{keyed}");
}

#[test]
fn a_killed_worker_costs_the_row_it_was_at() {
    // A worker that hangs is certain to exist when it is killed.
    let line = "run sha3-256 fault-hang --library native --backend portable,chain --timeout 60 \
                --precision 99% --max-time 60 --format json";
    let child = spawn(command().args(line.split(' ')));
    let worker = wait_for_hanging_child(child.id());
    kill_process(worker, Signal::KILL).expect("it hangs");
    let called = wait(child).ends(1, &[]);
    for record in records(&called) {
        match record.failure {
            Some(failure) => {
                assert_eq!(record.subject.primitive, "fault-hang");
                assert!(failure.reason.contains("SIGKILL"), "{}", failure.reason);
            }
            None => assert!(record.line.is_some(), "{record:?}"),
        }
    }
    assert_eq!(records(&called).len(), 2);
}

/// Returns the newest child of `parent` once its children have not changed for a
/// while, because one hangs.
fn wait_for_hanging_child(parent: u32) -> Pid {
    const STEADY: u32 = 20;
    let start = Instant::now();
    let (mut before, mut steady) = (String::new(), 0);
    loop {
        assert!(start.elapsed() < Duration::from_secs(30), "no worker hangs");
        let path = format!("/proc/{parent}/task/{parent}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        steady = if children == before && !children.is_empty() { steady + 1 } else { 0 };
        if let Some(newest) = children.split_whitespace().last().filter(|_| steady >= STEADY) {
            return newest.parse().ok().and_then(Pid::from_raw).expect("a number");
        }
        before = children;
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// If the system grants no more pipes, threads or processes, the error says so.
#[test]
fn what_the_system_does_not_grant_is_named() {
    for (line, words) in [
        ("run nosuch --no-save", "cannot start a worker process: Too many open files"),
        ("run sha3-256 --no-save", "cannot start a worker process: Too many open files"),
        ("list nosuch --timeout=5", "cannot start a worker process: Too many open files"),
        ("primitive hash-sha-3-256 --message-size=1 --no-save", "Too many open files"),
        ("bench 2 --no-save", "Too many open files"),
        ("compare native native sha3-256 --timeout=5", "Too many open files"),
    ] {
        let called = call(&mut under("prlimit --nofile=4", line)).ends(1, &[words]);
        assert!(!called.stderr.contains("internal error"), "{line}: {}", called.stderr);
        assert!(!called.stderr.contains("unknown"), "{line}: {}", called.stderr);
    }
}

/// Threads need room for their stacks; without it, the work is done without
/// threads, or the error says so.
#[test]
fn without_threads_there_is_no_internal_error() {
    on_this_machine();
    let chain = "00".repeat(32);
    for line in [
        "list sha3-256".to_owned(),
        "run sha3-256 --cpu 0 --precision 99% --max-time 120 --no-save".to_owned(),
        "recursive -i 1K --lanes 1 --repetitions 1 --no-save".to_owned(),
        format!("chain make --start {chain} --length 8 --every 8 -o -"),
        "doctor".to_owned(),
    ] {
        // No address space holds such a stack.
        let mut command = command();
        command.env("RUST_MIN_STACK", (1_u64 << 50).to_string());
        let called = call(command.args(line.split_whitespace()));
        assert!(matches!(called.status, 0 | 1), "{line}: {}", called.stderr);
        assert!(!called.stderr.contains("internal error"), "{line}: {}", called.stderr);
        assert!(!called.stderr.contains("panicked"), "{line}: {}", called.stderr);
    }
}

#[test]
fn one_allowed_cpu_is_enough() {
    let on_one = |line: &str| {
        let mut command = under("taskset -c 0", line);
        command.env("XDG_DATA_HOME", data_home()).env("XDG_STATE_HOME", data_home());
        call(command.env("CPB_ASSUME_QUIET", "1")).ends(0, &[])
    };
    on_one("doctor --format json");
    assert_eq!(on_one("bench 2 --src-lens 64").stdout.lines().count(), 7);
}

#[test]
fn what_is_for_another_architecture_is_named() {
    let is_x86 = cfg!(target_arch = "x86_64");
    let [counter, hash, backend] = match is_x86 {
        true => ["arm64-vct", "armv8-sha2", "neon"],
        false => ["amd64-tsc", "shani", "avx2"],
    };
    for (line, foreign, status) in [
        (format!("bench 2 --counter {counter}"), counter, 1),
        (format!("chain verify - --backend {hash}"), hash, 2),
    ] {
        cpb(&line).fails(status, &[foreign]);
    }
    let line = format!("bench 2 --backend portable,{backend} --src-lens 64");
    let called = cpb(&line).ends(1, &[backend]);
    for row in called.stdout.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>()) {
        assert_eq!(row[3].is_empty(), row[1] == backend, "{row:?}");
    }
}

#[test]
fn the_monotonic_clock_serves_as_a_counter() {
    on_this_machine();
    cpb("bench 2 --src-lens 1024 --counter default-monotonic")
        .ends(0, &["default-monotonic+chain"]);
}
