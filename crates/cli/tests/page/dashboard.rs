//! Tests the pages of `cpb serve` in a browser.

use crate::browser::Browser;
use crate::program::{Folder, command, serving};
use crate::team;
use cpb_store::Store;
use serde_json::json;
use std::path::Path;
use std::process::Child;

const WIDE: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (360, 740);

/// A running `cpb serve`, which ends when dropped.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn over(store: &Path) -> Self {
        let mut serve = command();
        serve.args(["serve", "--listen", "127.0.0.1:0", "--store"]).arg(store);
        let (child, address) = serving(&mut serve);
        Self { child, address: format!("http://{address}") }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "needs Chromium; script/test runs it where there is one"]
fn the_dashboard_answers_its_readers() {
    let folder = Folder::new();
    let path = folder.path("runs.sqlite");
    let mut store = Store::open_or_create(&path.clone().into()).expect("it is made");
    team::fill(&mut store, 0..100);
    store.label(1, "base <b>", false).expect("a label");
    let machine = store.machines().expect("machines")[0].0.id.clone();
    let serving = Serving::over(&path);
    let mut browser = Browser::start();
    let own = |page: &str| format!("{}{page}", serving.address);
    browser.visit(&own("/"), WIDE);
    while browser.value("document.body.innerText.includes('store is being read')") == json!(true) {
        browser.visit(&own("/"), WIDE);
    }
    let pages: Vec<(&str, String)> = [
        ("overview", "/".to_owned()),
        ("changes", "/changes?became=slower".to_owned()),
        ("runs", "/runs?text=nightly".to_owned()),
        ("compare", "/compare?a=1&b=299".to_owned()),
        ("rows", "/run/latest/rows".to_owned()),
        ("primitives", "/primitives".to_owned()),
        ("primitive", format!("/primitive/sha256?machine={machine}")),
        ("small-steps", format!("/primitive/sha256?machine={machine}&scale=change")),
        ("libraries", "/libraries".to_owned()),
        ("library", format!("/library/openssl?machine={machine}")),
        ("machines", "/machines".to_owned()),
        ("machine", format!("/machine/{machine}")),
        ("absent", "/primitive/md7".to_owned()),
    ]
    .into();
    for (name, page) in &pages {
        browser.prefer("light");
        browser.visit(&own(page), WIDE);
        structure_is_told(&mut browser, page);
        screen_readers_are_told(&mut browser, page);
        fits(&mut browser, page, WIDE.0);
        picture(&mut browser, name, "light");
        browser.prefer("dark");
        let dark = "getComputedStyle(document.documentElement).backgroundColor";
        assert_eq!(browser.value(dark), "rgb(21, 24, 29)", "{page}");
        picture(&mut browser, name, "dark");
        browser.prefer("light");
        browser.visit(&own(page), PHONE);
        fits(&mut browser, page, PHONE.0);
        browser.value("document.querySelectorAll('details').forEach((part) => (part.open = true))");
        fits(&mut browser, page, PHONE.0);
        picture(&mut browser, name, "phone");
    }
    keys_reach_everything(&mut browser, &own("/"));
    forms_ask(&mut browser, &own("/"));
    charts_show_steps(&mut browser, &own(&format!("/primitive/sha256?machine={machine}")));
    reports_are_whole(&mut browser, &own("/run/1"));
    two_runs_are_chosen(&mut browser, &own("/runs"));
    reports_draw_steps(&mut browser, &folder);
    // Chromium reports a missing page as a failure to load.
    let mut complaints = browser.complaints();
    complaints.retain(|it| !it.contains("404"));
    assert_eq!(complaints, [""; 0]);
    let is_foreign = |url: &&String| {
        !url.starts_with(&serving.address) && !url.starts_with("data:") && *url != "about:blank"
    };
    let foreign: Vec<_> = browser.requested.iter().filter(is_foreign).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// Checks that headings are in order, with one of the first rank, and that every
/// table, field and region has a name.
fn structure_is_told(browser: &mut Browser, page: &str) {
    let found = browser.value(
        "(() => { const wrong = []; \
         const levels = [...document.querySelectorAll('h1,h2,h3,h4')].map((it) => +it.tagName[1]); \
         if (levels[0] !== 1 || levels.filter((it) => it === 1).length !== 1) wrong.push(`h1 ${levels}`); \
         levels.forEach((it, at) => { if (at && it > levels[at - 1] + 1) wrong.push(`order ${levels}`); }); \
         for (const it of document.querySelectorAll('table')) { \
           if (!it.caption?.textContent) wrong.push('caption'); \
           for (const head of it.querySelectorAll('th')) if (!head.scope) wrong.push('scope'); \
           for (const row of it.tBodies[0].rows) if (row.cells[0].tagName !== 'TH') wrong.push('row'); } \
         for (const it of document.querySelectorAll('input, select')) \
           if (!it.labels.length && !it.ariaLabel) wrong.push(`label ${it.name}`); \
         for (const it of document.querySelectorAll('[aria-labelledby]')) \
           if (!document.getElementById(it.getAttribute('aria-labelledby'))) wrong.push('labelledby'); \
         const ids = [...document.querySelectorAll('[id]')].map((it) => it.id); \
         if (new Set(ids).size !== ids.length) wrong.push(`ids ${ids}`); \
         if (document.scripts.length) wrong.push('script'); \
         for (const one of ['header', 'main', 'footer', 'nav', '.skip']) \
           if (!document.querySelector(one)) wrong.push(one); \
         return wrong; })()",
    );
    assert_eq!(found, json!([]), "{page}");
}

fn screen_readers_are_told(browser: &mut Browser, page: &str) {
    let told = browser.told();
    let roles = |role: &str| told.iter().filter(|it| it.0 == role).count();
    for role in ["main", "banner", "contentinfo", "navigation"] {
        assert!(roles(role) >= 1, "{page}: {role}");
    }
    for role in ["link", "button", "image", "table", "region", "searchbox", "combobox", "form"] {
        for (_, name) in told.iter().filter(|it| it.0 == role) {
            assert!(!name.trim().is_empty(), "{page}: a {role} without a name");
        }
    }
}

/// Checks that only tables are wider than the window, each in its own scrolling
/// region.
fn fits(browser: &mut Browser, page: &str, width: u32) {
    let wide = browser.value("document.documentElement.scrollWidth").as_u64();
    assert!(wide.is_some_and(|wide| wide <= width.into()), "{page}: {wide:?}");
}

/// Saves a picture to look at if `CPB_PICTURES` names a folder.
fn picture(browser: &mut Browser, name: &str, look: &str) {
    if let Some(folder) = std::env::var_os("CPB_PICTURES") {
        browser.picture(&Path::new(&folder).join(format!("{name}-{look}.png")));
    }
}

/// Checks that the Tab key reaches everything, in reading order, and visibly.
fn keys_reach_everything(browser: &mut Browser, address: &str) {
    browser.visit(address, WIDE);
    browser.tabulate();
    assert_eq!(browser.value("document.activeElement.className"), "skip");
    let mut reached = vec![json!("skip")];
    let count =
        "[...document.querySelectorAll('a, button, input, select, [tabindex=\"0\"]')].length";
    let count = browser.value(count).as_u64().expect("a number");
    for _ in 1..count {
        browser.tabulate();
        let seen = browser.value(
            "(() => { const it = document.activeElement, look = getComputedStyle(it); \
             const box = it.getBoundingClientRect(); \
             return look.outlineStyle !== 'none' && box.width > 0 && box.left >= 0 && \
             box.top < innerHeight && box.bottom > 0; })()",
        );
        let what = browser.value("document.activeElement.outerHTML.slice(0, 120)");
        assert_eq!(seen, json!(true), "{what}");
        reached.push(what);
    }
    assert!(reached.len() as u64 >= count, "{count}: {reached:?}");
}

fn forms_ask(browser: &mut Browser, address: &str) {
    browser.visit(address, WIDE);
    browser.value("document.querySelector('input[name=text]').focus()");
    browser.write("gcm");
    browser.click("form.filter button");
    browser.until("location.pathname === '/primitives' && document.readyState === 'complete'");
    let rows = "[...document.querySelectorAll('tbody tr th')].map((it) => it.textContent)";
    assert_eq!(browser.value(rows), json!(["aes-128-gcm"]));
    assert_eq!(browser.value("document.querySelector('input[name=text]').value"), "gcm");
    browser.click("tbody th a");
    browser.until("location.pathname === '/primitive/aes-128-gcm'");
}

fn charts_show_steps(browser: &mut Browser, address: &str) {
    for (window, shown) in [(WIDE, "wide"), (PHONE, "narrow")] {
        browser.visit(address, window);
        let charts =
            "[...document.querySelectorAll('.over-time')].filter((it) => it.offsetHeight > 0)";
        assert_eq!(browser.value(&format!("{charts}.length")), 1);
        let class = browser.value(&format!("{charts}[0].className"));
        assert_eq!(class, format!("over-time {shown}"));
        let numbers = browser.value(&format!(
            "[...{charts}[0].querySelectorAll('text[font-weight]')].map((it) => it.textContent)"
        ));
        assert_eq!(numbers, json!(["1", "2"]));
        // Text has its stated size, and does not shrink with the picture.
        let scale = format!(
            "{charts}[0].querySelector('svg').getBoundingClientRect().width / \
             {charts}[0].querySelector('svg').viewBox.baseVal.width"
        );
        let scale = browser.value(&scale).as_f64().expect("a number");
        assert!((0.9..1.1).contains(&scale), "{shown}: {scale}");
    }
    let told = browser.told();
    let image = told.iter().find(|it| it.0 == "image").expect("a chart");
    assert!(image.1.contains("sha256 hash"), "{image:?}");
}

/// Checks that the report has its own script, which the policy allows, and no other.
fn reports_are_whole(browser: &mut Browser, address: &str) {
    browser.visit(address, WIDE);
    browser.until("document.documentElement.dataset.ready === ''");
    browser.holds("document.querySelectorAll('#cards .card').length > 0");
    browser.middle("#cards .card .chart");
    browser.until("document.querySelector('#cards .card .chart svg') !== null");
    browser.click("#theme");
    browser.click("#theme");
    browser.value("delete document.documentElement.dataset.theme");
    browser.holds(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.evil = 1'; \
         document.body.append(script); return window.evil === undefined; })()",
    );
    let mut complaints = browser.complaints();
    complaints.retain(|it| !it.contains("404") && !it.contains("script"));
    assert_eq!(complaints, [""; 0]);
    browser.click("nav a[href='/']");
    browser.until("location.pathname === '/' && document.readyState === 'complete'");
}

fn two_runs_are_chosen(browser: &mut Browser, address: &str) {
    browser.visit(address, WIDE);
    browser.click("tbody tr:nth-of-type(5) input[name=a]");
    browser.click(".choosing button");
    browser.until("location.pathname === '/compare' && document.readyState === 'complete'");
    assert_eq!(browser.text("h1"), "Run 296 and run 300");
    browser.visit(address, WIDE);
    browser.click(".choosing button");
    browser.until("location.pathname === '/compare' && document.readyState === 'complete'");
    assert_eq!(browser.text("h1"), "Run 297 and run 300", "the one before of the same machine");
}

fn reports_draw_steps(browser: &mut Browser, folder: &Folder) {
    let page = folder.path("history.html");
    folder.succeeds(&format!("report 298 --history --html {}", page.display()));
    for (window, shown) in [(WIDE, "wide"), (PHONE, "narrow")] {
        browser.open(&page, window);
        browser.click("nav a[href='#past']");
        let charts = "[...document.querySelectorAll('#past .over-time')].filter((it) => it.offsetHeight > 0)";
        let found = browser.value(&format!("{charts}.map((it) => it.className)"));
        assert_eq!(found, json!(vec![format!("over-time {shown}"); 5]));
        fits(browser, "report --history", window.0);
        picture(browser, "history", shown);
    }
    browser.requested.retain(|url| !url.starts_with("file://"));
}
