//! Tests saved runs: saving, showing, deleting, exporting and importing.

use crate::program::{Called, command, cpb, refused, succeeds};
use cpb_model::Run;
use std::path::PathBuf;
use tempfile::TempDir;

/// A run that takes a tenth of a second.
const QUICK: &str =
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120";

/// A folder with a store.
pub(crate) struct LibrarySet {
    folder: TempDir,
}

impl LibrarySet {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder of our own") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns `line` with this store.
    pub(crate) fn line(&self, line: &str) -> String {
        format!("{line} --store {}", self.path("runs.sqlite").display())
    }

    pub(crate) fn cpb(&self, line: &str) -> Called {
        cpb(&self.line(line))
    }

    fn succeeds(&self, line: &str) -> Called {
        succeeds(&self.line(line))
    }

    fn refused(&self, line: &str, words: &[&str]) {
        refused(&self.line(line), words);
    }

    fn run(&self, name: &str) -> Run {
        parse(&self.succeeds(&format!("show {name} --format json --raw")).stdout)
    }

    fn writes(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("our folder");
        path.display().to_string()
    }
}

pub(crate) fn parse(text: &str) -> Run {
    serde_json::from_str(text).expect("cpb's own JSON")
}

/// Returns the JSON of a run that no store has.
pub(crate) fn unsaved() -> String {
    succeeds(&format!("{QUICK} --no-save --format json")).stdout
}

#[test]
fn every_figure_can_be_made_anew_of_what_is_saved() {
    let shelf = LibrarySet::new();
    for line in [
        QUICK,
        "slope --library native --repetitions 12 hash sha3-256",
        "bench 30 --src-lens 64,1024",
        // A message that is too short has no dependent calls.
        "run sha256 --library native --backend portable --chain --sizes 64,8 --precision 99% \
         --max-time 600",
    ] {
        let called = shelf.succeeds(line);
        assert!(called.stderr.contains("saved as run"), "{line}: {}", called.stderr);
        let run = shelf.run("latest");
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
    let shelf = LibrarySet::new();
    let run = parse(&unsaved());
    assert!(run.records[0].points.iter().all(|point| point.raw.is_empty()));
    assert!(!shelf.path("runs.sqlite").exists());
    shelf.refused("history", &["no runs are saved yet", "runs.sqlite"]);
    assert!(!shelf.path("runs.sqlite").exists());
    shelf.succeeds(&format!("{QUICK} --no-save"));
    assert!(!shelf.path("runs.sqlite").exists());
    let printed = parse(&shelf.succeeds(&format!("{QUICK} --format json")).stdout);
    assert!(printed.records[0].points.iter().all(|point| point.raw.is_empty()));
    let mut saved = shelf.run("latest");
    assert!(saved.records[0].points.iter().all(|point| !point.raw.is_empty()));
    saved.forget_raw();
    assert_eq!(saved, printed);
}

#[test]
fn without_a_file_runs_go_to_the_users_own() {
    let home = TempDir::new().expect("a folder of our own");
    let call = |variable: &str, line: &str| -> Called {
        let mut command = command();
        command.env_remove("XDG_DATA_HOME").env_remove("HOME");
        if !variable.is_empty() {
            command.env(variable, home.path());
        }
        command.args(line.split_whitespace()).output().expect("cpb starts").into()
    };
    assert_eq!(call("HOME", QUICK).status, 0);
    assert!(home.path().join(".local/share/cpb/runs.sqlite").exists());
    assert_eq!(call("XDG_DATA_HOME", QUICK).status, 0);
    assert!(home.path().join("cpb/runs.sqlite").exists());
    let nowhere = call("", QUICK);
    assert_eq!(nowhere.status, 0, "{}", nowhere.stderr);
    assert!(nowhere.stdout.contains("sha3-256 (hash)"));
    assert!(nowhere.stderr.contains("is not saved: there is no place"), "{}", nowhere.stderr);
}

#[test]
fn old_names_save_without_a_word() {
    let shelf = LibrarySet::new();
    let link = shelf.path("bench");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cpb"), &link).expect("a link");
    let called: Called = std::process::Command::new(&link)
        .args(["2", "--src-lens", "64"])
        .env("XDG_DATA_HOME", shelf.path("data"))
        .output()
        .expect("cpb starts")
        .into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(!called.stderr.contains("saved"), "{}", called.stderr);
    assert!(shelf.path("data/cpb/runs.sqlite").exists());
}

/// There are twelve runs, and six that cost a tenth more, with another version of the
/// library on another kernel; one of the first runs is an outlier.
#[test]
fn changes_are_told_with_what_else_changed() {
    let shelf = LibrarySet::new();
    let mut run = parse(&unsaved());
    run.records.truncate(1);
    for number in 1..=18_u64 {
        let is_after = number > 12;
        let version = if is_after { "new" } else { "old" };
        run.id = uuid::Uuid::from_u128(number.into()).to_string();
        run.started = number * 86_400;
        run.host.kernel = Some(format!("{version} kernel"));
        run.libraries.iter_mut().for_each(|library| library.version = version.to_owned());
        let level = if is_after { 5.5 } else { 5.0 };
        let estimate = level * if number == 5 { 1.3 } else { 1.0 };
        let line = run.records[0].line.as_mut().expect("a line");
        line.cycles_per_byte = cpb_model::Figure::new(estimate, None);
        let text = serde_json::to_string(&run).expect("JSON");
        let file = shelf.writes(&format!("{number}.json"), &text);
        shelf.succeeds(&format!("import {file}"));
    }
    let table = shelf.succeeds("history sha3-256 --changes").stdout;
    for words in [
        "13  1970-01-14",
        " 5.0000 ",
        " 5.5000 ",
        "+10.00 %",
        "library old → new, kernel old kernel → new kernel",
        "1 change in 1 series",
    ] {
        assert!(table.contains(words), "no '{words}' in\n{table}");
    }
    let json = shelf.succeeds("history sha3-256 --changes --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let [change] = &json["changes"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!(change["last_before"]["run"]["run"].as_u64(), Some(12));
    assert_eq!(change["first_after"]["run"]["run"].as_u64(), Some(13));
    assert_eq!(change["circumstances"][0]["after"], "new");
    let csv = shelf.succeeds("history sha3-256 --changes --format csv").stdout;
    assert_eq!(csv.lines().count(), 2, "{csv}");
    let few = shelf.succeeds("history sha3-256 --changes --last 4").stdout;
    assert!(few.trim_start().starts_with("0 changes in 1 series"), "{few}");
    shelf.refused("history --changes", &["SELECTOR"]);
}

/// One `.so` is rebuilt from ten commits, of which the seventh made it slower; every run
/// also has a build that does not change. A row of another workload has its own history.
#[test]
fn the_slow_commit_among_ten_rebuilds_is_named() {
    let shelf = LibrarySet::new();
    let mut run = parse(&unsaved());
    run.records.truncate(1);
    run.records[0].subject.library = "mine=./old.so".to_owned();
    let level = |run: &mut cpb_model::Run, row: usize, estimate| {
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
        run.id = uuid::Uuid::from_u128(commit.into()).to_string();
        run.started = commit * 86_400;
        level(&mut run, 1, if commit < 7 { 5.0 } else { 5.5 });
        library.commit = Some(format!("{commit:x}").repeat(40));
        library.digest = Some(format!("{commit:x}").repeat(64));
        run.libraries = vec![library.clone()];
        let text = serde_json::to_string(&run).expect("JSON");
        let file = shelf.writes(&format!("{commit}.json"), &text);
        shelf.succeeds(&format!("import {file}"));
    }
    let table = shelf.succeeds("history sha3-256 --changes").stdout;
    for words in [
        "sha3-256 (hash) · mine=./new.so",
        "+10.00 %",
        "commit 6666666666 → 7777777777, build 6666666666 → 7777777777",
        "1 change in 3 series",
    ] {
        assert!(table.contains(words), "no '{words}' in\n{table}");
    }
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&shelf.succeeds(line).stdout).expect("JSON")
    };
    let changes = json("history sha3-256 --changes --format json");
    assert_eq!(changes["changes"][0]["first_after"]["build"]["commit"], "7".repeat(40));
    let series = |line: &str| json(&format!("history {line} --format json"))["history"].clone();
    let one = series("sha3-256/hash+aad=13");
    assert_eq!(
        (one.as_array().map(Vec::len), &one[0]["workload"]),
        (Some(1), &"sha3-256/hash+aad=13".into())
    );
    assert_eq!(one[0]["readings"].as_array().map(Vec::len), Some(10));
    let count = |line: &str| series(line).as_array().map(Vec::len);
    assert_eq!(count("sha3-256 --library mine=./old.so"), Some(1));
    assert_eq!(count("sha3-256 --library mine=./new.so"), Some(2));
    assert_eq!(count("sha3-256/hash"), Some(3));
    shelf.refused("history sha3-256 --library mine=./other.so", &["no saved run has that"]);
    shelf.refused("history sha3-256 --library your=./new.so", &["unknown library", "mine=…"]);
}

#[test]
fn a_history_tells_what_changed() {
    let shelf = LibrarySet::new();
    let mut run = parse(&unsaved());
    for (number, percent) in [(1_u64, 0.0), (2, 10.0), (3, -20.0)] {
        run.id = uuid::Uuid::from_u128(number.into()).to_string();
        run.started = number * 86_400;
        let line = run.records[0].line.as_mut().expect("a line");
        let interval = cpb_model::Interval { low: 0.0, high: 0.0, confidence: 0.95 };
        let estimate = 5.0 * (1.0 + percent / 100.0);
        line.cycles_per_byte.estimate = estimate;
        line.cycles_per_byte.interval =
            Some(cpb_model::Interval { low: estimate - 0.1, high: estimate + 0.1, ..interval });
        let text = serde_json::to_string(&run).expect("JSON");
        let file = shelf.writes(&format!("{number}.json"), &text);
        assert!(shelf.succeeds(&format!("import {file}")).stdout.starts_with(&number.to_string()));
    }
    // A run from another machine is separate.
    run.id = uuid::Uuid::from_u128(4).to_string();
    run.host.cpu = Some("Other".to_owned());
    let file = shelf.writes("4.json", &serde_json::to_string(&run).expect("JSON"));
    shelf.succeeds(&format!("import {file}"));
    shelf.succeeds("label 2 slower");

    let table = shelf.succeeds("history SHA3_256").stdout;
    for words in
        ["1970-01-02", "slower", " 5.0 ", " 5.5 ", "+10.00 %", " 4.0 ", "-27.27 %", "Other"]
    {
        assert!(table.contains(words), "no '{words}' in\n{table}");
    }
    assert_eq!(table.matches(" %").count() - table.matches("95 %").count(), 4 + 2, "{table}");
    let csv = shelf.succeeds("history hash --format csv --last 1").stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains(",-0.2727,true,measured,,,\n"), "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&shelf.succeeds("history sha3-256 --format json").stdout)
            .expect("JSON");
    assert_eq!(json["history"][0]["readings"][1]["run"]["label"], "slower");
    assert_eq!(json["history"].as_array().map(Vec::len), Some(2));

    let list = shelf.succeeds("history").stdout;
    assert_eq!(list.lines().count(), 5, "{list}");
    assert_eq!(shelf.succeeds("history --format csv --last 2").stdout.lines().count(), 3);
    shelf.succeeds("history --format json");
}

#[test]
fn runs_travel_whole_and_arrive_once() {
    let (here, there) = (LibrarySet::new(), LibrarySet::new());
    here.succeeds(QUICK);
    let file = here.path("run.json").display().to_string();
    here.succeeds(&format!("export latest -o {file}"));
    assert_eq!(there.succeeds(&format!("import {file}")).stdout, format!("1 {file}\n"));
    assert_eq!(there.run("1"), here.run("1"));
    there.refused(&format!("import {file}"), &["is already saved here, as run 1"]);
    let bare = parse(&there.succeeds("export 1 --no-raw").stdout);
    assert!(bare.records[0].points.iter().all(|point| point.raw.is_empty()));
    assert!(there.succeeds("export 1 --format csv").stdout.starts_with("primitive,"));
}
