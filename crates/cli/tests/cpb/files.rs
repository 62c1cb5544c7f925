//! Tests endless and unwritable files, and paths that are not files.

use crate::program::{Called, command, cpb, nowhere, refused, skipped, succeeds};
use crate::store::{LibrarySet, unsaved};
use flate2::{Compress, Compression, FlushCompress};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const QUICK: &str =
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120";

/// Calls cpb with a limit of 200 MB of memory; beyond it, cpb would abort.
fn in_little_memory(line: &str, stdin: Stdio) -> Called {
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--data={}", 200 << 20)).arg(env!("CARGO_BIN_EXE_cpb"));
    limited.args(line.split_whitespace()).stdin(stdin);
    limited.output().expect("prlimit is there").into()
}

#[test]
fn what_never_ends_is_not_read() {
    for line in [
        "show /dev/zero",
        &format!("import /dev/full --store {}", nowhere("never.sqlite")),
        "plot /dev/zero -o -",
        "report /dev/zero --markdown",
        "gate --baseline /dev/zero",
        "compare /dev/zero native",
        "run --suite /dev/zero",
        "export /dev/zero",
        "history --store /dev/zero",
    ] {
        let called = in_little_memory(line, Stdio::null());
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{line}: {}", called.stderr);
        assert!(called.stderr.contains("device"), "{line}: {}", called.stderr);
    }
    let mut endless = Command::new("yes").stdout(Stdio::piped()).spawn().expect("yes is there");
    let output = endless.stdout.take().expect("piped");
    let called = in_little_memory("plot - -o -", output.into());
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(called.stderr.contains("256 MiB"), "{}", called.stderr);
    let _ = endless.wait();
}

/// Returns `start`, followed by `part` repeated up to 2 GiB, compressed.
fn bomb(start: &[u8], part: u8) -> Vec<u8> {
    let mut compress = Compress::new(Compression::fast(), true);
    let mut packed = |content: &[u8]| {
        let mut packed = Vec::with_capacity(1 << 16);
        compress.compress_vec(content, &mut packed, FlushCompress::Full).expect("it fits");
        packed
    };
    // After a full flush, equal input always compresses to equal output.
    let block = vec![part; 1 << 20];
    let mut bomb = packed(start);
    bomb.extend(packed(&block));
    bomb.extend(packed(&block).repeat(1 << 11));
    bomb
}

#[test]
fn a_store_that_unpacks_to_gigabytes_is_damaged() {
    let shelf = LibrarySet::new();
    let file = shelf.path("run.json");
    std::fs::write(&file, unsaved()).expect("ours");
    assert_eq!(shelf.cpb(&format!("import {}", file.display())).status, 0);
    assert_eq!(shelf.cpb(QUICK).status, 0, "one with raw samples");
    let database = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    for (change, content) in [
        (
            "UPDATE documents SET records = ?1 WHERE run = 1",
            bomb(b"[{\"subject\": {\"primitive\": \"", b'x'),
        ),
        ("UPDATE samples SET packed = ?1 WHERE run = 2", bomb(&[0xff; 4], 0)),
    ] {
        database.execute(change, [content]).expect("it can be written");
    }
    drop(database);
    for (run, words) in [("1", "a text of more than 1 MiB"), ("2", "more raw samples than any run")]
    {
        let called = in_little_memory(&shelf.line(&format!("show {run}")), Stdio::null());
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{}", called.stderr);
        assert!(called.stderr.contains("is damaged"), "{}", called.stderr);
        assert!(called.stderr.contains(words), "{}", called.stderr);
    }
}

#[test]
fn a_store_with_tables_of_a_stranger_runs_nothing() {
    let shelf = LibrarySet::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let database = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    database
        .execute_batch(
            "ALTER TABLE runs RENAME TO old;
             CREATE VIEW runs AS WITH RECURSIVE endless(n) AS
                 (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
                 SELECT old.* FROM old, endless;",
        )
        .expect("it can be written");
    drop(database);
    let called = shelf.cpb("history");
    assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{}", called.stderr);
    assert!(called.stderr.contains("not those that cpb makes"), "{}", called.stderr);
}

#[test]
fn a_pipe_as_a_store_keeps_nobody_waiting() {
    let shelf = LibrarySet::new();
    let made = Command::new("mkfifo").arg(shelf.path("runs.sqlite")).status().expect("it runs");
    assert!(made.success());
    let called = shelf.cpb(QUICK);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("sha3-256 (hash)"), "{}", called.stdout);
    assert!(called.stderr.contains("is not saved") && called.stderr.contains("is a pipe"));
    refused(&shelf.line("history"), &["is a pipe", "--store FILE"]);
}

#[test]
fn a_locked_store_does_not_delay_what_was_measured() {
    let shelf = LibrarySet::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let other = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it can be locked");
    let mut child = command()
        .args(shelf.line(QUICK).split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cpb starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut told = String::new();
    while !told.contains("c/B: cycles per byte") {
        assert_ne!(stdout.read_line(&mut told).expect("UTF-8"), 0, "{told}");
    }
    other.execute_batch("ROLLBACK").expect("it was ours");
    stdout.read_to_string(&mut told).expect("UTF-8");
    let called: Called = child.wait_with_output().expect("it ends").into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stderr.contains("saved as run 2"), "{}", called.stderr);
}

/// Calls cpb as a user who may write none of our files.
fn as_nobody(line: &str) -> Called {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--clear-groups"]).arg(env!("CARGO_BIN_EXE_cpb"));
    command.args(line.split_whitespace()).stdin(Stdio::null());
    command.output().expect("setpriv is there").into()
}

#[test]
fn a_store_that_is_read_only_is_read() {
    let shelf = LibrarySet::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let printed = shelf.cpb("show 1").stdout;
    let [folder, file] = [shelf.path(""), shelf.path("runs.sqlite")];
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    };
    set(&file, 0o444);
    set(&folder, 0o555);
    let is_root = rustix::process::getuid().is_root();
    let call = |line: &str| if is_root { as_nobody(&shelf.line(line)) } else { shelf.cpb(line) };
    if is_root && as_nobody("--version").status != 0 {
        // If that user cannot reach the build folder, there is nothing to test.
        set(&folder, 0o755);
        skipped("files of others: another user cannot start cpb here");
        return;
    }
    let [shown, listed, history, labelled] =
        ["show 1", "history", "history hash", "label 1 x"].map(call);
    set(&folder, 0o755);
    assert_eq!((shown.status, shown.stdout), (0, printed), "{}", shown.stderr);
    for called in [listed, history] {
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(called.stdout.contains("sha3-256"), "{}", called.stdout);
    }
    assert_eq!(labelled.status, 1, "{}", labelled.stderr);
    assert!(labelled.stderr.contains("read-only"), "{}", labelled.stderr);
}

#[test]
fn a_file_keeps_what_it_held_until_the_new_is_whole() {
    let shelf = LibrarySet::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let file = shelf.path("run.json");
    std::fs::write(&file, "old").expect("ours");
    let file = file.display();
    // The limit is reached in the middle of the output.
    let line = shelf.line(&format!("export 1 -o {file}"));
    let mut limited = Command::new("prlimit");
    limited.arg("--fsize=100").args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    limited.arg(env!("CARGO_BIN_EXE_cpb")).args(line.split_whitespace());
    let called: Called = limited.output().expect("prlimit is there").into();
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(called.stderr.contains("cannot write"), "{}", called.stderr);
    assert_eq!(std::fs::read_to_string(shelf.path("run.json")).expect("ours"), "old");
    let left = std::fs::read_dir(shelf.path("")).expect("ours").filter_map(Result::ok);
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains(".cpb-")));
    succeeds(&shelf.line(&format!("export 1 -o {file}")));
    assert_eq!(cpb(&format!("show {file}")).status, 0);
}

/// Pipes named by the user are read; one without a writer is waited for until a signal.
#[test]
fn waiting_for_a_pipe_ends_by_a_signal() {
    let shelf = LibrarySet::new();
    let pipe = shelf.path("pipe.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
    for words in [&["run", "--suite"][..], &["show"], &["compare", "native"]] {
        let mut command = command();
        command.args(words).arg(&pipe).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("cpb starts");
        std::thread::sleep(Duration::from_secs(1));
        assert!(child.try_wait().expect("ours").is_none(), "{words:?} waits");
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
        let start = Instant::now();
        while child.try_wait().expect("ours").is_none() {
            if start.elapsed() > Duration::from_secs(5) {
                child.kill().expect("ours");
                panic!("{words:?} went on");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
