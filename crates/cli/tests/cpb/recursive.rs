//! Tests `cpb recursive`, and its old name.

use crate::program::{Called, Folder, cpb, nowhere, refused, succeeds};
use cpb_kernels::recursive_sha256::Cover;
use cpb_model::{Method, Run, Verification};
use std::process::Command;

/// The header of the CSV.
const HEADING: &str = "backend,lanes,threads,iterations,repetitions,hashes_per_second,unit,rate,\
                       rate_per_100mhz,uplift,cycles_per_hash,cycles_low,cycles_high,spread,\
                       core_ghz,verified,error,cycles_state";
/// Additional columns behind the core clock, under `--unit cpb`.
const CYCLES: [&str; 3] = ["cycles_per_byte", "cycles_per_hash_stated", "cycles_per_byte_stated"];

fn run(line: &str) -> Run {
    serde_json::from_str(&succeeds(line).stdout).expect("it is a run")
}

#[test]
fn every_loop_is_verified_and_measured() {
    for (count, how) in [("1", "known"), ("1K", "known"), ("777", "reference")] {
        let run = run(&format!("recursive -i {count} --lanes all --repetitions 2 --format json"));
        let portable = run.records.iter().find(|row| row.subject.backend == "portable");
        assert_eq!(portable.expect("always there").setup.lanes, 1);
        let only_portable = run.records.len() == 1;
        for row in &run.records {
            assert_eq!(row.method, Method::Throughput);
            assert_eq!(row.failure, None);
            let found = row.concurrent.as_ref().expect("measured");
            assert_eq!((found.rounds.len(), row.setup.threads), (2, 1));
            assert!(found.calls_per_second.expect("measured").estimate > 0.0);
            assert_eq!(found.loops.len(), 1);
            match (how, &row.verification) {
                ("known", Some(Verification::KnownAnswer)) => {}
                ("reference", Some(Verification::Reference { with })) => {
                    assert_ne!(*with, format!("native {}", row.subject.backend));
                }
                ("reference", Some(Verification::Unverified { .. })) if only_portable => {}
                (_, other) => panic!("{count}: {} has {other:?}", row.subject.backend),
            }
        }
    }
}

#[test]
fn any_number_of_lanes_and_threads_will_do() {
    let run = run("recursive -i 1K --lanes 5,33 -t 3 --repetitions 1 --format json");
    let lanes: Vec<usize> = run.records.iter().map(|row| row.setup.lanes).collect();
    assert_eq!(lanes, [5, 33]);
    let clock = run.clock.expect("a counter is here");
    let known: Vec<&str> = clock.known_loops.iter().map(|known| known.name.as_str()).collect();
    assert!(known.contains(&"chain-checksum"), "{known:?}");
    for row in &run.records {
        let found = row.concurrent.as_ref().expect("measured");
        assert_eq!(found.loops.iter().map(|part| part.lanes).sum::<usize>(), row.setup.lanes);
        assert_eq!((row.setup.threads, found.cpus.len()), (3, 3));
        assert_eq!(row.verification, Some(Verification::KnownAnswer));
    }
    let one = succeeds("recursive -i 1K --lanes 5 --backend portable --no-pin --format csv");
    let fields: Vec<&str> = one.stdout.lines().nth(1).expect("a row").split(',').collect();
    assert_eq!(fields[..5], ["portable", "5", "1", "1000", "3"]);
}

#[test]
fn units_and_formats() {
    let csv = succeeds("recursive -i 1K --lanes 1 -m mib --format csv").stdout;
    assert_eq!(csv.lines().next(), Some(HEADING));
    assert!(csv.lines().nth(1).expect("a row").contains(",MiB/s,"), "{csv}");
    let csv = succeeds("recursive -i 1K --lanes 1 -m cpb -s 4.3 --format csv").stdout;
    let heading = HEADING.replace("core_ghz", &format!("core_ghz,{}", CYCLES.join(",")));
    assert_eq!(csv.lines().next(), Some(heading.as_str()));
    let row: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    let of = |name: &str| -> Option<f64> {
        let column = heading.split(',').position(|it| it == name).expect("it is there");
        row[column].parse().ok()
    };
    // A disturbed machine may have no cycles for so short a run, but it has rates.
    let per_hash = of("cycles_per_hash");
    assert_eq!(of("cycles_per_byte").is_some(), per_hash.is_some(), "{csv}");
    if let Some((byte, hash)) = of("cycles_per_byte").zip(per_hash) {
        assert!((byte * 64.0 / hash - 1.0).abs() < 1e-4, "{csv}");
    }
    let stated = of("cycles_per_hash_stated").expect("a number");
    let rate = of("hashes_per_second").expect("a number");
    assert!((stated * rate / 4.3e9 - 1.0).abs() < 1e-4, "{csv}");
    let stated_byte = of("cycles_per_byte_stated").expect("a number");
    assert!((stated_byte * 64.0 / stated - 1.0).abs() < 1e-4, "{csv}");
    let text = succeeds("recursive -i 1K --lanes 1 -m cpb").stdout;
    assert!(!text.contains("per 0.1 GHz"), "no such column: {text}");
    let text = succeeds("recursive -i 1K --lanes 1 --scaling -t 1 -m cpb -s 4.3").stdout;
    for word in ["c/B", "c/hash at 4.30 GHz"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    let backend = Cover::new(1).forms().next().expect("a form").backend().name();
    for (options, words) in [
        ("-m MH", vec!["MH/s", "MH/s/0.1GHz", "at the measured clock"]),
        ("-m MB -s 4.299", vec!["MB/s/0.1GHz", "at the stated 4.29 GHz"]),
        ("-m cpb -s 4.3", vec!["c/hash at 4.30 GHz", "c/B"]),
    ] {
        let text = succeeds(&format!("recursive -i 1K --lanes 1,2 {options}")).stdout;
        for word in words.into_iter().chain(["✓ known values", "spread", backend]) {
            assert!(text.contains(word), "{options}: no {word} in {text}");
        }
        assert!(!text.contains('\u{1b}'), "colours belong on a terminal");
    }
}

#[test]
fn scaling_names_the_best_setting_last_and_draws() {
    let folder = Folder::new("scaling");
    let plot = folder.0.join("s.svg");
    let line = format!("recursive --scaling -t 3 -i 1K --lanes 1,2 --plot {}", plot.display());
    let text = succeeds(&line).stdout;
    assert!(text.lines().last().expect("lines").starts_with("best here: "), "{text}");
    assert!(text.contains("efficiency") && text.contains("100.0 %"), "{text}");
    let drawn = std::fs::read_to_string(plot).expect("drawn");
    assert!(drawn.starts_with("<svg") && drawn.contains("MH/s"));
    let text = succeeds("recursive --scaling -t 1 -i 1K --lanes 2 --backend portable").stdout;
    let best = text.lines().last().expect("lines");
    assert!(best.ends_with("(--threads 1 --lanes 2 --backend portable)"), "{text}");
    let run = run("recursive --scaling -t 3 -i 1K --lanes 2 --format json");
    let threads: Vec<usize> = run.records.iter().map(|row| row.setup.threads).collect();
    assert_eq!(threads, [1, 2, 3]);
}

#[test]
fn benchmark_mt_prints_the_old_lines() {
    let folder = Folder::new("benchmark_mt");
    succeeds(&format!("links {}", folder.0.display()));
    let called: Called = Command::new(folder.0.join("benchmark_mt"))
        .args(["-i", "1K", "-s", "4.299", "-m", "mh", "-t", "2"])
        .output()
        .expect("the link works")
        .into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(lines.len(), 6, "{}", called.stdout);
    assert!(lines[0].starts_with("\u{1b}[1;97m[Benchmark (mt) - Fast Recursive SHA256 (w/"));
    assert_eq!(
        lines[1],
        "- Parameters: 0.001 MH (iterations), 4.29 GHz (cpu speed), MH/s (unit), 2 (threads)"
    );
    for (index, line) in lines[2..].iter().enumerate() {
        assert!(line.starts_with(&format!("- Fast _x{}: \u{1b}[1;32m", index + 1)), "{line}");
        assert!(line.contains("\u{1b}[0m MH/s (\u{1b}[1;32m"), "{line}");
        assert!(line.ends_with(" [verify hash: \u{1b}[1;32mok\u{1b}[0m]"), "{line}");
    }
}

#[test]
fn the_old_names_say_how_they_are_called_and_what_they_lack() {
    let folder = Folder::new("old-names");
    succeeds(&format!("links {}", folder.0.display()));
    let call = |name: &str, words: &[&str]| -> Called {
        Command::new(folder.0.join(name)).args(words).output().expect("the link works").into()
    };
    for (name, usage) in [
        ("benchmark_mt", "Usage: benchmark_mt [OPTIONS]\n"),
        ("bench", "Usage: bench [OPTIONS] [NUM]\n"),
        ("bench-slope-nettle", "Usage: bench-slope-nettle [OPTIONS] [GROUP] [ALGORITHM]...\n"),
        ("milo", "Usage: milo [OPTIONS] <COMMAND>\n"),
    ] {
        let help = call(name, &["--help"]);
        assert_eq!(help.status, 0, "{name}: {}", help.stderr);
        assert!(help.stdout.contains(usage), "{name}: {}", help.stdout);
        let wrong = call(name, &["--nonsense"]);
        let status = if matches!(name, "milo" | "bench-slope-nettle") { 1 } else { 2 };
        assert_eq!((wrong.status, wrong.stdout.as_str()), (status, ""), "{name}");
    }
    assert!(!call("benchmark_mt", &["--help"]).stdout.contains("\n      --scaling"));
    for words in [
        &["--scaling"][..],
        &["--format", "csv"],
        &["--store", "x.sqlite"],
        &["--no-save"],
        &["--scaling", "--plot", "x.svg"],
    ] {
        let called = call("benchmark_mt", words);
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{words:?}");
        assert!(called.stderr.contains(words[0]), "{words:?}: {}", called.stderr);
        assert!(called.stderr.contains("benchmark_mt"), "{words:?}: {}", called.stderr);
    }
    let called = call("bench-slope-nettle", &["--library", "native"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stderr.contains("cpb slope has it"), "{}", called.stderr);
}

#[test]
fn wrong_use_is_refused() {
    refused("recursive -t 0", &["--threads", "from 1 to 4096", "'0'"]);
    refused("recursive -t 100000", &["--threads", "from 1 to 4096", "'100000'"]);
    refused("recursive -i 0", &["--iterations", "give 1 or more"]);
    refused("recursive -i 12X", &["--iterations", "10M", "'12X'"]);
    refused("recursive -i -5", &["--iterations", "'-5'"]);
    refused("recursive -s -1", &["--ghz", "from 0.1 to 999.9", "'-1'"]);
    refused("recursive -s 0", &["--ghz", "'0'"]);
    refused("recursive -m kB", &["kB", "MH, MB, MiB, cpb"]);
    refused("recursive --lanes 0", &["--lanes", "from 1 to 4096", "'0'"]);
    refused("recursive --lanes 1,x", &["--lanes", "'x'"]);
    refused("recursive --repetitions 0", &["--repetitions", "from 1 to 1000"]);
    refused("recursive --backend portible", &["portible", "Did you mean 'portable'"]);
    refused("recursive --plot x.svg", &["--scaling"]);
    let file = nowhere("x.svg");
    let line = format!("recursive --scaling -i 1000G --plot {file}");
    refused(&line, &[&format!("cannot write '{file}'")]);
    refused("recursive --scaling --plot x.png", &[".svg", "'x.png'"]);
    refused("recursive --counter amd64-tcs", &["amd64-tcs", "Did you mean 'amd64-tsc'"]);
}

#[test]
fn a_backend_that_is_not_here_is_told_with_its_reason() {
    let missing = cpb_kernels::recursive_sha256::Backend::NAMES
        .iter()
        .find(|name| cpb_kernels::recursive_sha256::Backend::by_name(name).is_err());
    // No CPU has every backend of every architecture, but one may have all that
    // were built.
    let Some(missing) = missing else { return };
    let called = cpb(&format!("recursive -i 1K --backend {missing}"));
    assert_eq!((called.status, called.stdout.as_str()), (1, ""));
    assert!(called.stderr.contains(missing), "{}", called.stderr);
}
