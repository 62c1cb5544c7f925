//! Tests libraries built for cpb, which are found in the user's folder and called by
//! name.

use crate::program::{Called, command};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Holds a test's own data home, with the sample provider as `mine` and a file that is
/// not a library.
struct Home(PathBuf);

impl Home {
    fn new(test: &str) -> Self {
        let home = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("built-{test}")));
        let libraries = home.0.join("cpb").join("libraries");
        let _ = std::fs::remove_dir_all(&home.0);
        std::fs::create_dir_all(&libraries).expect("a folder");
        std::fs::write(libraries.join("broken.so"), "no library").expect("a file");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims/sample_provider.c");
        let output = Command::new("cc")
            .args(["-std=c11", "-O2", "-shared", "-fPIC", "-o"])
            .args([&libraries.join("mine.so"), &source])
            .output()
            .expect("the linker that Rust needs compiles C, too");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        home
    }

    fn cpb(&self, line: &str) -> Called {
        let mut command = command();
        command.env("XDG_DATA_HOME", &self.0).args(line.split_whitespace());
        command.output().expect("cpb starts").into()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn they_are_listed_and_a_broken_one_is_a_line_with_its_reason() {
    let called = Home::new("list").cpb("list --libraries --format json");
    assert_eq!(called.status, 0, "{}", called.stderr);
    let listed: serde_json::Value = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
    let find = |label: &str| {
        let mut all = listed["libraries"].as_array().expect("libraries").iter();
        all.find(|it| it["label"] == label).expect("a line").clone()
    };
    let mine = find("mine");
    let path = mine["library"]["path"].as_str().expect("a path");
    assert!(path.ends_with("cpb/libraries/mine.so"), "{path}");
    assert_eq!(mine["implementations"], 3);
    let reason = find("broken")["missing"]["reason"].to_string();
    assert!(reason.contains("cannot load") && reason.contains("broken.so"), "{reason}");
}

#[test]
fn they_are_measured_without_a_path_and_a_broken_one_fails_no_run() {
    let home = Home::new("run");
    for library in ["", "--library mine"] {
        let line = format!(
            "run fnv1a-64 {library} --sizes 64 --precision 99% --max-time 60 --format json"
        );
        let called = home.cpb(&line);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
        assert_eq!(run.records.len(), 1);
        assert_eq!(run.records[0].subject.library, "mine");
        let left_out = called.stderr.lines().filter(|line| line.starts_with("info: without "));
        let left_out: Vec<&str> = left_out.collect();
        assert_eq!(left_out.len(), usize::from(library.is_empty()), "{}", called.stderr);
        assert!(left_out.iter().all(|line| line.contains("broken")), "{left_out:?}");
    }
    let called = home.cpb("run fnv1a-64 --library broken");
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stderr.contains("broken: cannot load"), "{}", called.stderr);
    let called = home.cpb("run fnv1a-64 --library mime");
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("mine"), "the nearest match: {}", called.stderr);
}
