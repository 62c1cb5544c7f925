//! Tests `cpb slope`, its raw files, and the `bench-slope-*` links.

use crate::program::{
    Called, Folder, command, cpb, has_key_pairs, nowhere, refused, succeeds, with_cross_checks,
};

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

#[test]
fn the_table_has_the_old_shape() {
    let called = succeeds("slope --library native --repetitions 8 hash sha3-256 shake128");
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert!(lines[0].starts_with("native: cpb "), "{}", called.stdout);
    assert_eq!(lines[1], "Hash:");
    assert_eq!(lines[2], "                |  nanosecs/byte   mebibytes/sec   cycles/byte");
    assert!(lines[3].starts_with(" SHA3-256       |"), "{}", lines[3]);
    let width = lines[2].len();
    for line in &lines[3..5] {
        assert!(line.ends_with(" c/B") && line.len() == width, "{line}");
        assert!(line.contains(" ns/B ") && line.contains(" MiB/s "), "{line}");
    }
    assert_eq!(lines[5], "                =");
}

#[test]
fn the_csv_has_the_old_fields() {
    let called = succeeds("slope --library native --csv --cpu-mhz auto hash sha3-256");
    let line = called.stdout.lines().nth(1).expect("a row");
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(fields[..5], ["hash", "SHA3-256", "", "", ""]);
    assert_eq!([fields[6], fields[8], fields[10], fields[12]], ["ns/B", "MiB/s", "c/B", "Mhz"]);
    let (nanoseconds, speed, cycles, megahertz) =
        (number(fields[5]), number(fields[7]), number(fields[9]), number(fields[11]));
    // The fields are one measurement in four units.
    assert!((nanoseconds * megahertz / 1000.0 / cycles - 1.0).abs() < 0.001, "{line}");
    assert!((1e9 / nanoseconds / 1_048_576.0 / speed - 1.0).abs() < 0.001, "{line}");
    assert!(fields.len() == 13 || fields[14..] == ["Mhz-diff"], "{line}");
}

#[test]
fn what_a_call_does_is_asked_for_as_in_run() {
    let native = "slope --library native --repetitions 2";
    let workloads = |line: &str| -> Vec<String> {
        let called = succeeds(&format!("{native} --json --no-save {line}"));
        let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("a run");
        run.records.iter().map(|record| record.workload.to_string()).collect()
    };
    let lengths = workloads("--key 64 --contract oneshot mac hmac-sha256");
    assert_eq!(lengths, ["hmac-sha256/mac/oneshot+key=64"]);
    let sealed = workloads("--aad 13 cipher chacha20-poly1305");
    assert!(sealed.contains(&"chacha20-poly1305/seal+aad=13".to_owned()), "{sealed:?}");
    let none = ["nothing selected takes associated data of 13 bytes"];
    refused(&format!("{native} --aad 13 hash sha256"), &none);
}

/// The names are those of libgcrypt's own bench-slope since 2026.
#[test]
fn key_pairs_have_groups_of_their_own() {
    if !has_key_pairs() {
        return;
    }
    let slope = "slope --library openssl --repetitions 2";
    let called = succeeds(&format!("{slope} ecc x25519 ed25519"));
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(lines[1], "ECC:");
    assert_eq!(lines[2], " Ed25519        |  nanosecs/iter   cycles/iter");
    assert!(lines[3].starts_with("           mult | "), "{}", called.stdout);
    assert!(lines.contains(&" X25519         |  nanosecs/iter   cycles/iter"));
    let called = succeeds(&format!("{slope} --csv --cpu-mhz auto ecc ecdh-p256"));
    let rows: Vec<Vec<&str>> =
        called.stdout.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let modes: Vec<&str> = rows.iter().map(|fields| fields[2]).collect();
    assert_eq!(modes, ["mult", "keygen", "agree"], "{}", called.stdout);
    for fields in &rows {
        assert!(fields.len() >= 17 && fields[..2] == ["ecc", "NIST-P256"], "{fields:?}");
        assert!(fields[3..11].iter().all(|field| field.is_empty()), "{fields:?}");
        assert_eq!([fields[12], fields[14], fields[16]], ["ns/iter", "c/iter", "Mhz"]);
        let (nanoseconds, cycles, megahertz) =
            (number(fields[11]), number(fields[13]), number(fields[15]));
        assert!((nanoseconds * megahertz / 1000.0 / cycles - 1.0).abs() < 0.001, "{fields:?}");
    }
    let wide = succeeds(&format!("{slope} --wide ecc x25519")).stdout;
    assert!(wide.contains("c/call") && !wide.contains("c/B"), "{wide}");
    refused(&format!("{slope} --sizes 64,128 ecc"), &["--sizes", "cost by the call"]);
}

#[test]
fn a_stated_clock_makes_the_cycles() {
    let called =
        succeeds("slope --library native --csv --cpu-mhz 2000 --repetitions 8 hash sha3-256");
    let line = called.stdout.lines().nth(1).expect("a row");
    let fields: Vec<&str> = line.split(',').collect();
    assert!((number(fields[5]) * 2.0 / number(fields[9]) - 1.0).abs() < 0.001, "{line}");
    assert_eq!(fields.len(), 11, "{line}");
}

#[test]
fn wide_and_json_go_beyond() {
    let called = succeeds("slope --library native --wide --repetitions 8 hash sha3-256");
    assert!(called.stdout.contains("intercept") && called.stdout.contains("reference"));
    let called =
        succeeds("slope --library native --json --repetitions 8 --sizes 64,1K,8K hash sha3-256");
    let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
    let record = &run.records[0];
    let lengths: Vec<usize> =
        record.points.iter().map(|point| point.parameters.message_bytes).collect();
    assert_eq!(lengths, [64, 1024, 8192]);
    assert!(record.points.iter().all(|point| (point.samples, point.rounds) == (8, 8)));
    assert!(record.line.as_ref().expect("a line").cycles_per_byte.interval.is_some());
}

#[test]
fn raw_mode_writes_a_file_for_each_row() {
    let folder = Folder::new("raw");
    let called: Called = command()
        .current_dir(&folder.0)
        .args(["slope", "--library", "native", "--raw", "--machine", "a/b c", "hash", "sha3-256"])
        .output()
        .expect("cpb starts")
        .into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    let path = folder.0.join("native_results_for_hash_SHA3-256__on_a-b-c.csv");
    let text = std::fs::read_to_string(path).expect("the file");
    let lines = text.lines();
    let lines: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(number).collect()).collect();
    assert_eq!(lines.len(), 18);
    for (power, line) in (4..).zip(lines) {
        assert_eq!(line[0], f64::from(1 << power));
        assert!((line[1] / line[0] / line[2] - 1.0).abs() < 0.01, "{line:?}");
    }
}

#[test]
fn wrong_use_is_refused() {
    refused("slope cifer", &["cifer", "Did you mean 'cipher'", "hash, mac, cipher, kdf, codec"]);
    refused("slope --library native hash sha3-257", &["sha3-257", "Did you mean 'sha3-256'"]);
    refused("slope --library opensl", &["opensl", "Did you mean 'openssl'", "NAME=PATH"]);
    refused("slope --library =x", &["=x", "NAME"]);
    refused("slope --library native;X", &["'X'", "VARIABLE=VALUE"]);
    refused("slope --cpu-mhz 0", &["--cpu-mhz", "MHz", "auto"]);
    refused("slope --repetitions 0", &["--repetitions", "1000000"]);
    refused("slope --raw --csv", &["cannot be used with"]);
    refused("slope --sizes 64,0", &["--sizes"]);
    refused("links", &["DIR"]);
    refused(&format!("links {}", nowhere("folder")), &[&nowhere("folder")]);
}

#[test]
fn raw_mode_needs_a_folder_that_can_be_written() {
    // A process without privileges would be refused by any system folder; root is
    // refused only by /proc.
    let called: Called = command()
        .current_dir("/proc")
        .args(["slope", "--library", "native", "--raw", "hash", "sha3-256"])
        .output()
        .expect("cpb starts")
        .into();
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(called.stderr.contains("/proc cannot be written"), "{}", called.stderr);
}

#[test]
fn a_pipe_in_place_of_a_raw_file_is_not_written_into() {
    let folder = Folder::new("raw-pipe");
    let pipe = folder.0.join("native_results_for_hash_SHA3-256__on_a.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // The reader lets a writer proceed, so that the test would continue.
    let reader = std::fs::File::options().read(true).write(true).open(&pipe).expect("ours");
    let called: Called = command()
        .current_dir(&folder.0)
        .args(["slope", "--library", "native", "--raw", "--machine", "a", "hash", "sha3-256"])
        .output()
        .expect("cpb starts")
        .into();
    drop(reader);
    assert!(called.status != 0, "{}", called.stderr);
    assert!(called.stderr.contains("a.csv: it is a pipe, not a file"), "{}", called.stderr);
}

#[test]
fn a_library_that_cannot_be_loaded_costs_itself_only() {
    let mine = format!("mine={}", nowhere("mine.so"));
    let called = cpb(&format!(
        "run sha3-256 --library native --library {mine} --precision 99% --max-time 120"
    ));
    assert_eq!(called.status, 1);
    assert!(called.stderr.contains(&mine), "{}", called.stderr);
    assert!(called.stdout.contains("sha3-256 (hash)"), "{}", called.stdout);
}

#[test]
fn links_are_made_and_made_again() {
    let folder = Folder::new("links");
    let line = format!("links {}", folder.0.display());
    let made = succeeds(&line).stdout.lines().count();
    assert_eq!(made, 8);
    assert_eq!(succeeds(&line).stdout.lines().count(), made);
    std::fs::remove_file(folder.0.join("bench")).expect("ours");
    std::fs::write(folder.0.join("bench"), "precious").expect("ours");
    refused(&line, &["bench"]);
    let kept = std::fs::read_to_string(folder.0.join("bench")).expect("ours");
    assert_eq!(kept, "precious");
}

/// Builds the sample provider with the command in its first lines.
fn sample_provider(folder: &Folder) -> String {
    let file = folder.0.join("libmine.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shims/sample_provider.c");
    let built = std::process::Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", source, "-o"])
        .arg(&file)
        .status();
    assert!(built.expect("a C compiler").success());
    file.display().to_string()
}

#[test]
fn a_provider_without_row_names_is_measured() {
    let folder = Folder::new("provider");
    let file = sample_provider(&folder);
    let called = succeeds(&format!("slope --library mine={file} --csv --repetitions 5"));
    let rows: Vec<Vec<&str>> =
        called.stdout.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let names: Vec<_> = rows.iter().map(|fields| fields[..3].to_vec()).collect();
    assert_eq!(
        names,
        [
            ["hash", "FNV-1a", ""],
            ["cipher", "sample stream", "enc"],
            ["cipher", "sample stream", "dec"]
        ]
    );
    for fields in rows {
        assert!(number(fields[9]) > 0.0, "{fields:?}");
    }
    with_cross_checks();
    let called = cpb(&format!("run --library mine={file} fnv1a-64 --precision 99% --max-time 120"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("fnv1a-64 (hash)"), "{}", called.stdout);
    assert!(called.stdout.contains("unverified"), "{}", called.stdout);
}

#[test]
fn an_algorithm_needs_no_group() {
    let called = succeeds("slope --library native --csv --repetitions 5 sha3-256 shake128");
    let names: Vec<&str> = called.stdout.lines().skip(1).map(|line| &line[..13]).collect();
    assert_eq!(names, ["hash,SHA3-256", "hash,SHAKE128"]);
}
