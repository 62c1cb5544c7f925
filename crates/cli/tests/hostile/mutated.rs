//! Tests randomly mutated files: whatever they contain, every command ends by
//! itself, soon, in little memory, with one of its exit statuses, and prints
//! nothing that affects a terminal.
//!
//! Ordinary tests try a few; `cargo test -p cpb --test hostile -- --ignored` tries
//! thousands, or as many as `CPB_HOSTILE` says, from the seed `CPB_SEED`. A file
//! that breaks a rule is kept, and its path printed.

mod mutation;

use fastrand::Rng;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The limit holds for parent and worker alike.
const MOST_MEMORY: u64 = 200 << 20;
const MOST_SECONDS: &str = "60";

fn command(words: &[&str]) -> Command {
    // Both programs replace themselves by the program they start.
    let mut command = Command::new("prlimit");
    command.arg(format!("--data={MOST_MEMORY}"));
    command.args(["timeout", "--signal=KILL", MOST_SECONDS, env!("CARGO_BIN_EXE_cpb")]).args(words);
    command.stdin(Stdio::null()).env("CPB_CONFIG", "").env_remove("CPB_STORE");
    command
}

/// Returns the general rule that `output` breaks.
fn broken(output: &Output, statuses: &[i32]) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let is_harmful = |character: char| character != '\n' && !cpb_model::is_harmless(character);
    match output.status.code() {
        None => Some(format!("ended by {}", output.status)),
        Some(status) if !statuses.contains(&status) => Some(format!("exit status {status}")),
        _ if text.contains("internal error") => Some("an internal error".to_owned()),
        _ if text.chars().any(is_harmful) => Some("something that acts on a terminal".to_owned()),
        _ => None,
    }
}

/// Calls cpb with `words`, and returns the rule that it breaks.
fn breaks(words: &[&str], statuses: &[i32]) -> Option<String> {
    let output = command(words).output().expect("prlimit is there");
    let what = broken(&output, statuses)?;
    let told = String::from_utf8_lossy(&output.stderr).chars().take(300).collect::<String>();
    Some(format!("{what}: {}\n{told}", words.join(" ")))
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Keeps a file that broke a rule.
fn kept(path: &Path, name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::copy(path, &place);
    place
}

/// Tries `count` files, on two threads, and reports all that broke a rule.
fn sweep(count: u64, attempt: impl Fn(u64, &mut Rng) -> Vec<String> + Sync) {
    let seed = number("CPB_SEED", 1);
    let attempt = &attempt;
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads = [0, 1].map(|thread| {
            scope.spawn(move || {
                let own = (0..count).filter(|number| number % 2 == thread);
                own.flat_map(|number| attempt(number, &mut Rng::with_seed(seed << 32 | number)))
                    .collect::<Vec<_>>()
            })
        });
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    let shown = wrong.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} files, seed {seed}:\n{shown}", wrong.len());
}

/// Makes a run of one row with its samples, as small as possible.
fn run(folder: &Path) -> String {
    let line = "run sha3-256 --library native --backend portable --precision 99% --sizes 64 --raw \
                --no-save --format json";
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = command(&words).current_dir(folder).output().expect("prlimit is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut run: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cpb's JSON");
    let points = run["records"][0]["points"].as_array_mut().expect("points");
    points.truncate(3);
    for point in points {
        point["raw"].as_array_mut().expect("rounds").truncate(2);
    }
    run.to_string()
}

fn mutated_runs(count: u64) {
    let folder = TempDir::new().expect("a folder");
    let whole = run(folder.path());
    let whole_file = folder.path().join("whole.json");
    std::fs::write(&whole_file, &whole).expect("ours");
    let whole_file = whole_file.display().to_string();
    let elsewhere = whole.replacen("\"cpu\":\"", "\"cpu\":\"another ", 1);
    sweep(count, |number, random| {
        let path = folder.path().join(format!("{number}.json"));
        // One in a hundred is measured again; the others are from another machine.
        let text = if number % 100 == 0 { &whole } else { &elsewhere };
        std::fs::write(&path, mutation::json(text, random)).expect("ours");
        let file = path.display().to_string();
        let store = folder.path().join(format!("{number}.sqlite")).display().to_string();
        let page = folder.path().join(format!("{number}.html")).display().to_string();
        let plain = &[0, 1, 2][..];
        let calls: [(&[&str], &[i32]); 8] = [
            (&["show", &file], plain),
            (&["import", &file, "--store", &store], plain),
            (&["gate", "--baseline", &file, "--max-time", "1", "--no-save"], &[0, 1, 2, 3]),
            (&["compare", &whole_file, &file], plain),
            (&["report", &file, &whole_file, "--html", &page, "--markdown"], plain),
            (&["plot", &file, "-o", "-"], plain),
            (&["export", &file, "--format", "csv"], plain),
            (&["history", "hash", "--store", &store], plain),
        ];
        let wrong: Vec<String> =
            calls.into_iter().filter_map(|(words, statuses)| breaks(words, statuses)).collect();
        if !wrong.is_empty() {
            kept(&path, &format!("hostile-{number}.json"));
        }
        for name in ["json", "sqlite", "sqlite-wal", "sqlite-shm", "html"] {
            let _ = std::fs::remove_file(folder.path().join(format!("{number}.{name}")));
        }
        wrong
    });
}

fn corrupt_stores(count: u64) {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("run.json");
    let whole = run(folder.path());
    let base = folder.path().join("base.sqlite").display().to_string();
    for id in 1..=4 {
        let mut run: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
        run["id"] = uuid::Uuid::from_u128(id).to_string().into();
        std::fs::write(&file, run.to_string()).expect("ours");
        let file = file.display().to_string();
        assert_eq!(breaks(&["import", &file, "--store", &base], &[0]), None);
    }
    assert_eq!(breaks(&["label", "2", "second", "--store", &base], &[0]), None);
    let content = std::fs::read(&base).expect("ours");
    let new = folder.path().join("new.json").display().to_string();
    std::fs::write(&new, &whole).expect("ours");
    sweep(count, |number, random| {
        let path = folder.path().join(format!("{number}.sqlite"));
        let corrupt = mutation::bytes(&content, random);
        std::fs::write(&path, &corrupt).expect("ours");
        let store = path.display().to_string();
        let calls: [&[&str]; 7] = [
            &["history", "--store", &store],
            &["history", "hash", "--store", &store],
            &["machines", "--store", &store],
            &["show", "second", "--raw", "--format", "json", "--store", &store],
            &["import", &new, "--store", &store],
            &["label", "1", "first", "--store", &store],
            &["delete", "3", "--store", &store],
        ];
        let wrong: Vec<String> =
            calls.into_iter().filter_map(|words| breaks(words, &[0, 1, 2])).collect();
        if !wrong.is_empty() {
            std::fs::write(&path, &corrupt).expect("ours");
            kept(&path, &format!("hostile-{number}.sqlite"));
        }
        for name in ["sqlite", "sqlite-wal", "sqlite-shm", "sqlite-journal"] {
            let _ = std::fs::remove_file(folder.path().join(format!("{number}.{name}")));
        }
        wrong
    });
}

#[test]
fn mutated_runs_break_no_command() {
    mutated_runs(12);
}

#[test]
fn corrupt_stores_break_no_command() {
    corrupt_stores(16);
}

#[test]
#[ignore = "the same, thousands of times"]
fn thousands_of_mutated_runs_break_no_command() {
    mutated_runs(number("CPB_HOSTILE", 2_000));
}

#[test]
#[ignore = "the same, thousands of times"]
fn thousands_of_corrupt_stores_break_no_command() {
    corrupt_stores(number("CPB_HOSTILE", 2_500));
}
