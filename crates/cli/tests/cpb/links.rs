//! Tests output under the old tools' names: shapes, names and order, with `~` for
//! every figure.

use crate::program::{Called, Folder, command, skipped, version_of};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;

/// Calls cpb under an old tool's name, in `folder`.
fn called_as(name: &str, line: &str, folder: &Path) -> Called {
    let mut command = command();
    command.arg0(name).args(line.split_whitespace()).current_dir(folder);
    command.output().expect("cpb starts").into()
}

/// Returns `text` with `~` for every number that has decimals, including the blanks
/// that pad it. Numbers without decimals are not figures.
fn shape(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut shape = String::new();
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let is_in_a_word =
                rest[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
            let number = &rest[start..];
            let end = number.find(|c: char| !c.is_ascii_digit() && c != '.');
            let (number, behind) = number.split_at(end.unwrap_or(number.len()));
            let is_figure = number.contains('.') && !is_in_a_word;
            let before = &rest[..start];
            shape.push_str(if is_figure { before.trim_end_matches(' ') } else { before });
            shape.push_str(if is_figure { "~" } else { number });
            rest = behind;
        }
        shape + rest + "\n"
    });
    lines.collect()
}

/// Returns the shape of the output of bench-slope-LIBRARY, with `VERSION` in its
/// first line.
fn slope_shape(called: &Called, library: &str) -> String {
    let (first, rest) = called.stdout.split_once('\n').expect("a first line");
    let version = first.strip_prefix(&format!("bench-slope-{library}: ")).expect("its name");
    assert!(!version.is_empty());
    format!("bench-slope-{library}: VERSION\n{}", shape(rest))
}

fn is_installed(library: &str) -> bool {
    let is_installed = version_of(library).is_some();
    if !is_installed {
        skipped(format_args!("bench-slope-{library}: the library is not installed"));
    }
    is_installed
}

/// Skips libraries that are not installed, but fails if none is.
fn each_library(line: &str, golden: fn(&str) -> Option<&'static str>) {
    let folder = Folder::new(&line.replace(' ', "_"));
    let mut found = 0;
    for library in ["openssl", "gcrypt", "nettle", "botan", "cryptopp"] {
        let Some(golden) = golden(library) else { continue };
        if !is_installed(library) {
            continue;
        }
        let called = called_as(&format!("bench-slope-{library}"), line, &folder.0);
        assert_eq!(called.status, 0, "{library}: {}", called.stderr);
        assert_eq!(slope_shape(&called, library), golden, "{library}");
        found += 1;
    }
    assert!(found > 0, "no library is here");
}

#[test]
fn bench_slope_prints_the_old_table() {
    each_library("--repetitions 2 --cpu-mhz 2000 hash sha1 sha512", |library| {
        let row = |hash: &str| format!(" {hash:<14} |~ ns/B~ MiB/s~ c/B\n");
        let [sha1, sha512] = match library {
            "openssl" | "gcrypt" => ["SHA1", "SHA512"],
            "nettle" | "botan" => ["sha1", "sha512"],
            _ => ["SHA-1", "SHA-512"],
        };
        let text = format!(
            "bench-slope-{library}: VERSION\nHash:\n                |  nanosecs/byte   \
             mebibytes/sec   cycles/byte\n{}{}                =\n",
            row(sha1),
            row(sha512)
        );
        Some(String::leak(text))
    });
}

#[test]
fn bench_slope_prints_the_old_fields() {
    each_library("--repetitions 2 --csv --cpu-mhz 2000 hash sha512", |library| {
        Some(match library {
            "openssl" => "bench-slope-openssl: VERSION\nhash,SHA512,,,,~,ns/B,~,MiB/s,~,c/B\n",
            "gcrypt" => "bench-slope-gcrypt: VERSION\nhash,SHA512,,,,~,ns/B,~,MiB/s,~,c/B\n",
            "nettle" => "bench-slope-nettle: VERSION\nhash,sha512,,,,~,ns/B,~,MiB/s,~,c/B\n",
            _ => return None,
        })
    });
}

#[test]
fn bench_slope_without_a_clock_has_no_cycles() {
    each_library("--repetitions 2 cipher aes-128-cbc", |library| {
        (library == "openssl").then_some(
            "bench-slope-openssl: VERSION\nCipher:\n aes-128        |  nanosecs/byte   \
             mebibytes/sec   cycles/byte\n        CBC enc |~ ns/B~ MiB/s         - c/B\n        \
             CBC dec |~ ns/B~ MiB/s         - c/B\n                =\n",
        )
    });
}

#[test]
fn bench_slope_prints_the_old_derivations() {
    each_library("--repetitions 2 --csv --cpu-mhz 2000 kdf PBKDF2-HMAC-SHA256", |library| {
        (library == "gcrypt").then_some(
            "bench-slope-gcrypt: VERSION\nkdf,PBKDF2-HMAC-SHA256,,,,,,,,,,~,ns/iter,~,c/iter\n",
        )
    });
}

#[test]
fn bench_slope_names_and_fills_raw_files_as_of_old() {
    if !is_installed("gcrypt") {
        return;
    }
    let folder = Folder::new("bench-slope-raw");
    let called =
        called_as("bench-slope-gcrypt", "--raw --cpu-mhz 2000 --machine m hash sha1", &folder.0);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let path = folder.0.join("libgcrypt_results_for_hash_SHA1__on_m.csv");
    let text = std::fs::read_to_string(path).expect("the old name");
    let sizes = (4..=21).map(|power| format!("{}", 1_u64 << power));
    for (line, size) in text.lines().zip(sizes) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[0]), (3, size.as_str()), "{line}");
        assert!(fields[1].parse::<u64>().is_ok(), "whole cycles: {line}");
        let decimals = fields[2].split_once('.').expect("decimals").1.len();
        let value: f64 = fields[2].parse().expect("a number");
        let old = if value < 1.0 {
            3
        } else if value < 100.0 {
            2
        } else {
            1
        };
        assert_eq!(decimals, old, "{line}");
    }
    assert_eq!(text.lines().count(), 18);
}

#[test]
fn bench_slope_says_how_it_is_called() {
    let folder = Folder::new("bench-slope-help");
    for library in ["openssl", "gcrypt", "nettle", "botan", "cryptopp"] {
        let name = format!("bench-slope-{library}");
        let help = called_as(&name, "--help", &folder.0);
        assert_eq!(help.status, 0, "{name}: {}", help.stderr);
        let first = help.stdout.lines().next().expect("a line");
        let is_here = help.stderr.is_empty();
        assert_eq!(first.starts_with(&format!("{name}: ")), is_here, "{}", help.stdout);
        assert!(!help.stdout.contains("--library") && !help.stdout.contains("--all"), "{name}");
        for option in
            ["--cpu-mhz", "--repetitions", "--unaligned", "--csv", "--raw", "--machine", "64"]
        {
            assert!(help.stdout.contains(option), "{name} {option}");
        }
    }
    for (line, words) in [
        ("--raw hash", "--raw needs --cpu-mhz"),
        ("--raw --csv", "cannot be used with"),
        ("cifer", "Did you mean 'cipher'"),
        ("--nonsense", "--nonsense"),
        ("--library native", "cpb slope has it"),
    ] {
        let called = called_as("bench-slope-nettle", line, &folder.0);
        assert_eq!((called.status, called.stdout.as_str()), (1, ""), "{line}: {}", called.stderr);
        assert!(called.stderr.contains(words), "{line}: {}", called.stderr);
    }
}

/// Returns the keys and constants of milo's JSON, whose order does not matter.
fn skeleton(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (key.clone(), skeleton(value))).collect()
        }
        Value::Number(number) if number.is_f64() => "~".into(),
        other => other.clone(),
    }
}

/// Whether `ours` contains everything in `milos`, with the same constants.
fn holds(ours: &Value, milos: &Value) -> bool {
    match (ours, milos) {
        (Value::Object(ours), Value::Object(milos)) => {
            milos.iter().all(|(key, value)| ours.get(key).is_some_and(|found| holds(found, value)))
        }
        _ => ours == milos,
    }
}

#[test]
fn milo_prints_the_old_keys() {
    let folder = Folder::new("milo-keys");
    let metrics = serde_json::json!({
        "cpu": { "cycles_per_byte": "~", "cycles_per_call": "~" },
        "throughput": { "megabytes_per_second": "~", "gigabytes_per_second": "~" },
        "duration": { "nanoseconds_per_call": "~" },
    });
    let benchmark = serde_json::json!({
        "cpu-clock": 3_500_000_000_u64, "repeats-time": 4, "repeats-warm": 0,
    });
    for (names, parameters, input) in [
        (
            &["hash-sha-2-256"][..],
            "hash-sha-2-256 --message-size=16384",
            serde_json::json!({ "message-size": 16384 }),
        ),
        (
            &["mac-poly-1305"],
            "mac-poly-1305 --key-size=32 --message-size=16384",
            serde_json::json!({ "key-size": 32, "message-size": 16384 }),
        ),
        (
            &["cipher-chacha-20-decrypt", "cipher-chacha-20-encrypt"],
            "cipher-chacha-20-* --aad-size=1024 --bytes-size=16384",
            serde_json::json!({ "bytes-size": 16384 }),
        ),
        (
            &["aead-chacha-20-poly-1305-decrypt", "aead-chacha-20-poly-1305-encrypt"],
            "aead-chacha-20-poly-1305-* --aad-size=1024 --bytes-size=8192",
            serde_json::json!({ "aad-size": 1024, "bytes-size": 8192 }),
        ),
    ] {
        let line = format!(
            "benchmark --cpu-clock=3500 --repeats-time=4 --repeats-warm=0 primitive {parameters}"
        );
        let called = called_as("milo", &line, &folder.0);
        assert_eq!(called.status, 0, "{line}: {}", called.stderr);
        assert_eq!(called.stdout.lines().count(), 1, "{line}");
        let document: Value = serde_json::from_str(&called.stdout).expect("JSON");
        let entries = document["benchmark"]["primitive"].as_object().expect("entries");
        assert_eq!(entries.len(), names.len(), "{line}");
        let config = serde_json::json!({ "input": input, "benchmark": benchmark });
        let milos = serde_json::json!({ "metrics": metrics, "config": config });
        for name in names {
            let entry = skeleton(&entries[*name]);
            assert!(holds(&entry, &milos), "{name}: {entry}");
            assert_eq!(entry["config"], config, "{name}");
        }
    }
}

#[test]
fn bench_prints_the_old_lines() {
    let folder = Folder::new("bench-shape");
    let called = called_as("bench", "4", &folder.0);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let golden = "function,dst_len,64,256,1024,4096,16384\n\
                  sha3_224,28,~,~,~,~,~\n\
                  sha3_256,32,~,~,~,~,~\n\
                  sha3_384,48,~,~,~,~,~\n\
                  sha3_512,64,~,~,~,~,~\n\
                  shake128,32,~,~,~,~,~\n\
                  shake256,32,~,~,~,~,~\n";
    assert_eq!(shape(&called.stdout), golden);
    let keys: Vec<Vec<&str>> = called
        .stderr
        .lines()
        .map(|line| line.split(' ').map(|word| word.split('=').next().unwrap_or(word)).collect())
        .collect();
    assert_eq!(
        keys,
        [
            &["info:", "cpucycles:", "version", "implementation", "persecond"][..],
            &["info:", "backend", "num_trials", "src_lens", "dst_lens"],
        ]
    );
}

#[test]
fn benchmark_mt_prints_the_old_units() {
    let folder = Folder::new("benchmark-mt-units");
    for (unit, figures) in [
        ("MH", "<~> MH/s (<~> MH/s/~GHz)"),
        ("MB", "<~> MB/s (<~> MB/s/~GHz)"),
        ("MiB", "<~> MiB/s (<~> MiB/s/~GHz)"),
        ("cpb", "<~> cycles per block (<~> per byte)"),
    ] {
        let called = called_as("benchmark_mt", &format!("-i 20K -s 4.0 -m {unit}"), &folder.0);
        assert_eq!(called.status, 0, "{unit}: {}", called.stderr);
        // The green parts are put in angle brackets.
        let text = called.stdout.replace("\u{1b}[1;32m", "<").replace("\u{1b}[0m", ">");
        let lines: Vec<String> = text.lines().map(shape).collect();
        assert_eq!(lines.len(), 6, "{}", called.stdout);
        let unit = if unit == "cpb" { "cpb".to_owned() } else { format!("{unit}/s") };
        let parameters =
            format!("- Parameters:~ MH (iterations),~ GHz (cpu speed), {unit} (unit), 1 (threads)");
        assert_eq!(lines[1].trim_end(), parameters);
        for (index, line) in lines[2..].iter().enumerate() {
            let golden = format!("- Fast _x{}: {figures} [verify hash: <ok>]", index + 1);
            assert_eq!(line.trim_end(), golden);
        }
    }
}
