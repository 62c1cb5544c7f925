//! Tests a store in danger: killed writers, two writers at once, and files that are
//! foreign, damaged, or unwritable.

use crate::program::{Folder, command, spawn, wait};
use crate::store::{QUICK, unsaved};
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

/// Writes the same run under `count` identities to files.
fn many(shelf: &Folder, count: u128) -> Vec<String> {
    let mut run: serde_json::Value = serde_json::from_str(&unsaved()).expect("JSON");
    (1..=count)
        .map(|number| {
            run["id"] = uuid::Uuid::from_u128(number).to_string().into();
            shelf.writes(&format!("{number}.json"), run.to_string())
        })
        .collect()
}

fn numbers(shelf: &Folder) -> Vec<String> {
    let called = shelf.cpb("history --format csv").ends(0, &[]);
    let first = |line: &str| line.split(',').next().unwrap_or_default().to_owned();
    called.stdout.lines().skip(1).map(first).collect()
}

fn is_sound(shelf: &Folder) {
    let file = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    let verdict: String =
        file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("it can be checked");
    assert_eq!(verdict, "ok");
    let query = "SELECT (SELECT count(*) FROM runs) <> (SELECT count(*) FROM documents)
                 OR EXISTS (SELECT 1 FROM figures WHERE run NOT IN (SELECT number FROM runs))";
    let orphans: i64 = file.query_row(query, [], |row| row.get(0)).expect("it can be asked");
    assert_eq!(orphans, 0, "a run is there whole or not at all");
}

/// Starts a cpb that saves run after run.
fn importing(shelf: &Folder, files: &[String]) -> Child {
    let line = shelf.line("import");
    spawn(command().args(line.split_whitespace()).args(files))
}

/// Kills a cpb that saves run after run, `times` times. Every run that it reported
/// as saved must exist, and the file must be sound.
fn kill_writers(times: u64) {
    let shelf = Folder::new();
    let files = many(&shelf, 120);
    let mut random = 1_u64;
    for _ in 0..times {
        for file in ["runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm"] {
            let _ = std::fs::remove_file(shelf.path(file));
        }
        let mut child = importing(&shelf, &files);
        let told = BufReader::new(child.stdout.take().expect("piped"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_micros(random >> 33 & 0x3_ffff));
        child.kill().expect("SIGKILL");
        child.wait().expect("it ends");
        let number = |line: String| Some(line.split_once(' ')?.0.to_owned());
        let saved: Vec<String> = told.lines().map_while(Result::ok).filter_map(number).collect();
        if !shelf.path("runs.sqlite").exists() {
            assert!(saved.is_empty());
            continue;
        }
        let there = match shelf.cpb("history") {
            // It was killed before its first run: a file without tables becomes a
            // store when the next run is saved.
            _ if saved.is_empty() => Vec::new(),
            called => {
                assert_eq!(called.status, 0, "{}", called.stderr);
                is_sound(&shelf);
                numbers(&shelf)
            }
        };
        for number in &saved {
            assert!(there.contains(number), "run {number} of {saved:?} is lost");
        }
        let called = shelf.cpb(&format!("import {}", files[files.len() - 1]));
        assert!(called.status == 0 || called.stderr.contains("already"), "{}", called.stderr);
        is_sound(&shelf);
    }
}

#[test]
fn a_killed_writer_loses_no_finished_run() {
    kill_writers(3);
}

#[test]
#[ignore = "the same, fifty times"]
fn many_killed_writers_lose_no_finished_run() {
    kill_writers(50);
}

#[test]
fn two_writers_at_once_save_everything() {
    let shelf = Folder::new();
    let files = many(&shelf, 60);
    let (some, others) = files.split_at(30);
    for writer in [some, others].map(|files| importing(&shelf, files)) {
        wait(writer).ends(0, &[]);
    }
    assert_eq!(numbers(&shelf).len(), files.len());
    is_sound(&shelf);
}

/// A run that cannot be saved is still printed, and a command that needs the store
/// fails; neither changes the file.
fn stays_as_it_is(shelf: &Folder, words: &[&str]) {
    let file = shelf.path("runs.sqlite");
    let before = std::fs::read(&file).expect("ours");
    let warned = [&["warning", "is not saved"], words].concat();
    shelf.cpb(QUICK).ends(0, &warned).shows(&["sha3-256 (hash)"]);
    for line in ["history", "show", "delete 1", "label 1 x"] {
        shelf.cpb(line).fails(2, words);
    }
    assert_eq!(std::fs::read(&file).expect("ours"), before);
}

#[test]
fn a_file_of_another_program_stays_as_it_is() {
    let shelf = Folder::new();
    shelf.writes("runs.sqlite", "precious");
    stays_as_it_is(&shelf, &["runs.sqlite", "another program", "--store"]);
}

#[test]
fn a_damaged_store_stays_as_it_is() {
    let shelf = Folder::new();
    shelf.succeeds(&format!("import {}", many(&shelf, 1)[0]));
    let mut content = std::fs::read(shelf.path("runs.sqlite")).expect("ours");
    content[100..4096].fill(0xa5);
    shelf.writes("runs.sqlite", content);
    stays_as_it_is(&shelf, &["runs.sqlite", "damaged", "bring back a copy"]);
}

#[test]
fn a_newer_store_stays_as_it_is() {
    let shelf = Folder::new();
    shelf.succeeds(&format!("import {}", many(&shelf, 1)[0]));
    let file = rusqlite::Connection::open(shelf.path("runs.sqlite")).expect("it opens");
    file.pragma_update(None, "user_version", 99).expect("it can be written");
    drop(file);
    stays_as_it_is(&shelf, &["runs.sqlite", "newer cpb", "schema 99"]);
}
