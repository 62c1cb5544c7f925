//! Times pages of a store with a million figures:
//! `cargo test --release -p cpb-serve --test pages size -- --ignored --nocapture` prints a table.
//! `CPB_FIGURES` sets how many.

use crate::client::Running;
use crate::filler::{MACHINES, RECORDS};
use crate::{filler, sample, server};
use cpb_model::{Figure, Run};
use cpb_serve::Site;
use cpb_store::{Store, StoreLocation};
use std::time::{Duration, Instant};

/// How often a page is requested; the table has the median and the maximum.
const TIMES: usize = 9;

#[test]
#[ignore = "takes minutes and a gigabyte"]
fn over_a_file() {
    let folder = tempfile::TempDir::new().expect("a folder of our own");
    measure("SQLite", &folder.path().join("runs.sqlite").into());
}

#[test]
#[ignore = "takes minutes and a gigabyte"]
fn over_a_database() {
    let Some(server) = server::shared() else { return };
    let name = server.name();
    let place = StoreLocation::parse(server.address(&name).as_ref()).expect("an address");
    measure("PostgreSQL", &place);
}

fn measure(title: &str, place: &StoreLocation) {
    let figures = std::env::var("CPB_FIGURES").ok().and_then(|text| text.parse().ok());
    let runs = figures.unwrap_or(1_000_000_usize).div_ceil(RECORDS);
    let mut store = Store::open_or_create(place).expect("it is made");
    let template = sample::run(0);
    let begun = Instant::now();
    for number in 0..runs {
        store.save(&varied(filler::run(&template, number), number)).expect("it is saved");
    }
    println!(
        "{title}: {} figures of {runs} runs, saved in {:.0?}",
        runs * RECORDS,
        begun.elapsed()
    );
    let machine = store.machines().expect("machines")[0].0.id.clone();
    drop(store);

    let begun = Instant::now();
    let site = Site::open(place, |_| {}).expect("a store");
    println!("  opened in {:.1?}", begun.elapsed());
    site.wait_for_survey();
    println!("  surveyed in {:.1?}", begun.elapsed());
    drop(site);

    let pages = [
        "/".to_owned(),
        "/changes".to_owned(),
        "/changes?text=primitive-7&became=slower".to_owned(),
        "/runs".to_owned(),
        "/runs?text=quick&part=30".to_owned(),
        "/primitives".to_owned(),
        format!("/primitive/primitive-7?machine={machine}"),
        "/primitive/primitive-7".to_owned(),
        "/libraries".to_owned(),
        "/library/openssl".to_owned(),
        "/machines".to_owned(),
        format!("/machine/{machine}"),
        "/run/latest".to_owned(),
        "/run/latest/rows".to_owned(),
        format!("/compare?a={}&b={runs}", runs - 4 * MACHINES),
    ];
    // Pages are timed during the survey, and after it.
    let running = Running::before_survey(place);
    let during: Vec<Duration> = pages.iter().map(|page| once(&running, page, "").0).collect();
    running.site.wait_for_survey();
    println!(
        "  {:42} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "page", "surveying", "median", "longest", "304", "bytes"
    );
    for (page, during) in pages.iter().zip(during) {
        let mut times = Vec::new();
        let mut known = Vec::new();
        let mut bytes = 0;
        for _ in 0..TIMES {
            let (time, tag, length) = once(&running, page, "");
            times.push(time);
            bytes = length;
            known.push(once(&running, page, &tag).0);
        }
        times.sort();
        known.sort();
        let [median, longest, again] = [times[TIMES / 2], times[TIMES - 1], known[TIMES / 2]];
        println!(
            "  {page:42} {during:>9.1?} {median:>9.1?} {longest:>9.1?} {again:>9.1?} {bytes:>9}"
        );
    }
    let mut store = Store::open(place).expect("it is there");
    store.save(&varied(filler::run(&template, runs), runs)).expect("it is saved");
    let begun = Instant::now();
    running.get("/");
    running.site.wait_for_survey();
    println!("  surveyed after one more run in {:.1?}", begun.elapsed());
}

/// Requests a page, compressed, with the version `tag` in the client's cache. Returns the time,
/// the tag, and the number of bytes received.
fn once(running: &Running, page: &str, tag: &str) -> (Duration, String, usize) {
    let begun = Instant::now();
    let headers = [("Accept-Encoding", "gzip"), ("If-None-Match", tag)];
    let answer = running.ask("GET", page, &headers);
    let time = begun.elapsed();
    let wanted = if tag.is_empty() { 200 } else { 304 };
    assert_eq!(answer.status, wanted, "{page}");
    (time, answer.header("etag").unwrap_or_default().to_owned(), answer.body.len())
}

/// Adds noise of 0.1 %, and a step of 5 % in the middle of every tenth series.
fn varied(mut run: Run, number: usize) -> Run {
    for (place, record) in run.records.iter_mut().enumerate() {
        let mix = ((number * RECORDS + place) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let noise = 1.0 + ((mix >> 40) as f64 / f64::from(1 << 24) - 0.5) * 0.002;
        let step = if place % 10 == 0 && number >= 1000 { 1.05 } else { 1.0 };
        let vary = |figure: &mut Figure| *figure = figure.times(noise * step);
        if let Some(line) = &mut record.line {
            vary(&mut line.cycles_per_byte);
        }
        record.points.iter_mut().for_each(|point| vary(&mut point.cycles_per_call));
    }
    run
}
