//! Tests the content of pages.

use crate::client::Running;
use crate::{filled, team};
use cpb_store::{Store, StoreLocation};
use std::collections::BTreeSet;

const PAGES: [&str; 7] =
    ["/", "/changes", "/runs", "/compare", "/primitives", "/libraries", "/machines"];

pub fn an_empty_store_has_pages(place: &StoreLocation) {
    drop(Store::open_or_create(place).unwrap());
    let server = Running::over(place);
    for page in PAGES {
        assert!(server.page(page).contains("<h1>"), "{page}");
    }
    let first = server.page("/");
    assert!(first.contains("No runs are saved yet"));
    // The command includes the location of the store, because that is not the
    // default.
    let command = first.split("<pre>").nth(1).and_then(|it| it.split("</pre>").next()).unwrap();
    assert!(command.starts_with("cpb run sha256 --store "), "{command}");
    let absent = server.get("/run/latest");
    assert_eq!(absent.status, 404);
    assert!(absent.text().contains("no runs are saved yet"));
}

pub fn what_stepped_is_shown_with_what_else_changed(place: &StoreLocation) {
    let store = filled(place, 60);
    let server = Running::over(place);
    let library = "library 3.0.17 → 3.5.4";
    let kernel = "kernel 6.12.9 → 6.18.2";
    // The library changed five rows on each of three machines, and the kernel five
    // more.
    let changes = server.page("/changes");
    assert!(changes.contains("20 changes"), "{changes}");
    assert_eq!((changes.matches(library).count(), changes.matches(kernel).count()), (15, 5));
    assert!(changes.find(kernel) < changes.find(library), "the newest first");
    let machine = &store.machines().unwrap()[0].0.id;
    for (query, count) in [
        ("?became=slower", 5),
        ("?became=faster&library=openssl", 15),
        ("?least=5", 15),
        ("?text=sha3", 4),
        ("?text=HASH+kernel", 2),
        ("?library=gcrypt", 0),
        (&format!("?machine={machine}"), 10),
    ] {
        let found = server.page(&format!("/changes{query}"));
        assert_eq!(found.matches(" → ").count(), count, "{query}");
    }
    assert!(server.page("/").contains(kernel));
    let of_machine = server.page(&format!("/machine/{}", &machine[..4]));
    assert!(of_machine.contains(kernel) && of_machine.contains("6.18.2"));
    let primitive = server.page(&format!("/primitive/sha256?machine={machine}"));
    let ring = "<circle";
    assert_eq!(primitive.matches(ring).count(), 4, "two steps in two charts");
    assert!(primitive.contains(library) && primitive.contains(kernel));
    assert!(primitive.contains("60 runs") && primitive.contains("Every figure"));
    // The first window lies before the step, the second is too short for it.
    let first_runs = server.page(&format!("/primitive/sha256?machine={machine}&until=61"));
    assert!(!first_runs.contains(ring) && first_runs.contains("Latest runs"));
    assert!(server.page("/primitive/sha256?runs=10").contains("Earlier runs"));
    let only = server.page("/primitive/sha256?library=gcrypt");
    assert!(!only.contains(library) && only.contains("gcrypt"));
    let library_page = server.page(&format!("/library/openssl?machine={machine}"));
    assert!(library_page.contains("3.0.17") && library_page.contains("−7.0"), "{library_page}");
}

/// Each run has two builds by path, of which one steps when it is rebuilt.
pub fn builds_side_by_side_have_lines_of_their_own(place: &StoreLocation) {
    let mut store = Store::open_or_create(place).expect("it is made");
    for day in 0..20 {
        let mut run = team::of_day(0, day);
        run.records.truncate(2);
        let (mut old, mut new) = (team::library("mine", "1"), team::library("mine", "1"));
        (old.label, new.label) = ("mine=/old.so".to_owned(), "mine=/new.so".to_owned());
        new.commit = Some(if day < 10 { "aaaaaaaaaaaa" } else { "bbbbbbbbbbbb" }.to_owned());
        for (row, library) in run.records.iter_mut().zip([&old, &new]) {
            row.subject.library.clone_from(&library.label);
            row.subject.backend = "default".to_owned();
        }
        team::scale(&mut run.records[0], 5.0);
        team::scale(&mut run.records[1], if day < 10 { 5.0 } else { 6.0 });
        run.libraries = vec![old, new];
        store.save(&run).expect("it is saved");
    }
    let server = Running::over(place);
    let words = "commit aaaaaaaaaa → bbbbbbbbbb";
    let changes = server.page("/changes?library=mine%3D/new.so");
    assert!(changes.contains(words) && changes.contains("mine=/new.so"), "{changes}");
    for (library, lines) in [("", 2), ("mine%3D/new.so", 1), ("mine%3D%E2%80%A6", 2)] {
        let page = server.page(&format!("/primitive/sha256?library={library}"));
        let shown = ["mine=/old.so</a>", "mine=/new.so</a>"];
        assert_eq!(shown.iter().filter(|it| page.contains(**it)).count(), lines, "{page}");
    }
    assert!(server.page("/libraries").contains("mine=/old.so"));
    assert!(server.page("/library/mine%3D%2Fnew.so").contains(words));
}

pub fn every_link_leads_somewhere(place: &StoreLocation) {
    filled(place, 40);
    let server = Running::over(place);
    let mut known: BTreeSet<String> = PAGES.iter().map(|page| (*page).to_owned()).collect();
    let mut next: Vec<String> = known.iter().cloned().collect();
    let mut asked = 0;
    while let Some(address) = next.pop() {
        // Only a few of each kind are requested, because there are hundreds of
        // runs.
        asked += 1;
        if asked > 150 {
            break;
        }
        let page = server.page(&address);
        for link in links(&page) {
            if link.starts_with('/') && known.insert(link.clone()) {
                next.insert(0, link);
            }
        }
    }
    assert!(asked > 60, "{asked}");
}

/// Returns the targets of a page's links and forms.
fn links(page: &str) -> Vec<String> {
    let parts = page.split(" href=\"").skip(1).chain(page.split(" action=\"").skip(1));
    let ends = parts.filter_map(|part| part.split_once('"'));
    ends.map(|(address, _)| address.replace("&amp;", "&")).collect()
}

pub fn runs_are_listed_found_and_compared(place: &StoreLocation) {
    let mut store = filled(place, 40);
    store.label(1, "base", false).unwrap();
    let server = Running::over(place);
    assert!(server.page("/runs").contains("120 runs"));
    assert!(server.page("/runs?part=3").contains("101 to 120 of 120"));
    assert!(server.page("/runs?part=9").contains("none here"));
    assert!(server.page("/runs?text=BASE").contains("1 run,"));
    assert!(server.page("/runs?text=xeon").contains("40 runs"));
    let report = server.get("/run/base");
    let text = report.text();
    assert!(text.contains("id=\"data\"") && text.contains("href=\"/run/1/rows\""), "{text}");
    let policy = report.header("content-security-policy").unwrap();
    assert!(!policy.contains("unsafe") && policy.contains("script-src 'sha256-"), "{policy}");
    let rows = server.page("/run/latest/rows");
    assert!(rows.contains("chacha20-poly1305 seal") && rows.contains("nightly"), "{rows}");
    let compared = server.page("/compare?a=base&b=118");
    assert!(compared.contains("Run 1 and run 118"), "{compared}");
    for words in ["faster", "no difference", "openssl differs (3.0.17 and 3.5.4)", "0.9"] {
        assert!(compared.contains(words), "{words}");
    }
    let faster = server.page("/compare?a=1&b=118&verdict=faster");
    assert_eq!(faster.matches("<span class=\"good\">faster</span>").count(), 5, "{faster}");
    assert!(!faster.contains("<span class=\"\">no difference"));
    assert!(server.page("/compare/report?a=1&b=2").contains("id=\"data\""));
    let half = server.get("/compare?a=1");
    assert_eq!(half.status, 400);
    assert!(half.text().contains("&#39;b&#39; is missing"), "{}", half.text());
}

pub fn what_comes_while_the_store_is_surveyed_lets_it_end(place: &StoreLocation) {
    let mut store = filled(place, team::NEW_OPENSSL);
    let server = Running::over(place);
    for day in 0..4 {
        // A survey that starts between two changes may find more than was
        // requested.
        team::fill(&mut store, team::NEW_OPENSSL + 2 * day..team::NEW_OPENSSL + 2 * day + 1);
        server.get("/changes");
        team::fill(&mut store, team::NEW_OPENSSL + 2 * day + 1..team::NEW_OPENSSL + 2 * day + 2);
        server.site.wait_for_survey();
    }
}

pub fn new_runs_are_surveyed_and_deleted_ones_forgotten(place: &StoreLocation) {
    let mut store = filled(place, team::NEW_OPENSSL);
    let server = Running::over(place);
    assert!(server.page("/changes").contains("No figure stepped"));
    team::fill(&mut store, team::NEW_OPENSSL..team::NEW_OPENSSL + 4);
    // The first page says that the survey is not complete.
    assert!(server.page("/changes").contains("New runs are being read"));
    server.site.wait_for_survey();
    let changes = server.page("/changes");
    assert!(changes.contains("15 changes") && !changes.contains("being read"), "{changes}");
    let newest = store.mark().unwrap().newest;
    store.delete(&(newest - 11..=newest).collect::<Vec<_>>()).unwrap();
    server.get("/changes");
    server.site.wait_for_survey();
    assert!(server.page("/changes").contains("No figure stepped"));
    assert!(server.page("/libraries").contains("3.0.17"));
    assert!(!server.page("/libraries").contains("3.5.4"));
}
