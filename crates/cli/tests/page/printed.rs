//! Tests the page on paper.

use crate::browser::Browser;
use crate::program::Folder;
use crate::synthetic::{Size, run};

/// Chromium's paper in pixels: Letter with its own margins.
const PAPER: (u32, u32) = (739, 979);

#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn no_paper_is_wasted() {
    let folder = Folder::new();
    let single = run(Size { rows: 120, lengths: 6, raw: (4, 10) });
    let later = run(Size { rows: 80, lengths: 6, raw: (0, 0) });
    let mut browser = Browser::start();
    for runs in [vec![single.clone()], vec![single, later]] {
        let page = folder.page(&runs);
        browser.print_media(true);
        browser.open(&page, PAPER);
        browser.value("dispatchEvent(new Event('beforeprint'))");
        let height = browser.value("document.documentElement.scrollHeight");
        assert_eq!(browser.complaints(), Vec::<String>::new());
        let filled = height.as_f64().expect("a height") / f64::from(PAPER.1);
        // It is printed as a reader sees it, who prints it from the screen.
        browser.print_media(false);
        browser.open(&page, (1280, 900));
        let pdf = String::from_utf8_lossy(&browser.pdf()).into_owned();
        let pages = pdf.matches("/Type /Page\n").count() as f64;
        println!("{} runs: {pages} pages of paper, {filled:.1} of them filled", runs.len());
        // A card that does not fit leaves the rest of its paper empty.
        assert!(pages >= 1.0 && pages <= 1.35 * filled + 1.0, "{pages} pages for {filled}");
    }
}
