//! Tests help, version and wrong use.

use crate::program::{Called, Folder, command, cpb, refused, succeeds};

#[test]
fn help_and_version_are_results() {
    for line in [
        "--help",
        "--version",
        "run --help",
        "bench --help",
        "doctor --help",
        "list --help",
        "slope --help",
        "compare --help",
        "gate --help",
        "plot --help",
        "links --help",
        "recursive --help",
        "chain --help",
        "chain verify --help",
        "chain make --help",
        "history --help",
        "show --help",
        "label --help",
        "export --help",
        "import --help",
        "delete --help",
        "primitive --help",
    ] {
        assert!(!succeeds(line).stdout.is_empty(), "{line}");
    }
    assert!(!cpb("--help").stdout.contains("worker"));
}

/// Commands that take long, need Slurm, or run until they are stopped.
const NOT_RUN: [&str; 3] = ["scale", "fleet", "serve"];

#[test]
fn help_begins_with_examples_that_run_as_they_stand() {
    let folder = Folder::new("examples");
    let own = folder.0.join(".bin");
    std::fs::create_dir(&own).expect("ours");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cpb"), own.join("cpb")).expect("ours");
    let search = std::env::var("PATH").unwrap_or_default();
    let run = |line: &str| -> Called {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", line]).current_dir(&folder.0);
        shell.env("PATH", format!("{}:{search}", own.display())).env("CPB_CONFIG", "");
        shell.env("XDG_DATA_HOME", folder.0.join(".data"));
        shell.env("XDG_STATE_HOME", folder.0.join(".state"));
        shell.env("CPB_MACHINE", "simulated:0").env("CPB_ASSUME_QUIET", "1");
        shell.env_remove("CPB_STORE").output().expect("a shell").into()
    };
    let help = run("cpb -h").stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.is_empty())
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.get(15..)?.split_whitespace().next())
        .filter(|word| word.chars().all(|it| it.is_ascii_lowercase()))
        .collect();
    assert!(commands.contains(&"run") && commands.contains(&"doctor"), "{commands:?}");
    // The code above finds only the first command of a line that lists several.
    let others = ["export", "import", "machines", "delete", "completions", "man", "primitive"];
    let others = others.into_iter().chain(["bench", "recursive", "chain", "links"]);
    for command in commands.into_iter().filter(|it| !NOT_RUN.contains(it)).chain(others) {
        // These words mean something else in other commands.
        if ["gate", "delete"].contains(&command) {
            let saved = run("cpb run sha256 --library native --backend portable --sizes 64,1024");
            assert_eq!(saved.status, 0, "{}", saved.stderr);
        }
        let help = run(&format!("cpb {command} -h")).stdout;
        let mut lines = help.lines().skip(1).skip_while(|line| line.is_empty());
        assert_eq!(lines.next(), Some("Examples:"), "{help}");
        let mut examples = lines.take_while(|line| !line.is_empty()).peekable();
        assert!(examples.peek().is_some(), "{help}");
        for example in examples {
            let example = example.trim();
            assert!(example.starts_with(&format!("cpb {command}")), "{example}");
            let Called { status, stderr, .. } = run(example);
            let is_fine = match status {
                0 => true,
                1 => command == "doctor" || stderr.contains("not installed"),
                3 => command == "gate" || example.contains("--fail-if"),
                _ => false,
            };
            assert!(is_fine, "{example} ended with {status}: {stderr}");
        }
    }
}

#[test]
fn the_build_is_told_where_it_is_asked_for() {
    for line in ["--version --verbose", "--verbose --version"] {
        let told = succeeds(line).stdout;
        let begins = format!("cpb {}\nrevision: ", env!("CARGO_PKG_VERSION"));
        assert!(told.starts_with(&begins), "{told}");
        for name in ["compiler: rustc ", "target: ", "features: ", "shims: ", "without shims: "] {
            assert!(told.contains(&format!("\n{name}")), "{name}: {told}");
        }
    }
    refused("--verbose list", &["--version"]);
}

#[test]
fn wrong_numbers_of_trials_are_refused() {
    for number in ["0", "1", "-5", "abc", "99999999999999999999", "1000001", "2.5"] {
        refused(&format!("bench {number}"), &[number, "whole number from 2 to 1000000"]);
    }
}

#[test]
fn unknown_words_are_named_with_their_nearest() {
    refused("run sha3-257 --library native", &["sha3-257", "Did you mean 'sha3-256'"]);
    refused("run sha3-256 nosuch --library native", &["nosuch", "Nearest:", "cpb list"]);
    refused("run --backend avx521", &["avx521", "avx512", "Did you mean"]);
    refused("bench --backend nosuch", &["nosuch", "Known: portable"]);
    refused("bench --counter amd64-tcs", &["amd64-tcs", "Did you mean 'amd64-tsc'"]);
    refused("bnech", &["bnech", "bench"]);
    refused("rnu", &["rnu", "'run'"]);
    refused("chain mkae", &["mkae", "'make'"]);
    refused("bench --fromat csv", &["--fromat", "--format"]);
    refused("bench --format cvs", &["cvs", "csv"]);
    refused("", &["Usage"]);
}

#[test]
fn a_word_that_is_known_is_not_suggested() {
    let folder = Folder::new("known-words");
    let store = folder.0.join("runs.sqlite").display().to_string();
    let line = "run chacha20 --library native --backend portable --sizes 64 --precision 99%";
    succeeds(&format!("{line} --store {store}"));
    let called = cpb(&format!("history hash --store {store}"));
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stderr.contains("no saved run has 'hash'"), "{}", called.stderr);
    let called = cpb(&format!("gate hash --baseline latest --store {store}"));
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stderr.contains("the saved run has no 'hash'"), "{}", called.stderr);
    refused(&format!("history chacha2 --store {store}"), &["Did you mean 'chacha20'"]);
    succeeds(&format!("delete latest --store {store}"));
    for selector in ["hash", "sha256", "nosuch"] {
        let called = cpb(&format!("history {selector} --store {store}"));
        assert_eq!(called.status, 1, "{}", called.stderr);
        assert!(called.stderr.contains("no runs are saved yet"), "{}", called.stderr);
        assert!(!called.stderr.contains("nearest"), "{}", called.stderr);
    }
}

#[test]
fn wrong_values_are_refused() {
    refused("bench --src-lens 0", &["--src-lens", "no bytes"]);
    refused("bench --src-lens 64,,128", &["--src-lens"]);
    refused("bench --src-lens 64,-1", &["-1"]);
    refused("bench --dst-lens 0", &["--dst-lens"]);
    refused("bench --src-lens 99999999999999999999", &["99999999999999999999"]);
    refused("bench --cpu-mhz 0", &["--cpu-mhz", "MHz"]);
    refused("bench --cpu-mhz -3", &["-3"]);
    refused("bench --cpu-mhz fast", &["fast"]);
    refused("bench --cpu 4000", &["4000", "allowed"]);
    refused("bench --timeout 0", &["--timeout"]);
    refused("bench --backend avx2 --all-backends", &["cannot be used with"]);
    refused("run --precision 0", &["--precision", "percentage"]);
    refused("run --precision 200%", &["200%"]);
    refused("run --max-time 0", &["--max-time"]);
    refused("run --sizes 0", &["--sizes"]);
    refused("worker --nonsense", &["--nonsense"]);
}

#[test]
fn a_machine_that_is_not_known_is_not_this_one() {
    for machine in ["simulatd:1", "simulated", "simulated:one", "SIMULATED:1", ""] {
        let output =
            command().env("CPB_MACHINE", machine).arg("list").output().expect("cpb starts");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{machine}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(&format!("'{machine}'; it is simulated:SEED")), "{told}");
    }
}

#[test]
fn the_worker_refuses_what_is_no_request() {
    let mut child = command()
        .arg("worker")
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("cpb starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"hello\n").expect("open");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("own use"));
}

#[test]
fn what_everybody_knows_is_no_misspelling() {
    for name in ["bls12-381", "BLS12_381", "elgamal-2048"] {
        let called = cpb(&format!("run {name} --library native --no-save"));
        assert_eq!(called.status, 1, "{name}: {}", called.stderr);
        let words = format!("no library here has '{name}'");
        assert!(called.stderr.contains(&words), "{}", called.stderr);
        assert!(!called.stderr.contains("Did you mean"), "{}", called.stderr);
    }
    refused("run rsb --library native", &["unknown selector 'rsb'"]);
    let called = cpb("list ecdsa-p257");
    let words = "no library here has 'ecdsa-p257'; the nearest is 'ecdsa-p256'";
    assert!(called.stderr.contains(words), "{}", called.stderr);
}

#[test]
fn a_selector_that_means_nothing_here_is_named() {
    let line = "run chain-logic fnv1a-64 --library selftest --max-time 2 --no-save";
    refused(line, &["unknown selector 'fnv1a-64'"]);
    let called = cpb("run chain-logic sha256 --library selftest --max-time 2 --no-save");
    let words = "none of the libraries asked for has: sha256";
    assert!(called.stderr.contains(words), "{}", called.stderr);
    let called = cpb("run sha256 hash --library native --max-time 2 --no-save");
    assert!(!called.stderr.contains("none of the libraries"), "{}", called.stderr);
}
