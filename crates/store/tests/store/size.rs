//! Measures the size of a store with millions of figures, and how fast it saves and answers:
//! `cargo test --release -p cpb-store --test store size -- --ignored --nocapture` prints a table.
//! `CPB_FIGURES` sets how many figures, `CPB_SIZE_FOLDER` the folder. `CPB_SIZE_STORE` names an
//! existing store, which is only queried.

use crate::filler::{MACHINES, PRIMITIVES, RECORDS, run};
use crate::{sample, server};
use cpb_store::{Name, Store, StoreLocation};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a query is repeated; the median counts.
const TIMES: usize = 9;

#[test]
#[ignore = "takes half an hour and gigabytes"]
fn in_a_file() {
    let folder = match std::env::var_os("CPB_SIZE_FOLDER") {
        Some(folder) => tempfile::TempDir::new_in(folder),
        None => tempfile::TempDir::new(),
    };
    let folder = folder.expect("a folder of our own");
    let path = folder.path().join("runs.sqlite");
    measure("SQLite", &StoreLocation::File(path.clone()), || bytes(&path));
}

#[test]
#[ignore = "takes half an hour and gigabytes"]
fn in_a_database() {
    let Some(server) = server::shared() else { return };
    let name = server.name();
    let place = StoreLocation::parse(server.address(&name).as_ref()).expect("an address");
    measure("PostgreSQL", &place, || {
        let size = server.psql("postgres", &format!("SELECT pg_database_size('{name}')"));
        let tables = "SELECT relname || ' ' || pg_size_pretty(pg_relation_size(oid)) FROM pg_class
                      WHERE relnamespace = 'cpb'::regnamespace AND pg_relation_size(oid) > 10000000
                      ORDER BY pg_relation_size(oid) DESC";
        println!("{}", server.psql(&name, tables).expect("they are there"));
        size.expect("it is there").parse().expect("a number")
    });
}

/// Migrates a store of version 3 with 20 000 runs to the newest version, measures the time, and
/// checks that nothing is lost. `CPB_ROWS` sets the rows of each run.
#[test]
#[ignore = "takes minutes"]
fn a_migration() {
    const RUNS: usize = 20_000;
    let rows = std::env::var("CPB_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let folder = tempfile::TempDir::new().expect("a folder of our own");
    let path = folder.path().join("runs.sqlite");
    let place = StoreLocation::File(path.clone());
    let mut store = Store::open_or_create(&place).expect("it is made");
    let template = sample::run(0);
    for number in 0..RUNS {
        let mut run = run(&template, number);
        run.records.truncate(rows);
        store.save(&run).expect("it is saved");
    }
    drop(store);
    let old = rusqlite::Connection::open(&path).expect("it is there");
    old.execute_batch(
        "CREATE TABLE old_series AS SELECT * FROM series; DROP TABLE builds;
         CREATE TABLE old_figures AS SELECT * FROM figures; DROP TABLE figures; DROP TABLE series;",
    )
    .expect("they are there");
    let tables = include_str!("../../src/schema/1.sql");
    old.execute_batch(&tables[tables.find("CREATE TABLE series").expect("a table")..])
        .expect("they are made");
    old.execute_batch(
        "INSERT INTO series SELECT number, primitive, 'hash', library, spelling, backend, 'keyed',
                                   method, lengths, unit FROM old_series;
         INSERT INTO figures SELECT series, run, position, '3.0.2', estimate, low, high
                             FROM old_figures;
         DROP TABLE old_series; DROP TABLE old_figures; PRAGMA user_version = 3;",
    )
    .expect("they are filled");
    let count = |database: &rusqlite::Connection| -> [i64; 3] {
        ["runs", "series", "figures"].map(|table| {
            let query = format!("SELECT count(*) FROM {table}");
            database.query_row(&query, [], |row| row.get(0)).expect("a count")
        })
    };
    let before = count(&old);
    drop(old);
    println!("version 3: {before:?} runs, series and figures; {:.2} GB", bytes(&path) as f64 / 1e9);
    let begun = Instant::now();
    drop(Store::open(&place).expect("it is brought forward"));
    let taken = begun.elapsed();
    let after = count(&rusqlite::Connection::open(&path).expect("it is there"));
    println!("version 4: {after:?} after {taken:.1?}; {:.2} GB", bytes(&path) as f64 / 1e9);
    assert_eq!(after, before);
    if rows == RECORDS {
        ask(&place, RUNS);
    }
}

#[test]
#[ignore = "there is one where somebody made it"]
fn in_a_store_that_is_there() {
    let Some(store) = std::env::var_os("CPB_SIZE_STORE") else { return };
    let place = StoreLocation::parse(&store).expect("a store");
    let runs = Store::open(&place).and_then(|store| store.runs()).expect("it is there").len();
    ask(&place, runs);
}

fn bytes(path: &Path) -> u64 {
    path.metadata().expect("it is there").len()
}

fn measure(title: &str, place: &StoreLocation, size: impl Fn() -> u64) {
    let figures = std::env::var("CPB_FIGURES").ok().and_then(|text| text.parse().ok());
    let runs = figures.unwrap_or(10_000_000_usize).div_ceil(RECORDS);
    let mut store = Store::open_or_create(place).expect("it is made");
    let template = sample::run(0);
    let start = Instant::now();
    let mut saving = Duration::ZERO;
    for number in 0..runs {
        let run = run(&template, number);
        let begun = Instant::now();
        store.save(&run).expect("it is saved");
        saving += begun.elapsed();
        if number % 2000 == 1999 {
            println!("{title}: {} runs after {:.0?}", number + 1, start.elapsed());
        }
    }
    drop(store);
    let figures = runs * RECORDS;
    println!("{title}: {figures} figures of {runs} runs");
    println!("  size: {:.2} GB, {} bytes a figure", size() as f64 / 1e9, size() / figures as u64);
    println!(
        "  saving: {:.0?}, {:.0} figures a second",
        saving,
        figures as f64 / saving.as_secs_f64()
    );
    ask(place, runs);
    let begun = Instant::now();
    let mut store = Store::open(place).expect("it is there");
    store.delete(&[1]).expect("it is there");
    println!("  delete: {:.1?}", begun.elapsed());
}

/// Times the most common queries on the store at `place`, which has `runs` runs.
fn ask(place: &StoreLocation, runs: usize) {
    let figures = runs * RECORDS;
    let question = |what: &str, ask: &dyn Fn(&Store) -> usize| {
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..TIMES {
            let begun = Instant::now();
            // The store is opened again each time, as every command does.
            let store = Store::open(place).expect("it is there");
            found = ask(&store);
            times.push(begun.elapsed());
        }
        times.sort();
        println!(
            "  {what}: {:.1?} ({:.1?} at most), {found} found",
            times[TIMES / 2],
            times[TIMES - 1]
        );
        found
    };
    assert_eq!(question("list of runs", &|store| store.runs().expect("runs").len()), runs);
    let readings = question("history of one primitive", &|store| {
        let runs = store.runs_of(&["primitive-7"].into()).expect("runs").len();
        let all = store.series().expect("series");
        let mut found = 0;
        for series in all.iter().filter(|series| series.workload.primitive == "primitive-7") {
            found += store.history(series).expect("readings").len();
        }
        assert!(runs > 0);
        found
    });
    assert!(readings * PRIMITIVES <= figures);
    question("show latest", &|store| load(store, 0));
    question("compare the two latest", &|store| load(store, 0) + load(store, 1));
    assert_eq!(question("machines", &|store| store.machines().expect("machines").len()), MACHINES);
}

/// Loads the records of a run, as `cpb show` does.
fn load(store: &Store, before: usize) -> usize {
    let number = store.find(Name::Latest { before }).expect("it answers").expect("there is one");
    store.load(number).expect("it is whole").records.len()
}
