//! Tests the page of `cpb report`: its size, and its behaviour in a browser.
//!
//! `cargo test` ignores tests that need Chromium; `script/test` runs them if it is
//! installed:
//!
//! ```text
//! cargo test -p cpb --test page -- --ignored --nocapture
//! ```

mod browser;
// It takes longest, and tests begin in the order of their names.
mod by_size;
mod dashboard;
mod many_at_once;
mod printed;
#[path = "../cpb/program.rs"]
#[allow(dead_code, reason = "what the other tests call, too")]
mod program;
mod saves;
mod synthetic;
#[path = "../../../serve/tests/pages/team.rs"]
mod team;

use browser::Browser;
use cpb_model::Run;
use program::{Folder, says, succeeds};
use serde_json::json;
use std::path::{Path, PathBuf};
use synthetic::{Size, run};

impl Folder {
    /// Returns the page that cpb makes of `runs`.
    pub(crate) fn page(&self, runs: &[Run]) -> PathBuf {
        let file = |(place, run): (usize, &Run)| {
            let text = serde_json::to_vec(run).expect("a run is JSON");
            self.writes(&format!("run-{place}.json"), text)
        };
        let files: Vec<String> = runs.iter().enumerate().map(file).collect();
        let page = self.word("page.html");
        succeeds(&format!("report {} --html {page}", files.join(" ")));
        page.into()
    }
}

/// Returns the first cell of a column, `nth` row, in the table of all rows.
fn cell(column: usize, nth: usize) -> String {
    format!(
        "document.querySelectorAll('#table > table > tbody > tr:not(.details)')[{nth}].children[{column}].textContent"
    )
}

pub(crate) const SHOWN: &str =
    "document.querySelectorAll('#table > table > tbody > tr:not(.details)').length";

// This is one test, because a browser is slow to start.
#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn the_page_answers_its_reader() {
    let folder = Folder::new();
    let small = run(Size { rows: 240, lengths: 12, raw: (6, 20) });
    let mut later = run(Size { rows: 80, lengths: 12, raw: (0, 0) });
    later.host.cpu = Some("Another CPU".to_owned());
    let page = folder.page(&[small, later]);
    let mut browser = Browser::start();
    browser.prefer("light");
    browser.open(&page, (1280, 900));

    summary_is_text(&mut browser);
    winners_stand_first(&mut browser);
    columns_sort(&mut browser);
    rows_open(&mut browser);
    filters_filter(&mut browser);
    filters_live_in_the_address(&mut browser, &page);
    charts_answer(&mut browser);
    legends_hide_lines(&mut browser);
    themes_turn(&mut browser);
    runs_compare(&mut browser);
    phones_do_not_scroll_sideways(&mut browser, &page);
    printing_shows_all(&mut browser);
    odd_runs_are_shown(&mut browser, &folder);
    many_at_once::are_a_chart(&mut browser, &folder);

    assert_eq!(browser.complaints(), Vec::<String>::new());
    let own = format!("file://{}", page.display());
    let foreign = |url: &&String| **url != own && !url.starts_with("data:");
    assert_eq!(browser.requested.iter().filter(foreign).count(), 0, "{:?}", browser.requested);
}

fn summary_is_text(browser: &mut Browser) {
    assert_eq!(browser.text("h1"), "A <made-up> CPU and Another CPU");
    assert_eq!(browser.value("document.querySelectorAll('made-up').length"), 0);
    assert_eq!(browser.text(".facts code"), "cpb run </script>");
    browser.holds(
        "[...document.querySelectorAll('main > section:not([hidden])')].every((section) => \
         document.getElementById(section.getAttribute('aria-labelledby')))",
    );
}

fn winners_stand_first(browser: &mut Browser) {
    browser.holds(
        "['#comparisons .verdict', '#trust .verdict', '#winners table', '#cards', '#table']\
         .map((part) => document.querySelector(part))\
         .every((part, place, all) => !place || all[place - 1].compareDocumentPosition(part) & 4)",
    );
    let lines = "document.querySelectorAll('#winners tbody tr')";
    assert_eq!(browser.value(&format!("{lines}.length")), 16);
    // There is a column for each library, and each line has one best or several candidates.
    assert_eq!(browser.value("document.querySelectorAll('#winners thead .cell').length"), 8);
    browser.holds(&format!(
        "[...{lines}].every((line) => {{ \
         const [best, tied] = ['★', '≈'].map((mark) => line.textContent.split(mark).length - 1); \
         return best === 1 ? tied === 0 : tied > 1; }})"
    ));
    browser.holds(
        "[...document.querySelectorAll('#winners .best')].every((cell) => cell.textContent === '★ 1.00×')",
    );
    browser.click("#winners .more");
    browser.until(&format!("{lines}.length === 30"));
    browser.click("#winners tbody tr:nth-of-type(20) a");
    browser.until("document.activeElement.id === 'group-19'");
}

fn columns_sort(browser: &mut Browser) {
    let ranks = "[...document.querySelectorAll('#table > table > tbody > tr')].slice(0, 16)\
                 .map((row) => Number(row.children[3].textContent.replace(/\\D/g, '')))";
    let by_rank: Vec<u32> = (1..=8).chain(1..=8).collect();
    assert_eq!(browser.value(ranks), json!(by_rank));
    let head = "#table thead th:nth-of-type(6)";
    browser.click(&format!("{head} button"));
    let sorted = |direction: &str| {
        format!("document.querySelector('{head}').getAttribute('aria-sort') === '{direction}'")
    };
    browser.until(&sorted("ascending"));
    let figures = "[...document.querySelectorAll('#table > table > tbody > tr')].slice(0, 100)\
                   .map((row) => Number(row.children[6].textContent))";
    browser.holds(&format!("{figures}.every((n, i, all) => !i || all[i - 1] <= n)"));
    let least = browser.value(&cell(6, 0));
    browser.click(&format!("{head} button"));
    browser.until(&sorted("descending"));
    browser.holds(&format!("{figures}.every((n, i, all) => !i || all[i - 1] >= n)"));
    assert_ne!(browser.value(&cell(6, 0)), least);
    // The keyboard focus is not lost, and failures come last in both orders.
    browser.holds("document.activeElement.closest('th') !== null");
    browser.click("#table .more");
    browser.until(&format!("{SHOWN} === 240"));
    assert_eq!(browser.value(&cell(11, 239)), "failed");
}

fn rows_open(browser: &mut Browser) {
    browser.click("#row-0 .open");
    browser.until("document.querySelector('#row-0 .open').ariaExpanded === 'true'");
    let words = [
        "Primitive_0",
        "avx512",
        "keyed",
        "agreement with openssl, gcrypt",
        "95 % interval",
        "kept",
        "dropped",
        "libnative.so.1",
    ];
    says(&browser.text("#row-0 + .details"), &words);
    browser.until("document.querySelectorAll('#row-0 + .details circle.dot').length > 50");
    browser.click("#row-0 .open");
    browser.until("document.querySelector('.details') === null");
    // A name in a ranking links to its row.
    browser.click("#cards .card:nth-of-type(2) .ranking tbody a");
    browser.until("document.querySelector('.details') !== null");
    browser.holds("document.activeElement.getAttribute('aria-expanded') === 'true'");
    // A failure has its reason both in the ranking and in the list.
    let reason =
        "[...document.querySelectorAll('#cards .ranking td.bad')].map((cell) => cell.textContent)";
    browser.middle("#cards .card:nth-of-type(7)");
    browser.until(&format!("{reason}.some((text) => text === 'failed: SIGSEGV <in> row 49')"));
}

fn filters_filter(browser: &mut Browser) {
    let count = "document.querySelector('#count').textContent";
    let choose = |name: &str, value: &str| {
        format!(
            "(() => {{ const field = document.querySelector('#filter').elements.{name}; \
             field.value = {value:?}; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
        )
    };
    browser.value("document.querySelector('#filter input').focus()");
    browser.write("primitive-3 NETTLE");
    browser.until(&format!("{count} === '4 of 240 rows'"));
    assert_eq!(browser.value(SHOWN), 4);
    assert_eq!(browser.value("document.querySelectorAll('.card').length"), 4);
    browser.click("#filter button[type=reset]");
    browser.until(&format!("{count} === '240 rows'"));
    browser.value(&choose("state", "failed"));
    browser.until(&format!("{count} === '4 of 240 rows'"));
    assert_eq!(browser.value(&cell(11, 0)), "failed");
    browser.value(&choose("state", "unverified"));
    browser.until(&format!("{count} === '34 of 240 rows'"));
    browser.value(&choose("library", "botan"));
    browser.until(
        "[...document.querySelectorAll('#table tbody tr')]\
         .every((row) => row.children[4].textContent === 'botan')",
    );
    browser.value(&choose("text", "nothing like this"));
    browser.until("document.querySelector('#table .nothing') !== null");
    browser.click("#filter button[type=reset]");
    browser.until(&format!("{count} === '240 rows'"));
}

fn filters_live_in_the_address(browser: &mut Browser, page: &Path) {
    let count = "document.querySelector('#count').textContent";
    browser.value("document.querySelector('#filter input').focus()");
    browser.write("botan primitive-2");
    browser.until(&format!("{count} === '4 of 240 rows'"));
    let address = browser.value("location.hash");
    assert_eq!(address, "#text=botan+primitive-2");
    // A link within the page does not change it.
    browser.click("nav a[href='#rows']");
    assert_eq!(browser.value("location.hash"), address);
    browser.open_at(page, "#text=botan+primitive-2&state=ok", (1280, 900));
    assert_eq!(browser.value("document.querySelector('#filter input').value"), "botan primitive-2");
    let shown = browser.value(
        "[...document.querySelectorAll('#table tbody tr')].map((row) => row.children[11].textContent)",
    );
    assert!(shown.as_array().is_some_and(|it| !it.is_empty() && it.iter().all(|it| it == "ok")));
    browser.open_at(page, "#run=2&library=no-such-library", (1280, 900));
    assert_eq!(browser.value(count), "80 rows");
    // An address that is no filter is a place on the page.
    browser.open_at(page, "#rows", (1280, 900));
    assert_eq!(browser.value(count), "240 rows");
    browser.open(page, (1280, 900));
}

fn legends_hide_lines(browser: &mut Browser) {
    let lines = "document.querySelectorAll('#cards .card:nth-of-type(1) .chart g').length";
    let button = "#cards .card:nth-of-type(1) .legend button:nth-of-type(2)";
    browser.middle(button);
    assert_eq!(browser.value(lines), 8);
    browser.click(button);
    browser.until(&format!("{lines} === 7"));
    browser.until(&format!("document.querySelector('{button}').ariaPressed === 'false'"));
    browser.click(button);
    browser.until(&format!("{lines} === 8"));
}

fn charts_answer(browser: &mut Browser) {
    let chart = "#cards .card .chart[role=group]";
    browser.middle("#cards .card");
    browser.middle(chart);
    browser.until(&format!("document.querySelector({chart:?}).querySelector('svg') !== null"));
    let markers = format!(
        "(() => {{ const box = document.querySelector('{chart} svg .filled').getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
    );
    let place = browser.value(&markers);
    browser.point_at((place[0].as_f64().expect("x"), place[1].as_f64().expect("y")));
    browser.until("!document.querySelector('#tip').hidden");
    says(&browser.text("#tip"), &[" B: ", "c/B", "95 %: "]);
    browser.point_at((2.0, 2.0));
    browser.until("document.querySelector('#tip').hidden");
    browser.value(&format!("document.querySelector({chart:?}).focus()"));
    let mut heard = Vec::new();
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "End"] {
        browser.press(key);
        heard.push(browser.text("#said"));
    }
    assert!(heard.windows(2).all(|pair| pair[0] != pair[1]), "{heard:?}");
    assert!(heard[3].contains("720 B: "), "{heard:?}");
    browser.press("Escape");
    browser.until("document.querySelector('#tip').hidden");
    // Labels are only at lengths that were measured.
    let marks = browser.value(&format!(
        "[...document.querySelectorAll('{chart} text[text-anchor=middle]')].map((mark) => mark.textContent)"
    ));
    let measured: Vec<String> = (0..12).map(|at| format!("{} B", 16 + 64 * at)).collect();
    let marks: Vec<String> = serde_json::from_value(marks).expect("texts");
    assert!(marks.len() > 2 && marks.iter().all(|mark| measured.contains(mark)), "{marks:?}");
}

fn themes_turn(browser: &mut Browser) {
    let page = "getComputedStyle(document.documentElement).backgroundColor";
    assert_eq!(browser.value(page), "rgb(255, 255, 255)");
    browser.click("#theme");
    browser.until(&format!("{page} === 'rgb(21, 24, 29)'"));
    browser.click("#theme");
    browser.until(&format!("{page} === 'rgb(255, 255, 255)'"));
    browser.value("delete document.documentElement.dataset.theme");
    browser.prefer("dark");
    browser.until(&format!("{page} === 'rgb(21, 24, 29)'"));
    browser.prefer("light");
}

fn runs_compare(browser: &mut Browser) {
    browser.middle("#comparisons");
    browser.until("document.querySelectorAll('#comparisons tbody tr').length === 12");
    let words = [
        "A: run-0\u{2003}B: run-1",
        "80 rows in common",
        "1 failed",
        "The CPU differs",
        "geometric mean",
        "verdict ±0.50 %",
        "Only A has: primitive-2 seal of native",
    ];
    says(&browser.text("#comparisons"), &words);
}

fn phones_do_not_scroll_sideways(browser: &mut Browser, page: &Path) {
    browser.open(page, (360, 740));
    browser.click("#row-1 .open");
    for place in ["#trust", "#cards .card:nth-of-type(3)", "#winners", "#comparisons", "#row-1"] {
        browser.middle(place);
        let wide = browser.value("[document.documentElement.scrollWidth, innerWidth]");
        assert_eq!(wide, json!([360, 360]), "{place}");
    }
    browser.value("document.querySelectorAll('details').forEach((part) => (part.open = true))");
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 360);
}

fn printing_shows_all(browser: &mut Browser) {
    browser.value("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.value(SHOWN), 240);
    browser.holds("[...document.querySelectorAll('.card')].every((card) => card.querySelector('.ranking') !== null)");
}

/// Shows runs with nothing measured, with one length only, with trials without a slope or an
/// interval, and with negative costs.
fn odd_runs_are_shown(browser: &mut Browser, folder: &Folder) {
    let empty = run(Size { rows: 0, lengths: 0, raw: (0, 0) });
    let single = run(Size { rows: 60, lengths: 1, raw: (1, 1) });
    let mut trials = run(Size { rows: 60, lengths: 3, raw: (0, 0) });
    for record in &mut trials.records {
        record.line = None;
        record.points.iter_mut().for_each(|point| point.cycles_per_call.interval = None);
    }
    let mut negative = run(Size { rows: 9, lengths: 3, raw: (0, 0) });
    for line in negative.records.iter_mut().filter_map(|record| record.line.as_mut()) {
        line.cycles_per_byte.estimate = -1.0;
        line.cycles_per_call = None;
    }
    let mut without_clock = run(Size { rows: 9, lengths: 3, raw: (2, 2) });
    without_clock.clock = None;
    for (rows, run) in [(0, empty), (60, single), (60, trials), (9, negative), (9, without_clock)] {
        let page = folder.page(&[run]);
        browser.open(&page, (1280, 900));
        assert_eq!(browser.value(SHOWN), rows);
        browser.value("document.querySelectorAll('.open').forEach((button) => button.click())");
        browser.value("dispatchEvent(new Event('beforeprint'))");
        browser.middle("#rows");
        browser.holds("!/NaN|undefined|Infinity/.test(document.body.innerText)");
    }
}
