//! Tests the files saved from the page.

use crate::browser::Browser;
use crate::program::{Folder, succeeds, until};
use crate::synthetic::{Size, run, scaled};
use cpb_model::{Cost, FromJson, Point, RawRounds, Run, SerialCalls};
use std::path::Path;

#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn what_the_page_saves_says_what_the_run_says() {
    let folder = Folder::new();
    let mut run = run(Size { rows: 60, lengths: 3, raw: (2, 3) });
    for (place, record) in run.records.iter_mut().enumerate() {
        match place % 3 {
            0 => record.points.iter_mut().for_each(|point| point.one_by_one = Some(made(point))),
            1 => record.no_dependence = Some("nothing comes out".to_owned()),
            _ => {}
        }
    }
    let page = folder.page(&[run]);
    let saved = Folder::new();
    let mut browser = Browser::start();
    browser.download_into(&saved.path(""));
    browser.open_at(&page, "#library=openssl", (1280, 900));
    browser.click("#save-csv");
    browser.click("#save-json");
    let csv = saved.text_of("run-0.csv");
    saved.text_of("run-0.json");
    assert_eq!(browser.complaints(), Vec::<String>::new());

    let whole = shown_as_csv(&folder.path("run-0.json"));
    let (header, rows) = whole.split_once('\n').expect("a header");
    let openssl: Vec<&str> = rows.lines().filter(|line| line.contains(",openssl,")).collect();
    assert!(openssl.len() > 15 && openssl.iter().any(|line| line.contains("SIGSEGV")));
    let wanted = [&[header][..], &openssl].concat().join("\n");
    same_cells(&csv, &wanted, &[]);
    // Without the rows of other libraries, a row has another standing.
    same_cells(&shown_as_csv(&saved.path("run-0.json")), &wanted, &["standing", "factor"]);
    // The work and lengths of a row are the same if it failed.
    let asked = |folder: &Folder| -> Vec<String> {
        let run: serde_json::Value =
            serde_json::from_str(&folder.reads("run-0.json")).expect("JSON");
        let records = run["records"].as_array().expect("records").iter();
        let openssl = records.filter(|it| it["subject"]["library"] == "openssl");
        openssl.map(|it| format!("{} {}", it["workload"], it["lengths"])).collect()
    };
    assert_eq!(asked(&saved), asked(&folder));
    what_many_did_at_once_is_saved(&mut browser);
}

fn what_many_did_at_once_is_saved(browser: &mut Browser) {
    let (folder, saved) = (Folder::new(), Folder::new());
    let run = scaled();
    let page = folder.page(std::slice::from_ref(&run));
    browser.download_into(&saved.path(""));
    browser.open(&page, (1280, 900));
    browser.click("#save-json");
    let again = Run::from_slice(saved.text_of("run-0.json").as_bytes()).expect("a run");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let of = |run: &Run| -> Vec<_> {
        run.records.iter().map(|it| (it.setup.clone(), it.concurrent.clone())).collect()
    };
    assert_eq!(of(&again), of(&run));
}

/// Returns the costs of the calls of `point`, one by one.
fn made(point: &Point) -> SerialCalls {
    let cost = |factor| Cost {
        cycles_per_call: point.cycles_per_call.times(factor),
        raw: RawRounds::default(),
    };
    SerialCalls { independent: cost(1.02), dependent: cost(1.1) }
}

fn shown_as_csv(run: &Path) -> String {
    succeeds(&format!("show {} --format csv", run.display())).stdout
}

/// Checks that every cell of `csv` equals that of `wanted` in the column of the same name,
/// except `without`; numbers may differ by one in the fifth digit, because the page's were
/// rounded before.
fn same_cells(csv: &str, wanted: &str, without: &[&str]) {
    let table = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let (csv, wanted) = (table(csv), table(wanted));
    assert_eq!((csv.len(), &csv[0]), (wanted.len(), &wanted[0]));
    let columns = csv[0].iter().enumerate().filter(|(_, name)| !without.contains(&name.as_str()));
    for (column, name) in columns {
        let there = wanted[0].iter().position(|other| other == name).expect(name);
        for (ours, theirs) in csv[1..].iter().zip(&wanted[1..]) {
            let (ours, theirs) = (&ours[column], &theirs[there]);
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1.01e-4;
            let same = match (ours.parse(), theirs.parse()) {
                (Ok(a), Ok(b)) => a == b || close(a, b),
                _ => ours == theirs,
            };
            assert!(same, "{name}: '{ours}' is not '{theirs}'");
        }
    }
}

impl Folder {
    /// Returns the text of a file that the browser saves here.
    fn text_of(&self, name: &str) -> String {
        let text = || std::fs::read_to_string(self.path(name)).unwrap_or_default();
        until(|| text().ends_with('\n'));
        text()
    }
}
