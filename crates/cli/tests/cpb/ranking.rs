//! Tests that every view of a run has the same figures, ratios and ranks.

use crate::program::{Folder, cpb, succeeds};
use cpb_figures::testing::{bounded, failed, record, run};
use cpb_model::{Record, Run};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) fn put(folder: &Folder, name: &str, run: &Run) -> String {
    folder.writes(name, serde_json::to_vec(run).expect("a run is JSON"))
}

/// Returns the data of the page that `cpb report` makes of saved runs.
pub(crate) fn page(runs: &str) -> Value {
    let page = succeeds(&format!("report {runs} --html -")).stdout;
    let (_, rest) = page.split_once("id=\"data\"").expect("the page has data");
    let (_, rest) = rest.split_once('>').expect("an element");
    let (data, _) = rest.split_once("</script>").expect("it ends");
    serde_json::from_str(data).expect("JSON")
}

/// What a view shows of a row: its library, its mark, and whether it is `measured`,
/// a `bound`, or `failed`.
type Said = (String, &'static str, &'static str);

fn said(library: &str, mark: &'static str, state: &'static str) -> Said {
    (library.to_owned(), mark, state)
}

/// Returns the mark of a standing by its name.
pub(crate) fn mark(standing: &str) -> &'static str {
    match standing {
        "best" => "★",
        "tied" => "≈",
        "unknown" => "?",
        _ => "",
    }
}

fn state(text: &str) -> &'static str {
    match text {
        "failed" => "failed",
        "bound" => "bound",
        _ => "measured",
    }
}

/// Returns a run with ties, bounds and errors, and what views must show of its rows,
/// fastest first.
fn ranked() -> (Run, Vec<(&'static str, Vec<Said>)>) {
    let rows: Vec<Record> = vec![
        failed("sha256", "a", "SIGILL"),
        record("sha256", "b", 9.0),
        record("sha256", "c", 4.0),
        bounded("sha256", "d", 5.0),
        record("sha256", "e", 4.01),
        record("md5", "a", 3.0),
        record("md5", "b", 1.0),
        failed("md5", "c", "SIGSEGV"),
        record("sha1", "a", 2.0),
        record("sha1", "b", 8.0),
        bounded("sha1", "c", 1.0),
        record("sha512", "e", 2.0),
    ];
    let expected = vec![
        (
            "sha256",
            vec![
                said("c", "≈", "measured"),
                said("e", "≈", "measured"),
                said("d", "?", "bound"),
                said("b", "", "measured"),
                said("a", "", "failed"),
            ],
        ),
        (
            "md5",
            vec![said("b", "★", "measured"), said("a", "", "measured"), said("c", "", "failed")],
        ),
        (
            "sha1",
            vec![said("c", "≈", "bound"), said("a", "", "measured"), said("b", "", "measured")],
        ),
        ("sha512", vec![said("e", "", "measured")]),
    ];
    (run(rows), expected)
}

/// Returns the rows in order, by primitive.
fn of_table(text: &str) -> Vec<(String, Vec<Said>)> {
    let mut groups: Vec<(String, Vec<Said>)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [primitive, "(hash)"] = words[..] {
            groups.push((primitive.to_owned(), Vec::new()));
            continue;
        }
        let Some((_, rows)) = groups.last_mut() else { continue };
        let (mark, rest) = match words[..] {
            ["★", ref rest @ ..] => ("★", rest),
            ["≈", ref rest @ ..] => ("≈", rest),
            ["?", ref rest @ ..] => ("?", rest),
            ref rest => ("", rest),
        };
        match rest {
            [library @ ("a" | "b" | "c" | "d" | "e"), figure, ..] => {
                let state = match *figure {
                    "≤" => "bound",
                    "SIGILL" | "SIGSEGV" => "failed",
                    _ => "measured",
                };
                rows.push(said(library, mark, state));
            }
            _ => continue,
        }
    }
    groups
}

/// Returns the rows by primitive and library; a wide table has no order.
fn of_markdown(text: &str) -> Vec<(String, Vec<Said>)> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines();
    let libraries = cells(lines.next().expect("a heading"));
    let rows = lines.skip(1).take_while(|line| !line.is_empty());
    rows.map(|line| {
        let cells = cells(line);
        let primitive = cells[0].trim_end_matches(" hash").to_owned();
        let cells = libraries.iter().zip(cells).skip(1).filter(|(_, cell)| cell != "–");
        let said = cells.map(|(library, cell)| {
            let mark = match cell.chars().next() {
                Some('*') => "★",
                Some('≈') => "≈",
                Some('?') => "?",
                _ => "",
            };
            let state = if cell.contains('≤') { "bound" } else { state(&cell) };
            said(library, mark, state)
        });
        (primitive, said.collect())
    })
    .collect()
}

fn of_page(data: &Value) -> Vec<(String, Vec<Said>)> {
    let run = &data["runs"][0];
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let groups = list(&run["groups"]);
    let mut ranked: Vec<BTreeMap<u64, Said>> = vec![BTreeMap::new(); groups.len()];
    for record in list(&run["records"]) {
        let number = |key: &str| record[key].as_u64().expect("a number");
        let mark = mark(record["standing"].as_str().unwrap_or_default());
        let figure = record["figure"].as_array();
        let state = match figure {
            None => "failed",
            Some(figure) if figure.get(1) == Some(&Value::Null) => "bound",
            Some(_) => "measured",
        };
        let library = record["label"].as_str().expect("a label");
        ranked[number("group") as usize].insert(number("rank"), said(library, mark, state));
    }
    let primitive = |group: &Value| group["primitive"].as_str().expect("a name").to_owned();
    let ranked = ranked.into_iter().map(|it| it.into_values().collect());
    groups.iter().map(primitive).zip(ranked).collect()
}

#[test]
fn every_view_ranks_alike() {
    let folder = Folder::new();
    let (run, expected) = ranked();
    let path = put(&folder, "run.json", &run);
    let expected: Vec<(String, Vec<Said>)> =
        expected.into_iter().map(|(primitive, said)| (primitive.to_owned(), said)).collect();

    let shown = succeeds(&format!("show {path}")).stdout;
    assert_eq!(of_table(&shown), expected, "{shown}");
    assert_eq!(of_page(&page(&path)), expected);

    let in_order = |mut groups: Vec<(String, Vec<Said>)>| {
        groups.iter_mut().for_each(|(_, rows)| rows.sort());
        groups
    };
    let markdown = succeeds(&format!("report {path} --markdown")).stdout;
    assert_eq!(in_order(of_markdown(&markdown)), in_order(expected.clone()), "{markdown}");

    for line in succeeds(&format!("show {path} --format csv")).csv() {
        let is_its = |it: &&(String, Vec<Said>)| it.0 == line["primitive"];
        let rows = &expected.iter().find(is_its).expect("a group").1;
        let (_, _, wanted) = rows.iter().find(|it| it.0 == line["library"]).expect("a row");
        for column in ["state", "slope_state", "nanoseconds_state", "intercept_state"] {
            assert_eq!(line[column], *wanted, "{line:?}");
        }
    }
}

/// The page shows exactly the digits of the table, and the same ±.
#[test]
fn the_page_says_the_figures_of_the_table() {
    let folder = Folder::new();
    let (run, _) = ranked();
    let path = put(&folder, "run.json", &run);
    let table = succeeds(&format!("show {path}")).stdout;
    let data = page(&path);
    let mut seen = 0;
    for record in data["runs"][0]["records"].as_array().expect("a list") {
        let group = &data["runs"][0]["groups"][record["group"].as_u64().expect("a place") as usize];
        let primitive = group["primitive"].as_str().expect("a name");
        let (_, rows) = table.split_once(&format!("{primitive} (hash)")).expect("its title");
        let library = record["label"].as_str().expect("a label");
        let is_of = |line: &&str| {
            let mut words = line.trim_start_matches([' ', '★', '≈', '?']).split_whitespace();
            words.next() == Some(library)
        };
        let row = rows.lines().find(is_of).expect("its row");
        for said in record["says"].as_array().into_iter().flatten() {
            let said = said.as_str().expect("words");
            assert!(row.contains(said), "{primitive} of {library}: {said} is not in {row}");
            seen += 1;
        }
    }
    assert_eq!(seen, 20);
}

/// Returns two runs, with bounds and failures on either side.
fn first_and_later() -> [Run; 2] {
    let mut oneshot = record("gcm", "a", 3.0);
    oneshot.workload.contract = cpb_model::Contract::Oneshot;
    let first = run(vec![
        record("sha256", "a", 4.0),
        record("sha256", "b", 5.0),
        record("md5", "a", 2.0),
        bounded("md5", "b", 2.0),
        record("sha1", "a", 3.0),
        record("sha1", "b", 3.0),
        record("sha512", "a", 3.0),
        oneshot,
    ]);
    let later = run(vec![
        record("gcm", "a", 3.0),
        record("sha256", "b", 4.0),
        record("sha256", "a", 4.0),
        bounded("md5", "a", 1.0),
        record("md5", "b", 4.0),
        failed("sha1", "a", "SIGILL"),
        bounded("sha1", "b", 3.0),
    ]);
    [first, later]
}

#[test]
fn compare_and_report_find_the_same_pairs_and_ratios() {
    let folder = Folder::new();
    let [first, later] = first_and_later();
    let runs = [put(&folder, "first.json", &first), put(&folder, "later.json", &later)].join(" ");
    let compared: Value = cpb(&format!("compare {runs} --format json")).ends(1, &[]).json();
    let shown = &page(&runs)["comparisons"][0];

    let number = |value: &Value| value.as_f64().map(|number| format!("{number:.5}"));
    let by_name = |run: &Run, place: &Value| {
        let subject = &run.records[place.as_u64().expect("a place") as usize].subject;
        subject.primitive.clone()
    };
    let pairs = shown["pairs"].as_array().expect("pairs").iter();
    let of_pair = |pair: &Value| {
        assert_eq!(by_name(&first, &pair[0]), by_name(&later, &pair[1]));
        let ratio = &pair[3];
        let ends = [&ratio[0], &ratio[1], &ratio[2]].map(number);
        (by_name(&first, &pair[0]), ends, ratio[3].to_string())
    };
    let mut on_page: Vec<_> =
        pairs.clone().filter(|pair| !pair[3].is_null()).map(of_pair).collect();
    let lines = compared["workloads"].as_array().expect("workloads").iter();
    let of_line = |line: &Value| {
        let ratio = &line["comparison"];
        let ends = [&ratio["ratio"], &ratio["low"], &ratio["high"]].map(number);
        (line["primitive"].as_str().expect("a name").to_owned(), ends, ratio["verdict"].to_string())
    };
    let has_ratio = |it: &&Value| it["failure"].is_null() && !it["comparison"].is_null();
    let mut by_compare: Vec<_> = lines.clone().filter(has_ratio).map(of_line).collect();
    let failed: Vec<_> = pairs.map(|pair| &pair[4]).filter(|it| !it.is_null()).collect();
    let by_line = lines.map(|line| &line["failure"]).filter(|it| !it.is_null());
    assert_eq!(failed, by_line.collect::<Vec<_>>());
    assert_eq!(failed, ["a: SIGILL"]);
    on_page.sort();
    by_compare.sort();
    assert_eq!(on_page.len(), 5);
    assert_eq!(on_page, by_compare);
    assert_eq!(number(&shown["mean"][0]), number(&compared["sum"]["ratio"]));
    // A bound decides only in its own direction.
    let verdicts: Vec<&str> = on_page.iter().map(|it| it.2.trim_matches('"')).collect();
    assert_eq!(verdicts, ["faster", "slower", "cannot tell", "faster", "cannot tell"]);
}
