//! Tests endless and unwritable files, and paths that are not files.

use crate::program::{
    Called, Folder, LITTLE_MEMORY, call, command, cpb, ends_soon, make_pipe, nowhere, send,
    skipped, spawn, succeeds, under, wait,
};
use crate::store::{QUICK, unsaved};
use flate2::{Compress, Compression, FlushCompress};
use rustix::process::Signal;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn in_little_memory(line: &str, stdin: Stdio) -> Called {
    call(under(LITTLE_MEMORY, line).stdin(stdin))
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
        in_little_memory(line, Stdio::null()).fails(2, &["device"]);
    }
    let mut endless = Command::new("yes").stdout(Stdio::piped()).spawn().expect("yes is there");
    let output = endless.stdout.take().expect("piped");
    in_little_memory("plot - -o -", output.into()).ends(2, &["256 MiB"]);
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
    let shelf = Folder::new();
    shelf.succeeds(&format!("import {}", shelf.writes("run.json", unsaved())));
    // This one has raw samples.
    shelf.succeeds(QUICK);
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
        let line = shelf.line(&format!("show {run}"));
        in_little_memory(&line, Stdio::null()).fails(2, &["is damaged", words]);
    }
}

#[test]
fn a_store_with_tables_of_a_stranger_runs_nothing() {
    let shelf = Folder::new();
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
    shelf.cpb("history").fails(2, &["not those that cpb makes"]);
}

#[test]
fn a_pipe_as_a_store_keeps_nobody_waiting() {
    let shelf = Folder::new();
    make_pipe(&shelf.path("runs.sqlite"));
    shelf.cpb(QUICK).ends(0, &["is not saved", "is a pipe"]).shows(&["sha3-256 (hash)"]);
    shelf.cpb("history").fails(2, &["is a pipe", "--store FILE"]);
}

#[test]
fn a_locked_store_does_not_delay_what_was_measured() {
    let shelf = Folder::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let other = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it can be locked");
    let mut child = spawn(command().args(shelf.line(QUICK).split_whitespace()));
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut told = String::new();
    while !told.contains("c/B: cycles per byte") {
        assert_ne!(stdout.read_line(&mut told).expect("UTF-8"), 0, "{told}");
    }
    other.execute_batch("ROLLBACK").expect("it was ours");
    stdout.read_to_string(&mut told).expect("UTF-8");
    wait(child).ends(0, &["saved as run 2"]);
}

/// Calls cpb as a user who may write none of our files.
fn as_nobody(line: &str) -> Called {
    call(&mut under("setpriv --reuid=65534 --clear-groups", line))
}

#[test]
fn a_store_that_is_read_only_is_read() {
    let shelf = Folder::new();
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
        called.ends(0, &[]).shows(&["sha3-256"]);
    }
    labelled.ends(1, &["read-only"]);
}

#[test]
fn a_file_keeps_what_it_held_until_the_new_is_whole() {
    let shelf = Folder::new();
    assert_eq!(shelf.cpb(QUICK).status, 0);
    let file = shelf.writes("run.json", "old");
    // The limit is reached in the middle of the output.
    let line = shelf.line(&format!("export 1 -o {file}"));
    let mut limited = Command::new("prlimit");
    limited.arg("--fsize=100").args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    limited.arg(env!("CARGO_BIN_EXE_cpb")).args(line.split_whitespace());
    call(&mut limited).ends(2, &["cannot write"]);
    assert_eq!(std::fs::read_to_string(shelf.path("run.json")).expect("ours"), "old");
    let left = std::fs::read_dir(shelf.path("")).expect("ours").filter_map(Result::ok);
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains(".cpb-")));
    succeeds(&shelf.line(&format!("export 1 -o {file}")));
    assert_eq!(cpb(&format!("show {file}")).status, 0);
}

/// Pipes named by the user are read; one without a writer is waited for until a signal.
#[test]
fn waiting_for_a_pipe_ends_by_a_signal() {
    let shelf = Folder::new();
    let pipe = shelf.path("pipe.json");
    make_pipe(&pipe);
    for words in [&["run", "--suite"][..], &["show"], &["compare", "native"]] {
        let mut command = command();
        command.args(words).arg(&pipe).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("cpb starts");
        std::thread::sleep(Duration::from_secs(1));
        assert!(child.try_wait().expect("ours").is_none(), "{words:?} waits");
        send(Signal::TERM, &child);
        ends_soon(&mut child);
    }
}
