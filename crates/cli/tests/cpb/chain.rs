//! Tests `cpb chain`.

use crate::program::{
    Called, Folder, catches_ctrl_c, command, cpb, interrupted, nowhere, refused, succeeds, until,
    with_input,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const START: &str = "2efd64a55463b5b554c4a2e22a472da23bb76e63758ce3c89276abf0e9ad8b15";
/// The value after one hash, from vectors/recursive.
const NEXT: &str = "77461d8ed8a2206f82366618d363baa2ffdd991b5d2d80986dbcf82f58a4f3f3";
/// The value after a thousand hashes.
const LATER: &str = "after 1000";

fn made(options: &str) -> String {
    succeeds(&format!("chain make --start {START} {options}")).stdout
}

/// Verifies `text` from standard input.
fn verify(text: &str) -> Called {
    with_input("chain verify -", text.as_bytes())
}

fn last_words(called: &Called) -> String {
    called.stdout.lines().last().unwrap_or_default().replace('\u{202f}', "")
}

#[test]
fn what_is_made_holds_and_ends_where_it_must() {
    let vectors = include_str!("../../../../vectors/recursive/sha256.csv");
    let later = vectors.lines().find_map(|line| line.strip_prefix("1000,0,")).expect(LATER);
    let text = made("--length 1K --every 300");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("start,iterations,end", 5));
    assert!(lines[1].starts_with(&format!("{START},300,")));
    assert!(lines[4].ends_with(&format!(",{later}")) && lines[4].contains(",100,"));
    let called = verify(&text);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(last_words(&called).starts_with("4 of 4 segments hold · 1000 iterations"));
    let json = made("--length 1K --every 300 --format json");
    assert_eq!(verify(&json).status, 0);
    assert_eq!(verify(&text.replace('\n', "\r\n")).status, 0);
    assert_eq!(verify(text.trim_end()).status, 0);
}

#[test]
fn one_wrong_digit_among_thousands_is_found_and_named() {
    let folder = Folder::new("chain");
    let file = folder.0.join("chain.csv");
    let path = file.display().to_string();
    succeeds(&format!("chain make --start {START} --length 20K --every 2 -o {path}"));
    let text = std::fs::read_to_string(&file).expect("made");
    assert_eq!(text.lines().count(), 10_001);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in [6_789, 4_321] {
        let wrong = if lines[line].ends_with('0') { '1' } else { '0' };
        lines[line].pop();
        lines[line].push(wrong);
    }
    std::fs::write(&file, lines.join("\n")).expect("ours");
    let called = cpb(&format!("chain verify {path} --threads 3"));
    assert_eq!(called.status, 1, "{}", called.stderr);
    let said: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(said[..2], ["line 4322: wrong", "line 6790: wrong"]);
    assert!(said[2].starts_with("first wrong: line 4322, where 2 iterations from"));
    assert!(last_words(&called).starts_with("9998 of 10000 segments hold"));
    let json = cpb(&format!("chain verify {path} --format json"));
    assert_eq!(json.status, 1);
    let found: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(found["wrong_lines"], serde_json::json!([4322, 6790]));
    assert_eq!(found["first_wrong"]["line"], 4322);
}

#[test]
fn no_iterations_hold_where_start_and_end_are_the_same() {
    assert_eq!(verify(&format!("{START},0,{START}\n")).status, 0);
    assert_eq!(verify(&format!("{START},0,{NEXT}\n")).status, 1);
    assert_eq!(verify(&format!("{START},1,{NEXT}\n")).status, 0);
}

#[test]
fn lines_that_are_no_segments_are_named_and_the_rest_verified() {
    let good = format!("{START},1,{NEXT}");
    for (line, words) in [
        (format!("{},1,{NEXT}", &START[1..]), vec!["line 2: start: 63 hex digits, which is odd"]),
        (format!("{START}ab,1,{NEXT}"), vec!["line 2: start: 33 bytes"]),
        (format!("{START},1,{NEXT}0"), vec!["line 2: end: 65 hex digits"]),
        (format!("{START},18446744073709551616,{NEXT}"), vec!["line 2", "too many", "2^64 - 1"]),
        (format!("{START},-1,{NEXT}"), vec!["line 2", "'-1'", "whole number"]),
        (format!("{START},1"), vec!["line 2", "2 fields", "start,iterations,end"]),
        (format!("{START},1,{NEXT},1"), vec!["line 2", "4 fields"]),
        (format!("x{},1,{NEXT}", &START[1..]), vec!["line 2", "'x' at digit 1"]),
        ("{\"start\":1}".to_owned(), vec!["line 2", "no segment"]),
    ] {
        let called = verify(&format!("{good}\n{line}\n{good}\n"));
        assert_eq!(called.status, 2, "{line}");
        for word in words {
            let said = called.stderr.replace('"', "'");
            assert!(said.contains(word), "{line}: no '{word}' in {said}");
        }
        assert!(last_words(&called).starts_with("2 of 2 segments hold"), "{}", called.stdout);
    }
}

#[test]
fn bad_lines_win_over_wrong_segments() {
    let called = verify(&format!("{START},1,{START}\nnonsense\n"));
    assert_eq!(called.status, 2);
    assert!(called.stdout.starts_with("line 1: wrong"), "{}", called.stdout);
    assert!(called.stderr.contains("line 2: 1 fields"), "{}", called.stderr);
}

#[test]
fn files_that_hold_nothing_or_end_early_are_refused() {
    for empty in ["", "\n\r\n", "start,iterations,end\n"] {
        let called = verify(empty);
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{empty:?}");
        assert!(called.stderr.contains("holds no segments"), "{}", called.stderr);
    }
    let text = made("--length 20 --every 10");
    let called = verify(&text[..text.len() - 9]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("line 3 (the last, which has no line end: cut short?)"));
    assert!(last_words(&called).starts_with("1 of 1 segments hold"));
    refused(&format!("chain verify {}", nowhere("x")), &[&nowhere("x")]);
    refused("chain verify /", &["'/' is a folder"]);
    let many = verify(&"nonsense\n".repeat(150));
    assert!(many.stderr.contains("line 100:") && many.stderr.contains("and 50 more"));
    assert!(!many.stderr.contains("line 101:"));
}

#[test]
fn wrong_use_is_refused() {
    refused("chain", &["verify", "make"]);
    refused("chain verify", &["FILE"]);
    refused("chain verify x --threads 0", &["--threads", "'0'"]);
    refused("chain verify x --backend shany", &["shany", "Known"]);
    let make = |options: &str, words: &[&str]| refused(&format!("chain make {options}"), words);
    make("--length 1 --every 1", &["--start"]);
    make("--start 12 --length 1 --every 1", &["--start: 1 bytes", "64 hex digits"]);
    let none = ["--length", "give 1 or more"];
    make(&format!("--start {START} --length 0 --every 1"), &none);
    make(&format!("--start {START} --length 1 --every 0"), &["--every"]);
    let file = nowhere("x");
    make(&format!("--start {START} --length 1 --every 1 -o {file}"), &[&file]);
}

#[test]
fn ctrl_c_ends_with_what_was_finished() {
    let endless = format!("{START},1,{NEXT}\n{START},18446744073709551615,{NEXT}\n");
    let called = interrupted("chain verify -", endless.as_bytes());
    assert_eq!(called.status, 130, "{}", called.stderr);
    assert!(called.stderr.contains("interrupted"), "{}", called.stderr);
    assert!(called.stdout.contains("1 of 1 segments hold"), "{}", called.stdout);
    let called = interrupted("recursive -i 1000G --lanes 1 --format csv", b"");
    assert_eq!(called.status, 130, "{}", called.stderr);
    assert_eq!(called.stdout.lines().count(), 1, "{}", called.stdout);
}

/// Verifies `text` with `stdout` as standard output.
fn verify_into(stdout: Stdio, text: &str, format: &str) -> Called {
    let mut child = command()
        .args(["chain", "verify", "-", "--format", format])
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("cpb starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("cpb reads");
    child.wait_with_output().expect("it ends").into()
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
        let called = verify_into(full().into(), &format!("{START},1,{end}\n"), "table");
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains("cannot write"), "{}", called.stderr);
    }
}

#[test]
fn a_backend_that_is_not_here_is_no_verdict() {
    let foreign = if cfg!(target_arch = "x86_64") { "armv8-sha2" } else { "shani" };
    refused(&format!("chain verify - --backend {foreign}"), &[foreign]);
}

#[test]
fn a_chain_that_is_not_read_to_its_end_is_not_made() {
    let line = format!("chain make --start {START} --length 20K --every 1");
    let mut child = command()
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cpb starts");
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    reader.read_line(&mut first).expect("a heading");
    drop(reader);
    let called = Called::from(child.wait_with_output().expect("it ends"));
    assert_eq!((called.status, first.as_str()), (1, "start,iterations,end\n"));
    assert!(called.stderr.contains("cannot write on after "), "{}", called.stderr);
}

#[test]
fn a_chain_that_is_there_is_not_overwritten() {
    let folder = Folder::new("chain-kept");
    let file = folder.0.join("chain.csv");
    let line = format!("chain make --start {START} --length 1 --every 1 -o {}", file.display());
    succeeds(&line);
    let made = std::fs::read(&file).expect("made");
    refused(&line, &["chain.csv", "already exists", "another file"]);
    assert_eq!(std::fs::read(&file).expect("kept"), made);
    succeeds(&format!("chain make --start {START} --length 1 --every 1 -o /dev/null"));
}

#[test]
fn nothing_that_holds_is_not_praised() {
    const GREEN: &str = "\u{1b}[1;32m";
    let coloured = |text: &str| {
        let folder = Folder::new("chain-colours");
        let file = folder.0.join("chain.csv");
        std::fs::write(&file, text).expect("ours");
        let mut command = command();
        command.args(["chain", "verify"]).arg(&file).env("CLICOLOR_FORCE", "1");
        Called::from(command.output().expect("cpb starts")).stdout
    };
    let good = coloured(&format!("{START},1,{NEXT}\n"));
    assert!(good.contains(&format!("{GREEN}1 of 1")), "{good:?}");
    let none = coloured("nonsense\n");
    assert!(none.contains("0 of 0") && !none.contains(GREEN), "{none:?}");
}

#[test]
fn ctrl_c_ends_while_standard_input_is_idle() {
    let mut child = command()
        .args(["chain", "verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cpb starts");
    let mut open = child.stdin.take().expect("piped");
    open.write_all(format!("{START},1,{NEXT}\n{START},1").as_bytes()).expect("cpb reads");
    let is_read = || rustix::io::ioctl_fionread(&open).is_ok_and(|bytes| bytes == 0);
    until(|| catches_ctrl_c(&child) && is_read());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
    wait_for(&mut child);
    drop(open);
    let called = Called::from(child.wait_with_output().expect("it ends"));
    assert_eq!(called.status, 130, "{}", called.stderr);
    assert!(called.stderr.contains("interrupted"), "{}", called.stderr);
    assert!(!called.stderr.contains("line 2"), "{}", called.stderr);
}

/// Waits until `child` has ended, up to a limit.
fn wait_for(child: &mut Child) {
    let start = Instant::now();
    while child.try_wait().expect("ours").is_none() {
        let is_late = start.elapsed() > Duration::from_secs(20);
        if is_late {
            child.kill().expect("ours");
        }
        assert!(!is_late, "it still waits for input");
        std::thread::sleep(Duration::from_millis(20));
    }
}
