//! Tests `cpb primitive` and the link `milo`.

use crate::program::{Called, command, cpb, refused, succeeds};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;

/// The names that milo 0.2.0 lists, without and with `--advanced`.
const NAMES: &str = include_str!("milo/names.txt");
const ADVANCED: &str = include_str!("milo/advanced.txt");

/// Few calls are enough, because the tests do not depend on speed.
const QUICK: &str = "--repeats-time=2 --repeats-warm=0";
const EVERY_PARAMETER: &str = "--message-size=64 --bytes-size=64 --key-size=32 --ikm-size=16 \
    --salt-size=8 --info-size=4 --iterations=3 --aad-size=5";

/// Calls cpb through the link `milo`.
fn milo(line: &str) -> Called {
    let called = command().arg0("milo").args(line.split_whitespace()).output();
    called.expect("cpb starts").into()
}

fn json(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).expect("JSON")
}

/// Returns the entry of `name` in the output of `cpb primitive NAME …`.
fn entry(name: &str, parameters: &str) -> Value {
    let called = succeeds(&format!("primitive {name} {parameters} {QUICK}"));
    json(&called)["benchmark"]["primitive"][name].clone()
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn milos_lists_are_the_same() {
    for (line, names) in [
        ("benchmark primitive list", NAMES),
        ("--advanced benchmark primitive list", ADVANCED),
        ("--verbose benchmark --repeats-time=8 primitive list", NAMES),
    ] {
        let called = milo(line);
        assert_eq!((called.status, called.stdout.as_str()), (0, names), "{}", called.stderr);
    }
    assert_eq!((NAMES.lines().count(), ADVANCED.lines().count()), (37, 86));
}

#[test]
fn our_lists_have_these_names_and_ours() {
    let plain = succeeds("primitive list").stdout;
    let plain: BTreeSet<&str> = plain.lines().collect();
    assert!(NAMES.lines().all(|name| plain.contains(name)));
    assert!(plain.contains("hash-sha-3-256") && !plain.contains("hash-sha-3-256-sw"));
    let advanced = succeeds("primitive list --advanced").stdout;
    let advanced: BTreeSet<&str> = advanced.lines().collect();
    assert!(ADVANCED.lines().all(|name| advanced.contains(name)));
    for name in [
        "hash-sha-3-256-sw",
        "hash-sha-3-256-hw-x86-64-avx-512",
        "codec-base-64-hw-x86-64-avx-2-decode",
        "codec-base-16-hw-arm-64-neon-encode",
    ] {
        assert!(advanced.contains(name), "{name}");
    }
    let table = succeeds("primitive list --advanced --format table").stdout;
    let foreign = if cfg!(target_arch = "aarch64") { "avx512" } else { "neon" };
    assert!(table.contains(&format!("backend {foreign} is for")), "{table}");
    let listed = json(&succeeds("primitive list --format json"));
    assert_eq!(listed["primitives"].as_array().expect("a list").len(), plain.len());
    let csv = succeeds("primitive list --format csv").stdout;
    assert_eq!(csv.lines().count(), plain.len() + 1);
}

#[test]
fn every_name_runs_or_says_why() {
    let called = cpb(&format!("primitive * --advanced {EVERY_PARAMETER} {QUICK}"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    let document = json(&called);
    let entries = document["benchmark"]["primitive"].as_object().expect("entries");
    let (mut run, mut unavailable) = (0, 0);
    for name in succeeds("primitive list --advanced").stdout.lines() {
        if let Some(entry) = entries.get(name) {
            let nanoseconds = entry["metrics"]["duration"]["nanoseconds_per_call"].as_f64();
            assert!(nanoseconds.is_some_and(|ns| ns > 0.0), "{name}: {entry}");
            assert_ne!(entry["verified"], "unverified", "{name}");
            run += 1;
        } else {
            assert!(called.stderr.contains(&format!("without {name}: ")), "{name}");
            unavailable += 1;
        }
    }
    println!("primitive names: run={run} unavailable={unavailable}");
    assert!(run >= 12, "{}", called.stderr);
    assert_eq!(run, entries.len());
}

#[test]
fn the_json_has_milos_shape() {
    let name = "hash-sha-3-256";
    let called = succeeds(&format!(
        "primitive {name} --message-size=512 --cpu-clock=3500 --repeats-time=40"
    ));
    assert_eq!(called.stdout.lines().count(), 1, "one line in a pipe");
    let document = json(&called);
    assert_eq!(keys(&document), ["benchmark"]);
    assert_eq!(keys(&document["benchmark"]), ["primitive"]);
    assert_eq!(keys(&document["benchmark"]["primitive"]), [name]);
    let entry = &document["benchmark"]["primitive"][name];
    assert_eq!(keys(entry), ["backend", "config", "counter", "metrics", "verified"]);
    let metrics = &entry["metrics"];
    assert_eq!(keys(metrics), ["cpu", "duration", "throughput"]);
    assert_eq!(
        keys(&metrics["cpu"]),
        ["clock", "clock_source", "cycles_per_byte", "cycles_per_call"]
    );
    assert_eq!(keys(&metrics["throughput"]), ["gigabytes_per_second", "megabytes_per_second"]);
    assert_eq!(
        keys(&metrics["duration"]),
        ["calls", "interval", "median", "nanoseconds_per_call", "processes", "spread"]
    );
    assert_eq!(keys(&entry["config"]), ["benchmark", "input"]);
    assert_eq!(entry["config"]["input"], serde_json::json!({ "message-size": 512 }));
    assert_eq!(
        entry["config"]["benchmark"],
        serde_json::json!({ "cpu-clock": 3_500_000_000_u64, "repeats-time": 40, "repeats-warm": 128 })
    );
    // All numbers of milo have six decimals.
    for key in
        ["cycles_per_byte", "cycles_per_call", "nanoseconds_per_call", "megabytes_per_second"]
    {
        let text = called.stdout.split(&format!("\"{key}\":")).nth(1).expect("a number");
        let number = text.split([',', '}']).next().expect("a number");
        assert_eq!(number.split('.').nth(1).map(str::len), Some(6), "{key}: {number}");
    }
    let number = |value: &Value| value.as_f64().expect("a number");
    let (cpu, nanoseconds) =
        (&metrics["cpu"], number(&metrics["duration"]["nanoseconds_per_call"]));
    assert_eq!(cpu["clock"], "stated");
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-5;
    assert!(near(number(&cpu["cycles_per_call"]), nanoseconds * 3.5));
    assert!(near(number(&cpu["cycles_per_byte"]) * 512.0, number(&cpu["cycles_per_call"])));
    let rate = number(&metrics["throughput"]["megabytes_per_second"]);
    assert!(near(rate, 512.0 / nanoseconds * 1e3));
    assert!(metrics["duration"]["calls"].as_u64() >= Some(40));
}

#[test]
fn without_a_stated_clock_it_is_measured_and_said() {
    let entry = entry("hash-sha-3-224", "--message-size=100");
    assert_eq!(entry["metrics"]["cpu"]["clock"], "measured");
    assert!(entry["config"]["benchmark"].get("cpu-clock").is_none());
    assert_eq!(entry["metrics"]["duration"]["processes"], 2);
}

#[test]
fn codecs_count_decoded_bytes_both_ways() {
    for name in ["codec-base-16", "codec-base-64"] {
        for direction in ["encode", "decode"] {
            for bytes in [1, 2, 3, 1000] {
                let entry = entry(&format!("{name}-{direction}"), &format!("--bytes-size={bytes}"));
                let cpu = &entry["metrics"]["cpu"];
                let per = |key: &str| cpu[key].as_f64().expect("a number");
                let counted = per("cycles_per_call") / per("cycles_per_byte");
                assert!((counted - f64::from(bytes)).abs() < 0.01 * f64::from(bytes), "{entry}");
                assert_ne!(entry["verified"], "unverified");
            }
        }
    }
}

#[test]
fn nothing_may_be_hashed_and_encoded() {
    for (name, parameter) in [
        ("hash-sha-3-512", "--message-size=0"),
        ("codec-base-64-encode", "--bytes-size=0"),
        ("codec-base-16-decode", "--bytes-size=0"),
    ] {
        let metrics = entry(name, parameter)["metrics"].clone();
        assert_eq!(keys(&metrics), ["cpu", "duration"], "{name}");
        assert!(metrics["cpu"].get("cycles_per_byte").is_none(), "{name}");
    }
}

#[test]
fn a_pattern_means_several_and_need_not_begin_where_names_do() {
    let line = format!("primitive base-64-* --bytes-size=48 {QUICK}");
    let document = json(&succeeds(&line));
    let names = keys(&document["benchmark"]["primitive"]);
    assert_eq!(names, ["codec-base-64-decode", "codec-base-64-encode"]);
}

#[test]
fn verbose_wraps_with_command_project_and_compiler() {
    let line =
        "--verbose benchmark --repeats-time=2 primitive codec-base-16-encode --bytes-size=16";
    let called = milo(line);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let document = json(&called);
    assert_eq!(keys(&document), ["command", "compiler", "project", "result"]);
    let args: Vec<&str> = line.split(' ').collect();
    assert_eq!(document["command"], serde_json::json!({ "dump": line, "args": args }));
    assert_eq!(keys(&document["compiler"]), ["name", "version"]);
    assert_eq!(document["compiler"]["name"], "rustc");
    assert_eq!(keys(&document["result"]), ["benchmark"]);
}

#[test]
fn table_and_csv_name_backend_and_parameters() {
    let line = format!("primitive codec-* --bytes-size=64 {QUICK}");
    let table = succeeds(&format!("{line} --format table")).stdout;
    for word in ["codec-base-64-decode", "ns/call", "c/B", "MB/s", "core clock"] {
        assert!(table.contains(word), "no '{word}' in\n{table}");
    }
    let csv = succeeds(&format!("{line} --format csv")).stdout;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    assert!(lines[1..].iter().all(|line| line[4] == "bytes-size=64"), "{csv}");
}

#[test]
fn milo_tells_its_version() {
    let called = milo("version");
    assert_eq!((called.status, called.stdout.as_str()), (0, "milo 0.2.0\n"));
}

#[test]
fn what_is_missing_is_told_at_once() {
    refused(
        "primitive hash-sha-3-256",
        &["Missing --message-size parameter of hash-* command (hash-sha-3-256)"],
    );
    refused(
        "primitive *",
        &[
            "Missing --bytes-size parameter of codec-* command (codec-base-16-encode and 3 more)",
            "Missing --message-size parameter of hash-* command (hash-sha-1-160 and 10 more)",
            "Missing --key-size, --message-size parameters of mac-* command",
            "Missing --ikm-size, --salt-size, --info-size, --key-size parameters of kdf-hkdf-*",
            "Missing --ikm-size, --salt-size, --iterations, --key-size parameters of kdf-pbkdf-2-*",
            "Missing --bytes-size parameter of cipher-* command",
            "Missing --aad-size, --bytes-size parameters of aead-* command",
        ],
    );
    let called = milo("benchmark primitive hash-*");
    assert_eq!((called.status, called.stdout.as_str()), (1, ""));
    assert!(called.stderr.contains("Missing --message-size parameter of hash-* command"));
}

#[test]
fn what_does_not_fit_is_refused() {
    refused("primitive hash-sha-3-257", &["'hash-sha-3-257'", "Did you mean 'hash-sha-3-256'"]);
    refused("primitive nothing*", &["unknown primitive 'nothing*'"]);
    refused("primitive *-sw --message-size=1", &["need --advanced"]);
    refused(
        "primitive hash-sha-3-256 --message-size=1 --aad-size=1",
        &["--aad-size is no parameter of hash-*", "which takes --message-size"],
    );
    refused(
        "primitive mac-poly-1305 --key-size=16 --message-size=1",
        &["--key-size=16 does not fit mac-poly-1305", "32 bytes"],
    );
    refused(
        "primitive kdf-hkdf-hmac-sha-2-256 --ikm-size=1 --salt-size=1 --info-size=1 --key-size=8161",
        &["--key-size=8161", "at most 8160 bytes"],
    );
    refused("primitive list --message-size=1", &["--message-size is no parameter of list"]);
    refused("primitive hash-* --message-size=-1", &["--message-size", "'-1'"]);
    refused("primitive hash-* --message-size=1K", &["--message-size", "'1K'"]);
    refused("primitive hash-* --message-size=99999999999", &["1073741824"]);
    refused("primitive hash-* --message-size=1 --repeats-time=0", &["--repeats-time", "from 1"]);
    refused("primitive hash-* --message-size=1 --repeats-warm=x", &["--repeats-warm", "'x'"]);
    refused("primitive hash-* --message-size=1 --cpu-clock=0", &["--cpu-clock", "MHz"]);
    refused(
        "primitive kdf-pbkdf-2-* --ikm-size=1 --salt-size=1 --iterations=0 --key-size=1",
        &["--iterations=0 does not fit", "once at least"],
    );
    refused("primitive hash-* --mesage-size=1", &["--mesage-size", "--message-size"]);
    refused("primitive", &["EXPRESSION"]);
    refused("primitive hash-* --message-size=1 --counter=nosuch", &["nosuch"]);
}

#[test]
fn milos_options_have_their_places() {
    for (line, words) in [
        ("benchmark primitive --cpu-clock=1 list", "--cpu-clock belongs between"),
        ("benchmark --message-size=1 primitive list", "--message-size belongs behind"),
        ("benchmark --advanced primitive list", "--advanced belongs before"),
        ("benchmark primitive list --verbose", "--verbose belongs before"),
        ("benchmark --nosuch primitive list", "unknown option '--nosuch' is ignored"),
        ("benchmark primitive list more", "'more' and what follows is ignored"),
    ] {
        let called = milo(line);
        assert_eq!((called.status, called.stdout.as_str()), (0, NAMES), "{line}");
        assert!(called.stderr.contains(words), "{line}: {}", called.stderr);
    }
    for (line, words) in [
        ("benchmark primitive", "EXPRESSION"),
        ("benchmrk", "benchmark"),
        ("benchmark primtive list", "primitive"),
        ("benchmark primitive hash-sha-3-256 --message-size=1", "unknown primitive"),
        ("benchmark primitive hash-sha-1-160 --message-size=x", "'x'"),
        ("", "Usage"),
        ("--nosuch", "Usage"),
    ] {
        let called = milo(line);
        assert_eq!((called.status, called.stdout.as_str()), (1, ""), "{line}");
        assert!(called.stderr.contains(words), "{line}: {}", called.stderr);
    }
    assert_eq!(milo("--help").status, 0);
}

#[test]
fn a_size_that_does_not_fit_one_name_ends_no_pattern() {
    let sizes = EVERY_PARAMETER.replace("--key-size=32", "--key-size=6000");
    let sizes = sizes.replace("--iterations=3", "--iterations=0");
    let called = milo(&format!("benchmark {QUICK} primitive * {sizes}"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    let document = json(&called);
    let measured = keys(&document["benchmark"]["primitive"]);
    // 255 digests of SHA-1 are 5100 bytes.
    let left_out = |name: &&str| {
        name.contains("pbkdf") || ["mac-poly-1305", "kdf-hkdf-hmac-sha-1-160"].contains(name)
    };
    let mut names: Vec<&str> = NAMES.lines().filter(|name| !left_out(name)).collect();
    names.sort_unstable();
    assert_eq!(measured, names);
    for name in NAMES.lines().filter(left_out) {
        assert!(called.stderr.contains(&format!("does not fit {name}: ")), "{}", called.stderr);
    }
}

#[test]
fn milos_guide_gives_a_cipher_associated_data() {
    let called =
        milo("benchmark --repeats-time=2 primitive codec-base-16-* --aad-size=1 --bytes-size=8");
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stderr.contains("--aad-size is no parameter of codec-*"), "{}", called.stderr);
}

#[test]
fn what_cannot_run_here_says_why() {
    let foreign = if cfg!(target_arch = "aarch64") { "x86-64-avx-2" } else { "arm-64-neon" };
    let name = format!("codec-base-64-hw-{foreign}-encode");
    let called = cpb(&format!("primitive {name} --advanced --bytes-size=8"));
    assert_eq!(called.status, 1, "{}", called.stderr);
    let document = json(&called);
    let error = document["benchmark"]["primitive"][&name]["error"].as_str().expect("a reason");
    assert!(error.contains("run a build for"), "{error}");
    assert!(called.stderr.contains(&name), "{}", called.stderr);
}
