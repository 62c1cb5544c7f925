//! Tests that tables fit a terminal, and that every format has the same figures.

use crate::golden::is_recording;
use crate::program::{Folder, call, command};
use crate::ranking::put;
use cpb_figures::testing::{bounded, failed, record, run};
use cpb_model::{Interval, Record, Run, Verification};
use std::path::Path;

const WIDTHS: [usize; 3] = [80, 120, 200];

/// Returns a fixed run with rows of all kinds.
pub(crate) fn fixed() -> Run {
    let verified = |mut record: Record| {
        record.verification = Some(Verification::KnownAnswer);
        record
    };
    let mut rough = verified(record("sha256", "botan", 5.25));
    rough.precise = Some(false);
    let figure = &mut rough.points[0].cycles_per_call;
    let estimate = figure.estimate;
    let (low, high) = (estimate * 0.9, estimate * 1.1);
    figure.interval = Some(Interval { low, high, confidence: 0.95 });
    let mut named = verified(record("sha256", "native", 6.341_234));
    named.subject.backend = "portable-with-a-long-name".to_owned();
    named.subject.default_backend = false;
    let rows = vec![
        rough,
        named,
        verified(record("sha256", "openssl", 4.0)),
        verified(bounded("sha256", "nettle", 4.5)),
        failed(
            "sha256",
            "gcrypt",
            "the worker was ended by SIGILL (illegal instruction) which \
             may well take more than one line of a terminal that is narrow",
        ),
        record("aes-128-gcm", "openssl", 0.746),
        verified(record("aes-128-gcm", "a-library-of-ones-own", 0.75)),
    ];
    Run { precision: Some(0.0125), ..run(rows) }
}

fn at(width: usize, line: &str) -> String {
    call(command().args(line.split_whitespace()).env("COLUMNS", width.to_string())).stdout
}

#[test]
fn a_table_is_as_recorded_at_each_width() {
    let folder = Folder::new();
    let run = put(&folder, "run.json", &fixed());
    for width in WIDTHS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cpb/widths");
        let path = path.join(format!("{width}.txt"));
        let text = at(width, &format!("show {run}"));
        if is_recording() {
            std::fs::write(&path, &text).expect("our own recording");
        }
        assert_eq!(text, std::fs::read_to_string(&path).expect("a recording"), "{width}");
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let folder = Folder::new();
    let run = put(&folder, "run.json", &fixed());
    folder.succeeds(&format!("import {run}"));
    for line in [
        format!("show {run}"),
        format!("compare {run} {run}"),
        folder.line("history"),
        folder.line("history sha256"),
        "list --library native".to_owned(),
        "list --library native --all".to_owned(),
        "list --library native *".to_owned(),
        "list --libraries --library native".to_owned(),
        "primitive list --format table".to_owned(),
    ] {
        for width in WIDTHS {
            let text = at(width, &line);
            let wide: Vec<&str> = text.lines().filter(|it| it.chars().count() > width).collect();
            assert!(!text.is_empty() && wide.is_empty(), "{line} at {width}: {wide:#?}");
        }
    }
}
