//! Tests the results of `cpb scale` on the page.

use crate::browser::Browser;
use crate::program::{Folder, says};
use crate::synthetic::{Size, run, scaled};

pub(crate) fn are_a_chart(browser: &mut Browser, folder: &Folder) {
    let scaled = scaled();
    let page = folder.page(std::slice::from_ref(&scaled));
    for (width, height) in [(1280, 900), (390, 844)] {
        browser.open(&page, (width, height));
        // Each number of threads is separate work there.
        browser.until("document.querySelectorAll('#cards .card').length === 4");
        assert_eq!(browser.value("document.querySelectorAll('#scaled .card').length"), 1);
        // The chart has two libraries, the processes of one, and the ideal.
        browser.until("document.querySelectorAll('#scaled svg g').length === 4");
        let words = ["sha256 hash, 1 KiB", "stops scaling at 2 threads", "locks 100 %"];
        says(&browser.text("#scaled"), &words);
        let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
        assert_eq!(browser.value(wide), false);
    }
    assert_eq!(browser.value("/NaN|undefined|Infinity/.test(document.body.innerText)"), false);
    // Beside rows it is a section of its own.
    let mut both = run(Size { rows: 9, lengths: 3, raw: (0, 0) });
    both.records.extend(scaled.records);
    let page = folder.page(&[both]);
    browser.open(&page, (1280, 900));
    assert_eq!(browser.value("document.querySelector('#rows').hidden"), false);
    browser.until("document.querySelectorAll('#scaled svg g').length === 4");
}
