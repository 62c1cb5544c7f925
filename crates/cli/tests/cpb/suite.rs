//! `cpb run --suite`.

use crate::program::{refused, succeeds};

fn with_file(name: &str, text: &str, test: impl FnOnce(&str)) {
    let path = std::env::temp_dir().join(format!("cpb-{name}-{}.toml", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    test(&path.display().to_string());
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn a_suite_brings_its_own_parameters() {
    let text = "name = \"mine\"\nabout = \"for a test\"\n[[select]]\nwhat = [\"sha3-256\", \
                \"shake*\"]\nsizes = [100]\nbackends = [\"portable\"]\noutput = 64\n";
    with_file("suite", text, |path| {
        let called = succeeds(&format!(
            "run --suite {path} --library native --precision 99% --max-time 120 --format json"
        ));
        let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
        assert_eq!(run.records.len(), 3);
        for record in &run.records {
            assert_eq!(record.subject.backend, "portable");
            assert!(record.points.iter().any(|point| point.parameters.message_bytes == 100));
        }
        assert_eq!(run.records[1].output_bytes, Some(64));
    });
}

#[test]
fn what_a_suite_adds_up_stands_below_its_table() {
    let text = "name = \"mine\"\nabout = \"for a test\"\n[[select]]\nwhat = [\"sha3-256\"]\n\
                sizes = [100]\n[[sum]]\nname = \"two of them\"\nside = \"server\"\n\
                parts = [\"sha3-256 hash\", \"sha3-256 hash\"]\n";
    with_file("sum", text, |path| {
        let directory = tempfile::tempdir().expect("a directory");
        let store = directory.path().join("runs.db").display().to_string();
        let line = format!(
            "run --suite {path} --library native --precision 99% --max-time 120 --store {store}"
        );
        let sums = |line: &str| {
            let shown = succeeds(line).stdout;
            let (_, below) = shown.split_once("What it costs together").expect("sums");
            below.trim_end().to_owned()
        };
        let below = sums(&line);
        assert!(below.contains("server: two of them"), "{below}");
        assert!(below.contains("native") && below.contains("2 × sha3-256 hash"), "{below}");
        assert_eq!(sums(&format!("show --store {store}")), below);
    });
}

#[test]
fn suites_with_faults_are_refused_with_the_place() {
    let head = "name = \"mine\"\nabout = \"for a test\"\n[[select]]\n";
    with_file("field", &format!("{head}waht = [\"sha256\"]\n"), |path| {
        refused(&format!("run --suite {path}"), &["line 4, column 1", "Did you mean 'what'"]);
    });
    with_file("word", &format!("{head}what = [\"sha3-256\", \"sha3-257\"]\n"), |path| {
        let line = format!("run --suite {path} --library native");
        refused(&line, &["line 4, column 21", "sha3-257", "Did you mean 'sha3-256'"]);
    });
    refused("run --suite overveiw", &["overveiw", "Did you mean 'overview'"]);
    refused("run --suite ./nowhere.toml", &["./nowhere.toml"]);
    refused("run --suite tls sha256", &["cannot be used with"]);
}

#[test]
fn the_overview_is_carried_and_measures_what_a_library_has_of_it() {
    let called = succeeds(
        "run --suite overview --library native --precision 99% --max-time 120 --format json",
    );
    let run: cpb_model::Run = serde_json::from_str(&called.stdout).expect("cpb's own JSON");
    assert!(run.records.iter().any(|record| record.subject.primitive == "sha3-256"));
    assert!(run.records.len() < 200, "{}", run.records.len());
}
