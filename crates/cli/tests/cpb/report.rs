//! Tests the steps of earlier runs in the page of `cpb report`; all else of it is in a transcript.

use crate::program::Folder;
use crate::team;
use cpb_store::Store;

#[test]
fn steps_of_earlier_runs_are_drawn_where_they_are_asked_for() {
    let shelf = Folder::new();
    let path = shelf.path("runs.sqlite");
    let mut store = Store::open_or_create(&path.into()).expect("it is made");
    team::fill(&mut store, 0..team::NEW_OPENSSL);
    let page = |words: &str| {
        let file = shelf.word("page.html");
        shelf.cpb(&format!("report {words} --html {file}")).ends(0, &[]);
        shelf.reads("page.html")
    };
    assert!(page("latest --history").contains("No row stepped"));
    team::fill(&mut store, team::NEW_OPENSSL..60);
    let drawn = page("latest --history");
    assert!(drawn.contains("in 60 saved runs of this machine."), "{drawn}");
    // Five rows of OpenSSL are drawn, for desktops and for phones.
    let steps = "run 93, library 3.0.17 → 3.5.4</li>";
    assert_eq!((drawn.matches(steps).count(), drawn.matches("<circle").count()), (5, 10));
    assert!(!drawn.contains("6.18.2"), "that is another machine's kernel");
    assert!(!page("latest").contains("Over time"));
}
