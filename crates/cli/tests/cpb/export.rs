//! Formats and files, whatever the command.

use crate::program::{Folder, cpb, refused, succeeds};
use std::path::Path;

const FORMATS: [&str; 6] = ["table", "csv", "json", "markdown", "junit", "html"];

fn saved(folder: &Folder) -> String {
    let path = folder.0.join("run.json").display().to_string();
    let line = "run sha3-256 --library native --backend portable,avx2 --precision 99% --max-time 20 --sizes 64";
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
        (format!("compare {run} {run}"), &[]),
        (format!("history --store {store}"), &["junit", "html"]),
        (format!("history hash --store {store}"), &["junit", "html"]),
        ("list --library native".to_owned(), &["junit", "html"]),
        ("list --libraries --library native".to_owned(), &["junit", "html"]),
        ("primitive list".to_owned(), &["junit", "html"]),
    ] {
        for format in FORMATS {
            let line = format!("{command} --format {format}");
            if without.contains(&format) {
                refused(&line, &["nothing that", format, "table, csv, json, markdown"]);
                continue;
            }
            let text = succeeds(&line).stdout;
            let begins = match format {
                "json" => "{",
                "markdown" => "",
                "junit" => "<?xml",
                "html" => "<!doctype html>",
                _ => "",
            };
            assert!(text.len() > 20 && text.starts_with(begins), "{line}:\n{text}");
            match format {
                "json" => drop(serde_json::from_str::<serde_json::Value>(&text).expect("JSON")),
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
    for line in [
        "run sha3-256 --output /nonexistent/a.csv",
        "bench --output /nonexistent/a.csv",
        "compare native:portable native --output /nonexistent/a.csv",
        "doctor --output /nonexistent/a.csv",
        "recursive -o /nonexistent/a.csv",
        "primitive hash-sha-3-256 --message-size 1 --output /nonexistent/a.csv",
    ] {
        refused(line, &["cannot write '/nonexistent/a.csv'"]);
    }
    refused("show --format xml", &["xml", "table, csv, json, markdown, junit, html"]);
    assert!(!Path::new("/nonexistent").exists());
}
