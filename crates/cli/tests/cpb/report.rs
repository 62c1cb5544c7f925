//! Tests `cpb report`.

use crate::program::{cpb, refused, succeeds};
use crate::store::LibrarySet;
use crate::team;
use cpb_store::Store;
use std::path::PathBuf;

/// A run with a figure, a failure, and a name that is no file name.
const SAVED: &str = r#"{
    "schema": 1, "version": "0.1.0", "command": ["cpb"], "started": 0, "seconds": 1.0,
    "host": { "architecture": "x86_64", "features": [], "allowed_cpus": [], "cores": [] },
    "libraries": [], "warnings": [],
    "records": [{
        "subject": { "primitive": "sha3/256", "operation": "hash", "library": "native",
            "spelling": "SHA3-256", "backend": "portable", "default_backend": true },
        "contract": "keyed", "method": "trials",
        "points": [{
            "parameters": { "message_bytes": 64 }, "nanoseconds_per_call": 160.0,
            "cycles_per_call": { "estimate": 640.0,
                "interval": { "low": 630.0, "high": 650.0, "confidence": 0.95 } },
            "low_quantile": 639.0, "minimum": 635.0, "calls_per_sample": 10, "samples": 100,
            "rejected": 0, "rounds": 5
        }]
    }, {
        "subject": { "primitive": "sha3/256", "operation": "hash", "library": "mine",
            "spelling": "SHA3-256", "backend": "default", "default_backend": true },
        "contract": "keyed", "method": "trials", "points": [],
        "failure": { "kind": "crashed", "reason": "the worker died of SIGILL" }
    }]
}"#;

/// A folder with runs, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cpb-report-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of our own");
        let folder = Self(path);
        for name in ["before.json", "after.json"] {
            std::fs::write(folder.0.join(name), SAVED).expect("our folder");
        }
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it was written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_page_holds_the_rows_and_why_some_have_no_figure() {
    let folder = Folder::new("html");
    let (run, page) = (folder.path("before.json"), folder.path("page.html"));
    let called = succeeds(&format!("report {run} --html {page}"));
    assert_eq!(called.stdout, "");
    assert!(called.stderr.contains("page.html"), "{}", called.stderr);
    let page = folder.text("page.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains("sha3/256") && page.contains("the worker died of SIGILL"));
    let piped = cpb(&format!("report {run} --html -"));
    assert_eq!((piped.status, piped.stdout), (0, page));
}

#[test]
fn charts_are_files_with_names_that_files_can_have() {
    let folder = Folder::new("svg");
    let (before, after) = (folder.path("before.json"), folder.path("after.json"));
    succeeds(&format!("report {before} --svg {}", folder.path("one/deep")));
    let bars = folder.text("one/deep/sha3_256-hash-bars.svg");
    assert!(bars.starts_with("<svg ") && bars.contains("the worker died of SIGILL"));
    assert!(bars.contains("cycles per byte at 64 B") && bars.contains(">10.000<"), "{bars}");
    assert!(folder.text("one/deep/sha3_256-hash-curves.svg").contains(">native<"));
    succeeds(&format!("report {before} {after} --svg {}", folder.path("two")));
    let count = std::fs::read_dir(folder.0.join("two")).expect("it was made").count();
    assert_eq!(count, 4);
    assert_eq!(folder.text("two/2-sha3_256-hash-bars.svg"), bars);
}

#[test]
fn a_table_goes_to_standard_output_or_a_file() {
    let folder = Folder::new("markdown");
    let run = folder.path("before.json");
    let called = succeeds(&format!("report {run} --markdown"));
    assert!(
        called.stdout.starts_with(
            "| primitive | native | mine |\n|---|---:|---:|\n\
             | sha3/256 hash, 64 B | **10.0 ±1.6 %** | failed |\n\n"
        ),
        "{}",
        called.stdout
    );
    succeeds(&format!(
        "report {run} --markdown={} --html {}",
        folder.path("t.md"),
        folder.path("p.html")
    ));
    assert_eq!(folder.text("t.md"), called.stdout);
}

#[test]
fn runs_of_different_machines_are_told_as_such() {
    let folder = Folder::new("machines");
    let (before, after) = (folder.path("before.json"), folder.path("after.json"));
    let line = format!("report {before} {after} --markdown");
    assert_eq!(succeeds(&line).stderr, "");
    let other = SAVED.replace("x86_64", "aarch64");
    std::fs::write(folder.0.join("after.json"), other).expect("our folder");
    let told = succeeds(&line).stderr;
    assert!(told.contains("'before' and 'after' are of different machines"), "{told}");
}

#[test]
fn wrong_use_of_report_is_refused() {
    let folder = Folder::new("refused");
    let run = folder.path("before.json");
    std::fs::write(folder.0.join("other.json"), "{\"schema\": 99}").expect("ours");
    refused("report", &["RUN"]);
    refused(&format!("report {run}"), &["--html", "--svg", "--markdown"]);
    refused(&format!("report {} --markdown", folder.path("no.json")), &["no.json"]);
    refused(&format!("report {} --markdown", folder.path("other.json")), &["other.json", "99"]);
    refused(&format!("report {run} --html - --markdown"), &["standard output"]);
    refused(&format!("report {run} --html {}", folder.path("no/such/a.html")), &["cannot write"]);
    refused(&format!("report {run} --svg {run}"), &["cannot make the folder", "before.json"]);
}

#[test]
fn steps_of_earlier_runs_are_drawn_where_they_are_asked_for() {
    let shelf = LibrarySet::new();
    let path = shelf.path("runs.sqlite");
    let mut store = Store::open_or_create(&path.into()).expect("it is made");
    team::fill(&mut store, 0..team::NEW_OPENSSL);
    let page = |words: &str| {
        let file = shelf.path("page.html");
        let called = shelf.cpb(&format!("report {words} --html {}", file.display()));
        assert_eq!(called.status, 0, "{}", called.stderr);
        std::fs::read_to_string(file).expect("it is written")
    };
    assert!(page("latest --history").contains("No row stepped"));
    team::fill(&mut store, team::NEW_OPENSSL..60);
    let drawn = page("latest --history");
    assert!(drawn.contains("in 60 saved runs of this machine."), "{drawn}");
    // Five rows of OpenSSL are drawn, for desktops and for phones.
    let steps = "run 93, library 3.0.17 → 3.5.4</li>";
    assert_eq!((drawn.matches(steps).count(), drawn.matches("<circle").count()), (5, 10));
    assert!(!drawn.contains("6.18.2"), "that is another machine's kernel");
    assert!(!page("latest").contains("Over time"));
    let refused = shelf.cpb("report latest --history --markdown");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("--html"), "{}", refused.stderr);
}
