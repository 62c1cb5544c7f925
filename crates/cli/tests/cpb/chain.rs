//! Tests signals and broken pipes of `cpb chain`; all else of it is in a transcript.

use crate::program::{
    Called, catches_ctrl_c, command, ends_soon, interrupted, on_this_machine, send, spawn, until,
    wait,
};
use rustix::process::Signal;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const START: &str = "2efd64a55463b5b554c4a2e22a472da23bb76e63758ce3c89276abf0e9ad8b15";
/// The value after one hash, from vectors/recursive.
const NEXT: &str = "77461d8ed8a2206f82366618d363baa2ffdd991b5d2d80986dbcf82f58a4f3f3";
#[test]
fn ctrl_c_ends_with_what_was_finished() {
    let endless = format!("{START},1,{NEXT}\n{START},18446744073709551615,{NEXT}\n");
    interrupted("chain verify -", endless.as_bytes())
        .ends(130, &["interrupted"])
        .shows(&["1 of 1 segments hold"]);
    on_this_machine();
    let called = interrupted("recursive -i 1000G --lanes 1 --format csv", b"").ends(130, &[]);
    assert_eq!(called.stdout.lines().count(), 1, "{}", called.stdout);
}

/// Verifies `text` with `stdout` as standard output.
fn verify_into(stdout: Stdio, text: &str, format: &str) -> Called {
    let mut command = command();
    command.args(["chain", "verify", "-", "--format", format]).stdin(Stdio::piped());
    let mut child = command.stdout(stdout).stderr(Stdio::piped()).spawn().expect("cpb starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("cpb reads");
    wait(child)
}

/// Returns a pipe that nobody reads.
fn broken_pipe() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    let (good, wrong) = (format!("{START},1,{NEXT}\n"), format!("{START},1,{START}\n"));
    for format in ["table", "json"] {
        for (text, status) in [
            (good.clone(), 0),
            (wrong.clone(), 1),
            (format!("{wrong}nonsense\n"), 2),
            (wrong.repeat(20_000), 1),
        ] {
            let called = verify_into(broken_pipe(), &text, format);
            assert_eq!(called.status, status, "{format}: {}", called.stderr);
            assert!(!called.stderr.contains("cannot write"), "{}", called.stderr);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn findings_that_cannot_be_written_are_no_verdict() {
    let full = || File::options().write(true).open("/dev/full").expect("Linux has it");
    for end in [NEXT, START] {
        verify_into(full().into(), &format!("{START},1,{end}\n"), "table")
            .ends(2, &["cannot write"]);
    }
}

#[test]
fn a_chain_that_is_not_read_to_its_end_is_not_made() {
    let line = format!("chain make --start {START} --length 20K --every 1");
    let mut child = spawn(command().args(line.split_whitespace()));
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    reader.read_line(&mut first).expect("a heading");
    drop(reader);
    assert_eq!(first, "start,iterations,end\n");
    wait(child).ends(1, &["cannot write on after "]);
}

#[test]
fn ctrl_c_ends_while_standard_input_is_idle() {
    let mut child = spawn(command().args(["chain", "verify", "-"]).stdin(Stdio::piped()));
    let mut open = child.stdin.take().expect("piped");
    open.write_all(format!("{START},1,{NEXT}\n{START},1").as_bytes()).expect("cpb reads");
    let is_read = || rustix::io::ioctl_fionread(&open).is_ok_and(|bytes| bytes == 0);
    until(|| catches_ctrl_c(&child) && is_read());
    send(Signal::INT, &child);
    ends_soon(&mut child);
    drop(open);
    let called = wait(child).ends(130, &["interrupted"]);
    assert!(!called.stderr.contains("line 2"), "{}", called.stderr);
}
