//! Tests the size of pages, and the speed of large ones.

use crate::SHOWN;
use crate::browser::Browser;
use crate::program::Folder;
use crate::synthetic::{Size, run};
use cpb_model::Run;
use cpb_report::Source;
use cpb_report::html::page;

const MEBIBYTES_2: usize = 2 << 20;

fn page_of(run: &Run) -> String {
    page(&[Source { name: "made up", run }], None)
}

#[test]
fn five_hundred_rows_fit_two_mebibytes() {
    for (name, lengths, raw) in [
        ("cpb run --raw", 8, (10, 40)),
        ("cpb slope", 65, (0, 0)),
        ("many lengths with samples", 65, (3, 20)),
    ] {
        let page = page_of(&run(Size { rows: 500, lengths, raw }));
        println!("500 rows, {name}: {} bytes", page.len());
        assert!(page.len() <= MEBIBYTES_2, "{name}: {}", page.len());
        // Every row and its samples are on the page.
        assert_eq!(page.matches("\"group\":").count(), 500);
        assert_eq!(page.matches("\"raw\":").count(), if raw.0 > 0 { 490 } else { 0 });
    }
}

#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn five_thousand_rows_are_usable_at_once() {
    let folder = Folder::new();
    let page = folder.page(&[run(Size { rows: 5000, lengths: 8, raw: (5, 12) })]);
    let mut browser = Browser::start();
    browser.open(&page, (1280, 900));
    assert_eq!(browser.text("#count"), "5\u{202f}000 rows");
    let usable = browser.value("performance.getEntriesByName('cpb-usable')[0].startTime");
    let filtered = browser.value(
        "(async () => { const start = performance.now(); const field = document.querySelector('#filter input'); \
         field.value = 'botan'; field.dispatchEvent(new Event('input', { bubbles: true })); \
         for (let turn = 0; turn < 2; turn++) await new Promise(requestAnimationFrame); \
         return performance.now() - start; })()",
    );
    assert_eq!(browser.text("#count"), "625 of 5\u{202f}000 rows");
    browser.click("#filter button[type=reset]");
    browser.until("document.querySelector('#count').textContent === '5\u{202f}000 rows'");
    // The table shows the count, and has a button to extend it.
    browser.until(
        "(() => { const more = document.querySelector('#table .more'); if (more) more.click(); \
         return !more; })()",
    );
    browser.until(&format!("{SHOWN} === 5000"));
    // Times are printed but not tested, because machines differ.
    let bytes = std::fs::metadata(&page).expect("ours").len();
    println!("5,000 rows: {bytes} bytes, usable after {usable} ms, filtered in {filtered} ms");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
