//! Tests formats and files of all commands.

use crate::program::{Folder, cpb, refused, succeeds};
use serde_json::Value;

/// All formats; the first [`OF_LISTS`] show lists, too.
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
const OF_LISTS: usize = 4;

/// Formats that keep figures in series; they take one run.
const TRACKERS: [&str; 4] = ["bencher", "github-benchmark", "lnt", "openmetrics"];

fn saved(folder: &Folder) -> String {
    let path = folder.word("run.json");
    let line = "run sha3-256 sha3-512 --library native --precision 99%";
    succeeds(&format!("{line} --max-time 120 --sizes 64 --no-save --output {path}"));
    path
}

#[test]
fn each_command_has_each_format_or_says_why_not() {
    let folder = Folder::new();
    let run = saved(&folder);
    folder.succeeds(&format!("import {run}"));
    for (command, without) in [
        (format!("show {run}"), &[][..]),
        (format!("export {run}"), &[]),
        (format!("compare {run} {run}"), &TRACKERS[..]),
        (folder.line("history"), &FORMATS[OF_LISTS..]),
        (folder.line("history hash"), &FORMATS[OF_LISTS..]),
        ("list --library native".to_owned(), &FORMATS[OF_LISTS..]),
        ("list --libraries --library native".to_owned(), &FORMATS[OF_LISTS..]),
        ("primitive list".to_owned(), &FORMATS[OF_LISTS..]),
    ] {
        for format in FORMATS {
            let line = format!("{command} --format {format}");
            if without.contains(&format) {
                refused(&line, &["cannot show", format, "table, csv, json, markdown"]);
                continue;
            }
            let text = succeeds(&line).stdout;
            let begins = match format {
                "json" | "bencher" | "lnt" => "{",
                "junit" => "<?xml",
                "html" => "<!doctype html>",
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

#[test]
fn a_bound_is_no_figure_to_track() {
    let folder = Folder::new();
    let run = saved(&folder);
    let mut json: Value = serde_json::from_str(&folder.reads("run.json")).expect("JSON");
    let records = json["records"].as_array_mut().expect("records");
    assert_eq!(records[0]["subject"]["primitive"], "sha3-256");
    let figure = &mut records[0]["line"]["slope"];
    figure["upper_bound"] = true.into();
    figure["interval"] = Value::Null;
    folder.writes("run.json", json.to_string());
    for format in TRACKERS {
        let shown = succeeds(&format!("show {run} --format {format}")).stdout;
        assert!(!shown.contains("sha3-256 hash native"), "{shown}");
        assert!(shown.contains("sha3-512 hash native"), "the other is there: {shown}");
    }
}

#[test]
fn the_format_follows_the_name_of_the_file() {
    let folder = Folder::new();
    let run = saved(&folder);
    let write = |name: &str, more: &str| {
        let path = folder.word(name);
        let wrote = format!("wrote {path}");
        cpb(&format!("show {run} --output {path} {more}")).fails(0, &[&wrote]);
        folder.reads(name)
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
