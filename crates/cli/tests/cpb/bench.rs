//! Tests `cpb bench` and the `bench` link.

use crate::program::{Called, cpb, data_home, succeeds};
use std::process::Command;

const FUNCTIONS: [(&str, &str); 6] = [
    ("sha3_224", "28"),
    ("sha3_256", "32"),
    ("sha3_384", "48"),
    ("sha3_512", "64"),
    ("shake128", "32"),
    ("shake256", "32"),
];

fn rows(called: &Called) -> Vec<Vec<String>> {
    called.stdout.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn the_csv_has_the_old_shape_with_five_digits() {
    let called = succeeds("bench 20");
    let rows = rows(&called);
    assert_eq!(rows[0].join(","), "function,dst_len,64,256,1024,4096,16384,upper_bounds");
    assert_eq!(rows.len(), 1 + FUNCTIONS.len());
    for (row, (function, length)) in rows[1..].iter().zip(FUNCTIONS) {
        assert_eq!(&row[..2], [function, length]);
        for cell in &row[2..7] {
            assert!(cell.parse::<f64>().expect("a number") > 0.0);
            let digits = cell.trim_start_matches(['0', '.']).replace('.', "");
            assert_eq!(digits.len(), 5, "{cell}");
        }
    }
    let stderr = &called.stderr;
    assert!(stderr.contains("info: cpucycles: version="), "{stderr}");
    assert!(stderr.contains(" implementation=") && stderr.contains(" persecond="), "{stderr}");
    assert!(stderr.contains("persecond_is=measured-core-clock"), "{stderr}");
    assert!(
        stderr.contains("num_trials=20 src_lens=64,256,1024,4096,16384 dst_lens=32"),
        "{stderr}"
    );
}

#[test]
fn called_as_bench_it_prints_one_decimal() {
    let directory = std::env::temp_dir().join(format!("cpb-link-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a folder of our own");
    let link = directory.join("bench");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cpb"), &link).expect("a link");
    let called: Called = Command::new(&link)
        .env("XDG_DATA_HOME", data_home())
        .arg("4")
        .output()
        .expect("it starts")
        .into();
    let refused: Called = Command::new(&link)
        .env("XDG_DATA_HOME", data_home())
        .arg("1")
        .output()
        .expect("it starts")
        .into();
    std::fs::remove_dir_all(&directory).expect("ours");
    assert_eq!(called.status, 0, "{}", called.stderr);
    let rows = rows(&called);
    assert_eq!(rows.len(), 7);
    for cell in rows[1..].iter().flat_map(|row| &row[2..]) {
        assert_eq!(cell.split_once('.').expect("a decimal point").1.len(), 1, "{cell}");
    }
    let info: Vec<&str> = called.stderr.lines().collect();
    assert_eq!(info.len(), 2, "{}", called.stderr);
    assert!(info[0].starts_with("info: cpucycles: version=") && !info[0].contains("persecond_is"));
    assert!(info[1].starts_with("info: backend="));
    assert_eq!(refused.status, 2);
}

#[test]
fn lengths_make_columns_and_rows() {
    let called = succeeds("bench 2 --src-lens 100,1K --dst-lens 16,500");
    let rows = rows(&called);
    assert_eq!(rows[0].join(","), "function,dst_len,100,1024,upper_bounds");
    let shake: Vec<&str> =
        rows.iter().filter(|row| row[0] == "shake128").map(|row| row[1].as_str()).collect();
    assert_eq!(shake, ["16", "500"]);
    assert_eq!(rows.len(), 1 + 4 + 4);
}

#[test]
fn all_backends_add_a_column() {
    let called = succeeds("bench 2 --all-backends --src-lens 64");
    let rows = rows(&called);
    assert_eq!(rows[0].join(","), "function,backend,dst_len,64,upper_bounds");
    assert!(rows.iter().any(|row| row[1] == "portable"));
    let one = succeeds("bench 2 --backend scalar --src-lens 64");
    assert!(one.stdout.starts_with("function,dst_len,64,upper_bounds\n"));
    assert!(one.stderr.contains("backend=portable"));
}

#[test]
fn a_backend_this_cpu_lacks_fails_its_rows() {
    let foreign = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    let called = cpb(&format!("bench 2 --backend portable,{foreign} --src-lens 64"));
    assert_eq!(called.status, 1, "{}", called.stderr);
    for row in rows(&called).iter().skip(1) {
        assert_eq!(row[3].is_empty(), row[1] == foreign, "{row:?}");
    }
    assert!(called.stderr.contains(foreign), "{}", called.stderr);
}

#[test]
fn json_carries_schema_clock_and_intervals() {
    let called = succeeds("bench 20 --src-lens 64 --format json");
    let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
    assert_eq!(run.schema, cpb_model::SCHEMA);
    assert_eq!(run.records.len(), 6);
    for record in &run.records {
        let point = &record.points[0];
        assert_eq!(point.rounds, 10);
        let figure = point.cycles_per_call;
        assert_eq!((point.samples, figure.upper_bound), (20, false), "{point:?}");
        assert!(figure.interval.is_some_and(|it| it.low <= it.high));
        assert!(record.verification.is_some());
    }
    assert!(run.clock.expect("a clock").core_hertz > 1e8);
}

#[test]
fn trials_are_counted_in_total() {
    for (number, rounds) in [(2, 2), (9, 9), (23, 10)] {
        let called = succeeds(&format!("bench {number} --src-lens 64 --format json"));
        let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
        let point = &run.records[0].points[0];
        assert_eq!(point.samples, number, "{point:?}");
        assert_eq!(point.rounds, rounds);
    }
}

#[test]
fn a_stated_clock_is_used_and_named() {
    let called = succeeds("bench 2 --src-lens 64 --cpu-mhz 1000");
    assert!(called.stderr.contains("@1000MHz persecond=1000000000 persecond_is=stated"));
}
