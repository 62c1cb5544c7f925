//! Tests `cpb compare --git`: two commits of a library are checked out, built, measured and
//! removed.

use crate::program::{Called, Folder, call, command, press_ctrl_c, spawn, until};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const ABOUT: &str = "--provider libmine.so fnv1a-64 --sizes 64 --precision 20% --max-time 120";
const BUILD: &str = "cc -std=c11 -O2 -shared -fPIC -o libmine.so provider.c";

/// Holds a git repository with two commits of a provider, of which the second states
/// another version; and a folder for temporary files.
struct Repository {
    folder: Folder,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: Folder::new() };
        std::fs::create_dir(repository.temporary()).expect("our own folder");
        std::fs::create_dir(repository.path()).expect("our own folder");
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims");
        for file in ["cpb_provider.h", "sample_provider.c"] {
            let name = if file.ends_with(".c") { "provider.c" } else { file };
            std::fs::copy(include.join(file), repository.path().join(name)).expect("a copy");
        }
        repository.git(&["init", "--quiet"]);
        repository.commit("first", "v1");
        std::fs::write(repository.path().join("README"), "second").expect("our own folder");
        repository.commit("second", "v2");
        repository
    }

    fn path(&self) -> PathBuf {
        self.folder.path("repository")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path("temporary")
    }

    fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
            .args(words)
            .current_dir(self.path())
            .output()
            .expect("git is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn commit(&self, message: &str, tag: &str) {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["tag", tag]);
    }

    fn compare(&self, words: &[&str]) -> Command {
        let mut command = command();
        command.args(["compare", "--no-save", "--git"]).args(words);
        command.current_dir(self.path()).env("TMPDIR", self.temporary());
        command
    }

    /// Checks that no folder is left, and no worktree known to git.
    fn assert_clean(&self) {
        let left: Vec<_> = std::fs::read_dir(self.temporary()).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
        let worktrees = self.git(&["worktree", "list", "--porcelain"]);
        assert_eq!(worktrees.matches("worktree ").count(), 1, "{worktrees}");
    }
}

#[test]
fn two_commits_of_a_provider_are_compared() {
    let repository = Repository::new();
    let about: Vec<&str> = ABOUT.split(' ').collect();
    let words = [&["v1", "HEAD", "--build", BUILD, "--format", "json"], &about[..]].concat();
    let result: Value = call(&mut repository.compare(&words)).ends(0, &[]).json();
    assert!(result["a"].as_str().is_some_and(|name| name.starts_with("v1 (")), "{}", result["a"]);
    assert!(result["b"].as_str().is_some_and(|name| name.starts_with("HEAD (")), "{}", result["b"]);
    assert_eq!(result["workloads"][0]["primitive"], "fnv1a-64");
    let hash = repository.git(&["rev-parse", "v1"]);
    let label = result["run"]["libraries"][0]["label"].as_str().expect("a label").to_owned();
    assert!(label.starts_with(&format!("{}:mine=", &hash[..10])), "{label}");
    repository.assert_clean();
}

/// Compares one pair of commits after another: each side has a history.
#[test]
fn commits_continue_the_history_of_their_side() {
    let repository = Repository::new();
    let store = repository.folder.path("runs.sqlite");
    let cpb = |words: &[&str]| -> Called {
        let mut command = command();
        command.args(words).arg("--store").arg(&store).current_dir(repository.path());
        call(command.env("TMPDIR", repository.temporary()))
    };
    let about: Vec<&str> = ABOUT.split(' ').collect();
    let compare = |revisions: [&str; 2]| {
        let words = [&["compare", "--git"], &revisions[..], &["--build", BUILD], &about].concat();
        cpb(&words).ends(0, &[]);
        revisions.map(|it| repository.git(&["rev-parse", it]).trim().to_owned())
    };
    let first = compare(["v1", "v2"]);
    std::fs::write(repository.path().join("README"), "third").expect("our own folder");
    repository.commit("third", "v3");
    let second = compare(["v2", "v3"]);
    let result: Value = cpb(&["history", "fnv1a-64", "--format", "json"]).json();
    let history = result["history"].as_array().expect("a list");
    let commits = |library: &str| -> Vec<String> {
        let is_of = |it: &&Value| it["library"] == library;
        let found: Vec<&Value> = history.iter().filter(is_of).collect();
        assert_eq!(found.len(), 1, "{library} of {result}");
        let readings = found[0]["readings"].as_array().expect("a list").iter();
        readings.map(|it| it["build"]["commit"].as_str().expect("a hash").to_owned()).collect()
    };
    assert_eq!(history.len(), 2, "{result}");
    assert_eq!(commits("mine=a/libmine.so"), [&*first[0], &*second[0]]);
    assert_eq!(commits("mine=b/libmine.so"), [&*first[1], &*second[1]]);
}

#[test]
fn nothing_is_left_after_ctrl_c_or_a_kill() {
    let repository = Repository::new();
    let begun = repository.folder.path("begun");
    let build = format!("touch {}; sleep 600", begun.display());
    for signal in ["INT", "KILL"] {
        let _ = std::fs::remove_file(&begun);
        let mut cpb = repository.compare(&["v1", "v2", "--build", &build, "--provider", "x.so"]);
        let mut child = spawn(cpb.process_group(0));
        until(|| begun.exists());
        if signal == "INT" {
            press_ctrl_c(&child);
        } else {
            child.kill().expect("it runs");
        }
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), (signal == "INT").then_some(130));
        let is_empty =
            || std::fs::read_dir(repository.temporary()).expect("a folder").next().is_none();
        until(is_empty);
        repository.assert_clean();
    }
}
