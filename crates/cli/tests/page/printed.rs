//! Tests the page on paper.

use crate::browser::{Browser, installed};
use crate::program::Folder;
use crate::synthetic::{Size, run};
use std::path::Path;
use std::process::{Command, Stdio};

/// Chromium's paper in pixels: Letter with its own margins.
const PAPER: (u32, u32) = (739, 979);

#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn no_paper_is_wasted() {
    let folder = Folder::new();
    let single = run(Size { rows: 120, lengths: 6, raw: (4, 10) });
    let later = run(Size { rows: 80, lengths: 6, raw: (0, 0) });
    for runs in [vec![single.clone()], vec![single, later]] {
        let page = folder.page(&runs);
        let mut browser = Browser::start();
        browser.print_media(true);
        browser.open(&page, PAPER);
        browser.value("dispatchEvent(new Event('beforeprint'))");
        let height = browser.value("document.documentElement.scrollHeight");
        assert_eq!(browser.complaints(), Vec::<String>::new());
        let filled = height.as_f64().expect("a height") / f64::from(PAPER.1);
        let pages = pages(installed(), &page, &folder.path("page.pdf")) as f64;
        println!("{} runs: {pages} pages of paper, {filled:.1} of them filled", runs.len());
        // A card that does not fit leaves the rest of its paper empty.
        assert!(pages >= 1.0 && pages <= 1.35 * filled + 1.0, "{pages} pages for {filled}");
    }
}

/// Returns the number of printed pages.
fn pages(browser: &str, page: &Path, pdf: &Path) -> usize {
    let status = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", pdf.with_extension("profile").display()))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    assert!(status.success());
    let pdf = String::from_utf8_lossy(&std::fs::read(pdf).expect("a PDF")).into_owned();
    pdf.matches("/Type /Page\n").count()
}
