//! Tests saved runs: saving, showing, deleting, exporting and importing.

use crate::program::{Called, Folder, call, command, says, succeeds};
use cpb_model::{FromJson, Run};
use serde_json::Value;
use std::process::Command;

/// A run that takes a tenth of a second.
pub(crate) const QUICK: &str =
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120";

fn saved(shelf: &Folder, name: &str) -> Run {
    shelf.succeeds(&format!("show {name} --format json --raw")).run()
}

pub(crate) fn parse(text: &str) -> Run {
    Run::from_slice(text.as_bytes()).expect("cpb's own JSON")
}

/// Returns the JSON of a run that no store has.
pub(crate) fn unsaved() -> String {
    succeeds(&format!("{QUICK} --no-save --format json")).stdout
}

#[test]
fn every_figure_can_be_made_anew_of_what_is_saved() {
    let shelf = Folder::new();
    for line in [
        QUICK,
        "slope --library native --repetitions 12 hash sha3-256",
        "bench 30 --src-lens 64,1024",
        // A message that is too short has no dependent calls.
        "run sha256 --library native --backend portable --chain --sizes 64,8 --precision 99% \
         --max-time 600",
    ] {
        shelf.succeeds(line).ends(0, &["saved as run"]);
        let run = saved(&shelf, "latest");
        assert!(!run.records.is_empty());
        for record in &run.records {
            let (points, line) = cpb_figures::recompute(&run, record).expect("all it takes");
            let mut bare = record.clone();
            bare.forget_raw();
            assert_eq!(points, bare.points);
            assert_eq!(line, record.line);
        }
    }
}

#[test]
fn no_save_saves_nothing_and_raw_is_printed_only_when_asked_for() {
    let shelf = Folder::new();
    let run = parse(&unsaved());
    assert!(run.records[0].points.iter().all(|point| point.raw.is_empty()));
    shelf.cpb("history").fails(2, &["no runs are saved yet", "runs.sqlite"]);
    assert!(!shelf.path("runs.sqlite").exists());
    shelf.succeeds(&format!("{QUICK} --no-save"));
    assert!(!shelf.path("runs.sqlite").exists());
    let printed = shelf.succeeds(&format!("{QUICK} --format json")).run();
    assert!(printed.records[0].points.iter().all(|point| point.raw.is_empty()));
    let mut saved = saved(&shelf, "latest");
    assert!(saved.records[0].points.iter().all(|point| !point.raw.is_empty()));
    saved.forget_raw();
    assert_eq!(saved, printed);
}

#[test]
fn without_a_file_runs_go_to_the_users_own() {
    let home = Folder::new();
    let call_with = |variable: &str| -> Called {
        let mut command = command();
        command.env_remove("XDG_DATA_HOME").env_remove("HOME");
        if !variable.is_empty() {
            command.env(variable, home.path(""));
        }
        call(command.args(QUICK.split_whitespace()))
    };
    call_with("HOME").ends(0, &[]);
    assert!(home.path(".local/share/cpb/runs.sqlite").exists());
    call_with("XDG_DATA_HOME").ends(0, &[]);
    assert!(home.path("cpb/runs.sqlite").exists());
    call_with("").ends(0, &["is not saved: there is no place"]).shows(&["sha3-256 (hash)"]);
}

#[test]
fn old_names_save_without_a_word() {
    let shelf = Folder::new();
    let link = shelf.path("bench");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cpb"), &link).expect("a link");
    let mut bench = Command::new(&link);
    bench.args(["2", "--src-lens", "64"]).env("XDG_DATA_HOME", shelf.path("data"));
    let called = call(&mut bench).ends(0, &[]);
    assert!(!called.stderr.contains("saved"), "{}", called.stderr);
    assert!(shelf.path("data/cpb/runs.sqlite").exists());
}

/// Saves `run` as one of day `number`.
fn imported(shelf: &Folder, number: u64, run: &mut Run) -> Called {
    run.id = uuid::Uuid::from_u128(number.into()).to_string();
    run.started = number * 86_400;
    let text = serde_json::to_string(run).expect("JSON");
    let file = shelf.writes(&format!("{number}.json"), text);
    shelf.succeeds(&format!("import {file}"))
}

/// There are twelve runs, and six that cost a tenth more, with another version of the
/// library on another kernel; one of the first runs is an outlier.
#[test]
fn changes_are_told_with_what_else_changed() {
    let shelf = Folder::new();
    let mut run = parse(&unsaved());
    run.records.truncate(1);
    for number in 1..=18_u64 {
        let is_after = number > 12;
        let version = if is_after { "new" } else { "old" };
        run.host.kernel = Some(format!("{version} kernel"));
        run.libraries.iter_mut().for_each(|library| library.version = version.to_owned());
        let level = if is_after { 5.5 } else { 5.0 };
        let estimate = level * if number == 5 { 1.3 } else { 1.0 };
        let line = run.records[0].line.as_mut().expect("a line");
        line.cycles_per_byte = cpb_model::Figure::new(estimate, None);
        imported(&shelf, number, &mut run);
    }
    let table = shelf.succeeds("history sha3-256 --changes").stdout;
    says(&table, &["13  1970-01-14", " 5.0000 ", " 5.5000 ", "+10.00 %", "1 change in 1 series"]);
    says(&table, &["library old → new, kernel old kernel → new kernel"]);
    let json: Value = shelf.succeeds("history sha3-256 --changes --format json").json();
    let [change] = &json["changes"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!(change["last_before"]["run"]["run"].as_u64(), Some(12));
    assert_eq!(change["first_after"]["run"]["run"].as_u64(), Some(13));
    assert_eq!(change["circumstances"][0]["after"], "new");
    let csv = shelf.succeeds("history sha3-256 --changes --format csv").stdout;
    assert_eq!(csv.lines().count(), 2, "{csv}");
    let few = shelf.succeeds("history sha3-256 --changes --last 4").stdout;
    assert!(few.trim_start().starts_with("0 changes in 1 series"), "{few}");
    shelf.cpb("history --changes").fails(2, &["SELECTOR"]);
}

/// One `.so` is rebuilt from ten commits, of which the seventh made it slower; every run
/// also has a build that does not change. A row of another workload has its own history.
#[test]
fn the_slow_commit_among_ten_rebuilds_is_named() {
    let shelf = Folder::new();
    let mut run = parse(&unsaved());
    run.records.truncate(1);
    run.records[0].subject.library = "mine=./old.so".to_owned();
    let level = |run: &mut Run, row: usize, estimate| {
        let line = run.records[row].line.as_mut().expect("a line");
        line.cycles_per_byte = cpb_model::Figure::new(estimate, None);
    };
    level(&mut run, 0, 5.0);
    let mut rebuilt = run.records[0].clone();
    rebuilt.subject.library = "mine=./new.so".to_owned();
    run.records.push(rebuilt.clone());
    rebuilt.workload.aad = 13;
    rebuilt.points.iter_mut().for_each(|point| point.parameters.aad_bytes = 13);
    run.records.push(rebuilt);
    let mut library = run.libraries[0].clone();
    library.label = "mine=./new.so".to_owned();
    for commit in 1..=10_u64 {
        level(&mut run, 1, if commit < 7 { 5.0 } else { 5.5 });
        library.commit = Some(format!("{commit:x}").repeat(40));
        library.digest = Some(format!("{commit:x}").repeat(64));
        run.libraries = vec![library.clone()];
        imported(&shelf, commit, &mut run);
    }
    let table = shelf.succeeds("history sha3-256 --changes").stdout;
    says(&table, &["sha3-256 (hash) · mine=./new.so", "+10.00 %", "1 change in 3 series"]);
    says(&table, &["commit 6666666666 → 7777777777, build 6666666666 → 7777777777"]);
    let changes: Value = shelf.succeeds("history sha3-256 --changes --format json").json();
    assert_eq!(changes["changes"][0]["first_after"]["build"]["commit"], "7".repeat(40));
    let series = |line: &str| -> Value {
        let told: Value = shelf.succeeds(&format!("history {line} --format json")).json();
        told["history"].clone()
    };
    let one = series("sha3-256/hash+aad=13");
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    assert_eq!(one[0]["workload"], "sha3-256/hash+aad=13");
    assert_eq!(one[0]["readings"].as_array().map(Vec::len), Some(10));
    let count = |line: &str| series(line).as_array().map(Vec::len);
    assert_eq!(count("sha3-256 --library mine=./old.so"), Some(1));
    assert_eq!(count("sha3-256 --library mine=./new.so"), Some(2));
    assert_eq!(count("sha3-256/hash"), Some(3));
    shelf.cpb("history sha3-256 --library mine=./other.so").fails(2, &["no saved run has that"]);
    shelf.cpb("history sha3-256 --library your=./new.so").fails(2, &["unknown library", "mine=…"]);
}

#[test]
fn a_history_tells_what_changed() {
    let shelf = Folder::new();
    let mut run = parse(&unsaved());
    for (number, percent) in [(1_u64, 0.0), (2, 10.0), (3, -20.0)] {
        let line = run.records[0].line.as_mut().expect("a line");
        let estimate = 5.0 * (1.0 + percent / 100.0);
        let (low, high) = (estimate - 0.1, estimate + 0.1);
        let interval = cpb_model::Interval { low, high, confidence: 0.95 };
        line.cycles_per_byte = cpb_model::Figure::new(estimate, Some(interval));
        assert!(imported(&shelf, number, &mut run).stdout.starts_with(&number.to_string()));
    }
    // A run from another machine is separate.
    run.host.cpu = Some("Other".to_owned());
    imported(&shelf, 4, &mut run);
    shelf.succeeds("label 2 slower");

    let table = shelf.succeeds("history SHA3_256").stdout;
    says(&table, &["1970-01-02", "slower", " 5.0 ", " 5.5 ", "+10.00 %"]);
    says(&table, &[" 4.0 ", "-27.27 %", "Other"]);
    assert_eq!(table.matches(" %").count() - table.matches("95 %").count(), 4 + 2, "{table}");
    let csv = shelf.succeeds("history hash --format csv --last 1").stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains(",-0.2727,true,measured,,,\n"), "{csv}");
    let json: Value = shelf.succeeds("history sha3-256 --format json").json();
    assert_eq!(json["history"][0]["readings"][1]["run"]["label"], "slower");
    assert_eq!(json["history"].as_array().map(Vec::len), Some(2));

    let list = shelf.succeeds("history").stdout;
    assert_eq!(list.lines().count(), 5, "{list}");
    assert_eq!(shelf.succeeds("history --format csv --last 2").stdout.lines().count(), 3);
    shelf.succeeds("history --format json");
}

#[test]
fn runs_travel_whole_and_arrive_once() {
    let (here, there) = (Folder::new(), Folder::new());
    here.succeeds(QUICK);
    let file = here.word("run.json");
    here.succeeds(&format!("export latest -o {file}"));
    assert_eq!(there.succeeds(&format!("import {file}")).stdout, format!("1 {file}\n"));
    assert_eq!(saved(&there, "1"), saved(&here, "1"));
    there.cpb(&format!("import {file}")).fails(2, &["is already saved here, as run 1"]);
    let bare = there.succeeds("export 1 --no-raw").run();
    assert!(bare.records[0].points.iter().all(|point| point.raw.is_empty()));
    assert!(there.succeeds("export 1 --format csv").stdout.starts_with("primitive,"));
}
