//! Tests one saved run in every format: each row has the same digits and the same state
//! in all of them. The expected text is made here by format strings alone.

use crate::program::{Called, Folder, says, succeeds};
use crate::ranking::{mark, page, put};
use cpb_figures::testing::{bounded, failed, record, run};
use cpb_model::{Figure, Interval, Operation, Record, Run, Verification};
use serde_json::Value;
use std::collections::HashMap;

/// The rows of each of the first run's two primitives.
const LIBRARIES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
/// The half widths of their intervals, relative to the estimate.
const WIDTHS: [f64; 10] = [0.3, 0.04, 0.008, 0.0041, 0.0025, 0.0009, 0.0003, 0.00004, 0.012, 0.1];

/// Returns twenty rows with figures of every size and width, and every state.
fn rows() -> Run {
    let mut records = Vec::new();
    for (place, library) in LIBRARIES.into_iter().enumerate() {
        let slope = 0.071_234_567 * 3.3_f64.powi(place as i32);
        records.push(known_to(record("sha256", library, slope), WIDTHS[place]));
        let slope = 17.653_219 + 0.918_273 * place as f64;
        let mut row = known_to(record("md5", library, slope), WIDTHS[9 - place]);
        match place {
            2 => row.precise = Some(false),
            3 => row.verification = None,
            4 => {
                row.precise = Some(false);
                let reason = "nobody else has it".to_owned();
                row.verification = Some(Verification::Unverified { reason });
            }
            5 => row = bounded("md5", library, slope),
            6 => row = failed("md5", library, "SIGILL (illegal instruction)"),
            _ => {}
        }
        records.push(row);
    }
    run(records)
}

/// Gives a row whose slope has an interval of this half width.
fn known_to(mut record: Record, width: f64) -> Record {
    if let Some(line) = &mut record.line {
        let estimate = line.cycles_per_byte.estimate;
        let (low, high) = (estimate * (1.0 - width), estimate * (1.0 + width));
        let interval = Interval { low, high, confidence: 0.95 };
        line.cycles_per_byte = Figure::new(estimate, Some(interval));
    }
    record
}

type Key = (String, String);
/// The cells of a row by heading.
type Cells = HashMap<String, String>;

/// Returns the cells of the Markdown table by heading, for each primitive and library.
fn of_markdown(text: &str) -> HashMap<Key, Cells> {
    let mut rows = HashMap::new();
    let (mut primitive, mut headings) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("#### ") {
            primitive = title.split(' ').next().expect("a name").to_owned();
            headings.clear();
        } else if let Some(cells) = line.strip_prefix('|') {
            let cells = cells.split('|').map(|it| it.trim().replace("**", "").replace('\\', ""));
            let cells: Vec<String> = cells.collect();
            if headings.is_empty() {
                headings = cells;
            } else if !cells[0].starts_with('-') {
                let row: Cells = headings.iter().cloned().zip(cells).collect();
                rows.insert((primitive.clone(), row["library"].clone()), row);
            }
        }
    }
    rows
}

/// Returns the lines of the table for each primitive and library.
fn of_table(text: &str, is_library: impl Fn(&str) -> bool) -> HashMap<Key, String> {
    let mut rows = HashMap::new();
    let mut primitive = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [name, "(hash)", ..] => primitive = name.to_owned(),
            ["★" | "≈" | "?", library, ..] | [library, ..]
                if is_library(library) && !primitive.is_empty() =>
            {
                rows.insert((primitive.clone(), library.to_owned()), words.join(" "));
            }
            _ => {}
        }
    }
    rows
}

/// Returns the first line of the CSV for each primitive and library, by column name.
fn of_csv(called: &Called) -> HashMap<Key, Cells> {
    let mut rows = HashMap::new();
    for row in called.csv() {
        rows.entry((row["primitive"].clone(), row["library"].clone())).or_insert(row);
    }
    rows
}

/// Formats `value` with as many decimals as `text`, with which it is compared.
fn like(text: &str, value: f64) -> String {
    let number = text.trim_start_matches("≤ ").trim_end_matches(" %");
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    text.replace(number, &format!("{value:.decimals$}"))
}

#[test]
fn a_row_has_the_same_digits_mark_and_state_in_every_format() {
    agrees(&rows());
    agrees(&crate::widths::fixed());
}

fn agrees(run: &Run) {
    let folder = Folder::new();
    let file = put(&folder, "run.json", run);
    let is_library = |name: &str| run.records.iter().any(|row| row.subject.library == name);
    let shown = |format: &str| succeeds(&format!("show {file} --format {format}"));
    let (json, markdown): (Run, _) = (shown("json").run(), of_markdown(&shown("markdown").stdout));
    let (table, csv) = (of_table(&shown("table").stdout, is_library), of_csv(&shown("csv")));
    let page = page(&file);
    let rows = run.records.len();
    assert_eq!([json.records.len(), markdown.len(), table.len(), csv.len()], [rows; 4]);
    for (place, record) in json.records.iter().enumerate() {
        let key = (record.subject.primitive.clone(), record.subject.library.clone());
        let (markdown, csv) = (&markdown[&key], &csv[&key]);
        let page = &page["runs"][0]["records"][place];
        same_words(&key, markdown, &table[&key]);
        let mark = mark(&csv["standing"]);
        assert!(table[&key].starts_with(mark), "{mark}: {}", table[&key]);
        same_state(record, markdown, csv, page);
        if let Some(line) = &record.line {
            same_figure(line.cycles_per_byte, markdown, csv, page);
        }
    }
}

#[test]
fn what_costs_by_the_call_is_told_in_calls_a_second() {
    let mut row = record("ed25519", "a", 1.0);
    row.subject.operation = Operation::Sign;
    row.workload.operation = Operation::Sign;
    row.points.truncate(1);
    row.line = None;
    let point = &mut row.points[0];
    point.cycles_per_call = cpb_figures::testing::figure(400_000.0);
    point.nanoseconds_per_call = 125_000.0;
    let folder = Folder::new();
    let file = put(&folder, "run.json", &run(vec![row]));
    let shown = |format: &str| succeeds(&format!("show {file} --format {format}"));
    for text in [shown("table").stdout, shown("markdown").stdout] {
        says(&text, &["cycles", "400000", "ns/call", "125000", "calls/s", "8000"]);
        assert!(!text.contains("GB/s") && !text.contains("c/call"), "{text}");
    }
    assert_eq!(shown("csv").csv()[0]["calls_per_second"], "8000.0");
}

/// Checks that table and Markdown have the same cells.
fn same_words(key: &Key, markdown: &Cells, table: &str) {
    for cell in markdown.values() {
        let words = cell.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(table.contains(&words), "{key:?}: the table has no '{words}': {table}");
    }
    assert!(table.ends_with(markdown["state"].as_str()), "{key:?}: {table}");
}

fn same_state(record: &Record, markdown: &Cells, csv: &Cells, page: &Value) {
    let states: Vec<&str> =
        page["states"].as_array().into_iter().flatten().flat_map(Value::as_str).collect();
    let on_page = if states.is_empty() { "ok".to_owned() } else { states.join("; ") };
    assert_eq!(on_page, csv["row_state"]);
    match &record.failure {
        None => {
            // A figure that is not precise is marked in its column.
            let words = states.iter().filter(|state| **state != "not precise").copied();
            let words = words.collect::<Vec<&str>>().join("; ");
            assert_eq!(markdown["state"], if words.is_empty() { "✓" } else { &words });
        }
        Some(failure) => {
            assert_eq!((on_page.as_str(), &csv["error"]), ("failed", &failure.reason));
            assert_eq!(page["failure"]["reason"], failure.reason.as_str());
            assert!(markdown.values().any(|cell| *cell == failure.reason), "{markdown:?}");
        }
    }
}

fn same_figure(figure: Figure, markdown: &Cells, csv: &Cells, page: &Value) {
    let shown = markdown["c/B"].trim_start_matches('~');
    assert_eq!(shown, like(shown, figure.estimate));
    assert_eq!(shown.starts_with("≤ "), figure.upper_bound);
    assert_eq!(page["says"][0], shown);
    assert_eq!(page["says"][1], markdown["±"].as_str());
    let digits = |text: &str| text.trim_start_matches(['0', '.']).replace('.', "").len();
    assert_eq!(digits(&csv["slope_cycles_per_byte"]), 5, "{csv:?}");
    assert_eq!(csv["slope_cycles_per_byte"], like(&csv["slope_cycles_per_byte"], figure.estimate));
    assert_eq!(csv["slope_state"], if figure.upper_bound { "bound" } else { "measured" });
    let Some(interval) = figure.interval else { return };
    assert_eq!(csv["slope_low"], like(&csv["slope_low"], interval.low));
    assert_eq!(csv["slope_high"], like(&csv["slope_high"], interval.high));
    let width = (interval.high - interval.low) / 2.0 / figure.estimate;
    assert_eq!(markdown["±"], like(&markdown["±"], width * 100.0));
}
