//! Tests the config file: its allowed content, what overrides it, and which
//! commands ignore it.

use crate::program::{Called, Folder, command, nowhere};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls cpb with a config file of this text.
fn with(text: &str, line: &str) -> Called {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("config-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let file = folder.0.join("config.toml");
    std::fs::write(&file, text).expect("our own folder");
    let mut command = command();
    command.env("CPB_CONFIG", &file).args(line.split_whitespace());
    command.output().expect("cpb starts").into()
}

/// The file is rejected as wrong use, with a message on standard error only.
fn refused(text: &str, words: &[&str]) {
    let called = with(text, "history");
    assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{text}: {}", called.stderr);
    for word in words {
        assert!(called.stderr.contains(word), "{text}: no '{word}' in {}", called.stderr);
    }
}

#[test]
fn what_is_wrong_in_it_is_told_with_its_line() {
    refused("\nprecison = 1", &["config.toml', line 2", "'precison'", "Did you mean 'precision'?"]);
    refused("cpu = true", &["line 1", "'cpu' is the number of a CPU", "not true"]);
    refused("libraries = [\"opensll\"]", &["line 1", "a list of libraries", "opensll"]);
    refused("[run]\nsizes = [64]", &["unknown key 'run'", "Known: precision, max-time, color"]);
    refused("format = \"cvs\"", &["line 1", "\"table\", \"csv\""]);
    let called = with("nonsense", "run --help");
    assert_eq!(called.status, 0, "help is there all the same: {}", called.stderr);
    let (mut missing, path) = (command(), nowhere("x.toml"));
    let called: Called =
        missing.env("CPB_CONFIG", &path).arg("list").output().expect("it runs").into();
    assert_eq!(called.status, 2, "{}", called.stderr);
    let words = format!("'{path}', which CPB_CONFIG names");
    assert!(called.stderr.contains(&words), "{}", called.stderr);
}

#[test]
fn the_command_line_wins_over_it() {
    let list = "list sha3-256 --library native";
    let rows = |called: Called| {
        assert_eq!(called.status, 0, "{}", called.stderr);
        called.stdout
    };
    let text = "format = \"csv\"";
    assert!(rows(with(text, list)).starts_with("primitive,"));
    assert!(rows(with(text, &format!("{list} --format json"))).starts_with('{'));
    let folder = Folder::new("config-output");
    let file = folder.0.join("list.json").display().to_string();
    rows(with(text, &format!("{list} --output {file}")));
    let written = std::fs::read_to_string(&file).expect("a list");
    assert!(written.starts_with('{'), "the file's name says the format: {written}");
}

#[test]
fn options_of_a_run_come_from_it() {
    let text = "precision = \"99%\"\nmax-time = 60\nlibraries = [\"native\"]\nformat = \"json\"\n";
    let line = "run sha3-256 --backend portable --sizes 64 --no-save";
    let run = |called: Called| -> cpb_model::Run {
        assert_eq!(called.status, 0, "{}", called.stderr);
        serde_json::from_str(&called.stdout).expect("cpb's own JSON")
    };
    let measured = run(with(text, line));
    assert_eq!(measured.precision, Some(0.99));
    assert!(measured.records.iter().all(|record| record.subject.library == "native"));
    assert_eq!(run(with(text, &format!("{line} --precision 98%"))).precision, Some(0.98));
    // --quick also sets the precision.
    assert_eq!(run(with(text, &format!("{line} --quick --max-time 60"))).precision, Some(0.01));
}

#[test]
fn runs_are_saved_where_it_says() {
    let folder = Folder::new("config-store");
    let store = folder.0.join("mine.sqlite");
    let text = format!("store = \"{}\"", store.display());
    let line = "run sha3-256 --library native --backend portable --sizes 64 --precision 99%";
    let called = with(&text, line);
    assert!(called.stderr.contains("saved as run 1"), "{}", called.stderr);
    assert!(store.is_file());
    assert!(with(&text, "history").stdout.contains('1'));
}

#[test]
fn colours_come_from_it_unless_the_environment_says_otherwise() {
    let folder = Folder::new("config-color");
    let file = folder.0.join("config.toml");
    std::fs::write(&file, "color = \"always\"").expect("our own folder");
    let coloured = |variable: &str, words: &[&str]| {
        let mut command = command();
        command.env("CPB_CONFIG", &file).env_remove("NO_COLOR").env(variable, "1");
        let called: Called = command.arg("config").args(words).output().expect("cpb starts").into();
        assert_eq!(called.status, 0, "{}", called.stderr);
        called.stdout.contains('\u{1b}')
    };
    assert!(coloured("CPB_NOTHING", &[]));
    assert!(!coloured("NO_COLOR", &[]));
    assert!(!coloured("CPB_NOTHING", &["--color", "never"]));
}

#[test]
fn config_says_which_file_is_read_and_what_is_in_it() {
    let called = with("max-time = 90", "config --format json");
    assert_eq!(called.status, 0, "{}", called.stderr);
    let said: serde_json::Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert!(said["file"].as_str().is_some_and(|file| file.ends_with("config.toml")), "{said}");
    let of = |key: &str| {
        let mut keys = said["keys"].as_array().expect("keys").iter();
        keys.find(|it| it["key"] == key).expect("a key")["value"].clone()
    };
    assert_eq!(of("max-time"), serde_json::json!(["90"]));
    assert!(of("precision").is_null());
    let called = with("", "config");
    assert!(called.stdout.contains("config file ") && called.stdout.contains("libraries"));
    let called: Called = command().arg("config").output().expect("cpb starts").into();
    assert!(called.stdout.contains("no config file"), "{}", called.stdout);
}

#[test]
fn the_old_tools_ignore_it() {
    let folder = Folder::new("config-old");
    let (link, file) = (folder.0.join("bench"), folder.0.join("config.toml"));
    symlink(env!("CARGO_BIN_EXE_cpb"), &link).expect("a link");
    std::fs::write(&file, "nonsense").expect("our own folder");
    let output = Command::new(&link).arg("--help").env("CPB_CONFIG", &file).output();
    let called: Called = output.expect("it starts").into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    let output = Command::new(&link).arg("x").env("CPB_CONFIG", &file).output();
    let called: Called = output.expect("it starts").into();
    assert!(called.status == 2 && !called.stderr.contains("config"), "{}", called.stderr);
}
