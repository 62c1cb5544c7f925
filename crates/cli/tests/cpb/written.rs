//! Tests scripts for shells, and manual pages.

use crate::program::{Folder, says, succeeds};
use std::process::{Command, Stdio};

/// Whether a program is installed; tests that need a missing one are skipped.
fn is_there(program: &str) -> bool {
    let looked = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    looked.is_ok_and(|output| output.status.success())
}

#[test]
fn shells_take_the_scripts() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeds(&format!("completions {shell}")).stdout;
        says(&script, &["compare", "max-time", "doctor"]);
        assert!(!script.contains("worker"), "{shell} completes what is for cpb's own use");
        let file = folder.writes(shell, script);
        if is_there(shell) {
            let output = Command::new(shell).arg("-n").arg(&file).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn bash_completes_commands_and_options() {
    if !is_there("bash") {
        return;
    }
    let folder = Folder::new();
    let file = folder.writes("cpb", succeeds("completions bash").stdout);
    let complete = |words: &str, last: usize| {
        let script = format!(
            "source {file}; COMP_WORDS=({words}); COMP_CWORD={last}; \
             _cpb cpb \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last}-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).output();
        String::from_utf8(output.expect("bash is there").stdout).expect("UTF-8")
    };
    assert_eq!(complete("cpb comp", 1).trim(), "compare completions");
    assert_eq!(complete("cpb run --prec", 2).trim(), "--precision");
}

#[test]
fn every_command_has_a_page_that_man_renders() {
    let folder = Folder::new();
    succeeds(&format!("man {}", folder.word("")));
    let pages = std::fs::read_dir(folder.path("")).expect("our own folder");
    let pages: Vec<_> = pages.map(|page| page.expect("a page").path()).collect();
    let named = |name: &str| pages.iter().any(|page| page.ends_with(name));
    for name in ["cpb.1", "cpb-run.1", "cpb-compare.1", "cpb-chain-verify.1"] {
        assert!(named(name), "no {name} in {pages:?}");
    }
    assert!(!named("cpb-worker.1"));
    if is_there("man") {
        for page in &pages {
            let output = Command::new("man")
                .args(["--warnings", "-l"])
                .arg(page)
                .env("LC_ALL", "C.UTF-8")
                .stdin(Stdio::null())
                .output()
                .expect("it is there");
            let warnings = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && warnings.is_empty(), "{page:?}: {warnings}");
            assert!(!output.stdout.is_empty(), "{page:?}");
        }
    }
}
