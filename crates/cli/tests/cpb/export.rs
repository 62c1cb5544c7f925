//! Tests formats and files of all commands.

use crate::program::{Folder, cpb, nowhere, refused, succeeds};
use serde_json::Value;
use std::path::Path;

const FORMATS: [&str; 12] = [
    "table",
    "csv",
    "json",
    "markdown",
    "junit",
    "html",
    "bencher",
    "github-annotations",
    "github-benchmark",
    "lnt",
    "openmetrics",
    "supercop",
];

/// Formats that keep figures in series; they take one run.
const TRACKERS: [&str; 4] = ["bencher", "github-benchmark", "lnt", "openmetrics"];

/// Formats that do not show lists.
const OF_RUNS: [&str; 8] = [
    "junit",
    "html",
    "bencher",
    "github-annotations",
    "github-benchmark",
    "lnt",
    "openmetrics",
    "supercop",
];

fn saved(folder: &Folder) -> String {
    let path = folder.0.join("run.json").display().to_string();
    let line = "run sha3-256 --library native --backend portable,avx2 --precision 99% --max-time 120 --sizes 64";
    succeeds(&format!("{line} --no-save --output {path}"));
    path
}

#[test]
fn each_command_has_each_format_or_says_why_not() {
    let folder = Folder::new("formats");
    let run = saved(&folder);
    let store = folder.0.join("runs.sqlite").display().to_string();
    succeeds(&format!("import {run} --store {store}"));
    for (command, without) in [
        (format!("show {run}"), &[][..]),
        (format!("export {run}"), &[]),
        (format!("compare {run} {run}"), &TRACKERS[..]),
        (format!("history --store {store}"), &OF_RUNS[..]),
        (format!("history hash --store {store}"), &OF_RUNS[..]),
        ("list --library native".to_owned(), &OF_RUNS[..]),
        ("list --libraries --library native".to_owned(), &OF_RUNS[..]),
        ("primitive list".to_owned(), &OF_RUNS[..]),
    ] {
        for format in FORMATS {
            let line = format!("{command} --format {format}");
            if without.contains(&format) {
                refused(&line, &["cannot show", format, "table, csv, json, markdown"]);
                continue;
            }
            let text = succeeds(&line).stdout;
            let begins = match format {
                "json" => "{",
                "markdown" => "",
                "junit" => "<?xml",
                "html" => "<!doctype html>",
                "bencher" | "lnt" => "{",
                "github-benchmark" => "[",
                "supercop" => "cpb-",
                "openmetrics" => "# TYPE cpb_cycles_per_byte gauge\n",
                _ => "",
            };
            // If nothing is wrong, there are no annotations.
            assert_eq!(text.is_empty(), format == "github-annotations", "{line}:\n{text}");
            assert!(text.starts_with(begins), "{line}:\n{text}");
            match format {
                "json" | "bencher" | "github-benchmark" | "lnt" => {
                    drop(serde_json::from_str::<Value>(&text).expect("JSON"));
                }
                "markdown" => assert!(text.contains("|---"), "{line}:\n{text}"),
                "junit" => drop(roxmltree::Document::parse(&text).expect("XML")),
                "csv" => {
                    let fields = |line: &str| line.split(',').count();
                    let header = text.lines().next().map(fields).expect("a header");
                    let plain = text.lines().filter(|line| !line.contains('"'));
                    assert!(plain.clone().all(|it| fields(it) == header), "{line}:\n{text}");
                }
                _ => {}
            }
        }
    }
}

fn read(run: &str) -> Value {
    let text = std::fs::read_to_string(run).expect("the run");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_bound_is_no_figure_to_track() {
    let folder = Folder::new("bounds");
    let run = saved(&folder);
    let mut json = read(&run);
    let records = json["records"].as_array_mut().expect("records");
    let bounded = records[0]["subject"]["backend"].as_str().expect("a name").to_owned();
    let figure = &mut records[0]["line"]["slope"];
    figure["upper_bound"] = true.into();
    figure["interval"] = Value::Null;
    std::fs::write(&run, json.to_string()).expect("written");
    for format in TRACKERS {
        let shown = succeeds(&format!("show {run} --format {format}")).stdout;
        assert!(!shown.contains(&format!("native:{bounded}")), "{shown}");
        assert!(shown.contains("sha3-256 hash native:"), "the other is there: {shown}");
    }
}

#[test]
fn the_format_follows_the_name_of_the_file() {
    let folder = Folder::new("endings");
    let run = saved(&folder);
    let write = |name: &str, more: &str| {
        let path = folder.0.join(name).display().to_string();
        let called = succeeds(&format!("show {run} --output {path} {more}"));
        assert_eq!(called.stdout, "");
        assert!(called.stderr.contains(&format!("wrote {path}")), "{}", called.stderr);
        std::fs::read_to_string(path).expect("it was written")
    };
    let printed = |format: &str| succeeds(&format!("show {run} --format {format}")).stdout;
    for (name, format) in [
        ("a.txt", "table"),
        ("a.csv", "csv"),
        ("a.JSON", "json"),
        ("a.md", "markdown"),
        ("a.xml", "junit"),
        ("a.html", "html"),
        ("a.prom", "openmetrics"),
        ("a", "table"),
        ("a.other", "table"),
    ] {
        assert_eq!(write(name, ""), printed(format), "{name}");
    }
    assert_eq!(write("a.md", "--format csv"), printed("csv"));
    let coloured = write("b.txt", "--color always");
    assert!(!coloured.contains('\u{1b}'), "{coloured}");
    assert!(cpb(&format!("show {run} --color always")).stdout.contains('\u{1b}'));
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_measured() {
    let file = nowhere("a.csv");
    for line in [
        "run sha3-256 --output",
        "bench --output",
        "compare native:portable native --output",
        "doctor --output",
        "recursive -o",
        "primitive hash-sha-3-256 --message-size 1 --output",
    ] {
        refused(&format!("{line} {file}"), &[&format!("cannot write '{file}'")]);
    }
    refused("show --format xml", &["xml", "table, csv, json, markdown, junit, html, bencher"]);
    assert!(!Path::new(&nowhere("")).exists());
}

#[test]
fn supercops_database_has_a_line_for_each_length() {
    let called = succeeds(
        "run sha256 hmac-sha256 --library native --backend portable --sizes 64,576 --precision \
         99% --max-time 60 --no-save --format supercop",
    );
    let lines: Vec<Vec<&str>> =
        called.stdout.lines().map(|line| line.split(' ').collect()).collect();
    let of = |operation: &str, primitive: &str, what: &str| -> Vec<&[&str]> {
        let is_it = |line: &&Vec<&str>| line[4..7] == [operation, primitive, what];
        lines.iter().filter(is_it).map(|line| &line[7..]).collect()
    };
    for (operation, primitive) in
        [("crypto_hash", "sha256/timingleaks"), ("crypto_auth", "hmac-sha256/timingleaks")]
    {
        let implementation = of(operation, primitive, "implementation");
        assert_eq!(implementation[0][0], "native/portable", "{}", called.stdout);
        let cycles = of(operation, primitive, "cycles");
        for length in ["64", "576"] {
            let line = cycles.iter().find(|line| line[0] == length).expect("a line");
            assert!(line[1].parse::<u64>().is_ok(), "whole cycles: {line:?}");
        }
    }
    let version = format!("cpb-{}", env!("CARGO_PKG_VERSION"));
    assert!(lines.iter().all(|line| line[0] == version && line[3].len() == 8));

    // An exported run can be imported, and appears beside other runs.
    let folder = Folder::new("database");
    let [data, store] =
        ["data", "runs.sqlite"].map(|name| folder.0.join(name).display().to_string());
    std::fs::write(&data, format!("{}cut of", called.stdout)).expect("a file");
    let imported = succeeds(&format!("import {data} --store {store}"));
    assert!(imported.stdout.ends_with(", 2 rows\n"), "{}", imported.stdout);
    assert!(imported.stderr.contains("line 21: it has 2 words"), "{}", imported.stderr);
    refused(&format!("import {data} --store {store}"), &["is already saved here, as run 1"]);
    let run = succeeds(&format!("show 1 --format json --store {store}")).stdout;
    let run: cpb_model::Run = serde_json::from_str(&run).expect("a run");
    let hash = &run.records[0];
    assert_eq!(hash.subject.library, "supercop");
    assert_eq!((&hash.subject.primitive[..], hash.subject.operation.name()), ("sha256", "hash"));
    let cycles = of("crypto_hash", "sha256/timingleaks", "cycles");
    let at_576 = cycles.iter().find(|line| line[0] == "576").expect("a line")[1];
    let point = hash.points.iter().find(|it| it.parameters.message_bytes == 576).expect("a point");
    assert_eq!(point.cycles_per_call.estimate.to_string(), at_576);
    assert_eq!(point.cycles_per_call.interval, None);
    let shown = succeeds(&format!("show 1 --store {store} --sizes 64,576"));
    assert!(shown.stdout.contains("native/portable"), "{}", shown.stdout);
}
