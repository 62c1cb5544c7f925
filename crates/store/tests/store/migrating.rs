//! Tests that files of older versions are migrated without loss.

use crate::reaching;
use crate::refusing::{folder, place};
use crate::sample::run;
use crate::server::shared;
use cpb_model::Run;
use cpb_store::{Machine, Series, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use tempfile::TempDir;

/// Two runs of one machine, written by cpb before it distinguished machines.
const VERSION_1: &[u8] = include_bytes!("files/version-1.sqlite");
/// Runs of every kind on two machines, two of them with a library by its path, written by cpb when
/// names and paths of libraries distinguished series.
const VERSION_3: &[u8] = include_bytes!("files/version-3.sqlite.gz");
const POSTGRES_1: &str = include_str!("../../src/schema/postgres/1.sql");
const POSTGRES_2: &str = include_str!("../../src/schema/postgres/2.sql");

#[test]
fn runs_of_version_1_get_their_machine() {
    let (_folder, path) = of_version_1();
    for _ in 0..2 {
        let store = Store::open(&place(&path)).unwrap();
        let runs = store.runs().unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].label.as_deref(), Some("old"));
        let host = store.load(runs[0].number).unwrap().host;
        let machine = Machine::of(&host);
        assert!(runs.iter().all(|run| run.machine_id.as_ref() == Some(&machine.id)));
        let machines = store.machines().unwrap();
        assert_eq!(machines.len(), 1);
        let (known, states) = &machines[0];
        assert_eq!((known, states.len()), (&machine, 1));
        assert_eq!((states[0].kernel.as_ref(), states[0].runs), (host.kernel.as_ref(), 2));
        assert_eq!((states[0].first, states[0].last), (runs[0].started, runs[1].started));
        let series = store.series().unwrap();
        let [series] = &series[..] else { panic!("{} series", series.len()) };
        assert_eq!(series.workload.to_string(), "sha3-256/hash");
        let readings = store.history(series).unwrap();
        assert!(readings.len() == 2 && readings.iter().all(|it| it.build.version == "0.1.0"));
    }
}

#[test]
fn a_damaged_run_of_version_1_keeps_no_other_back() {
    let (_folder, path) = of_version_1();
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute("UPDATE documents SET description = x'00' WHERE run = 1", []).unwrap();
    drop(old);
    let store = Store::open(&place(&path)).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!((runs[0].machine_id.is_some(), runs[1].machine_id.is_some()), (false, true));
    assert_eq!(store.machines().unwrap()[0].1[0].runs, 1);
}

fn of_version_1() -> (TempDir, PathBuf) {
    let (folder, path) = folder();
    std::fs::write(&path, VERSION_1).unwrap();
    (folder, path)
}

fn unpacked(store: &[u8]) -> (TempDir, PathBuf) {
    let (folder, path) = folder();
    let mut file = Vec::new();
    flate2::read::GzDecoder::new(store).read_to_end(&mut file).unwrap();
    std::fs::write(&path, file).unwrap();
    (folder, path)
}

/// Loads all runs, by number, and counts all figures. Each must belong to the series that its run
/// states.
fn runs_and_readings(store: &Store) -> (BTreeMap<i64, Run>, usize) {
    let runs = store.runs().unwrap().into_iter();
    let runs = runs.map(|run| (run.number, store.load(run.number).unwrap()));
    let runs: BTreeMap<i64, Run> = runs.collect();
    let mut readings = 0;
    for series in store.series().unwrap() {
        for reading in store.history(&series).unwrap() {
            assert!(runs[&reading.run].records.iter().any(|it| series.is_of(it)), "{series:?}");
            readings += 1;
        }
    }
    (runs, readings)
}

/// Checks the figures of `store`, which was migrated from version 3: none is lost, and each belongs
/// to the series that its run states.
fn all_of_version_3_is_in(store: &Store) {
    let runs = store.runs().unwrap();
    assert_eq!((runs.len(), store.machines().unwrap().len()), (15, 2));
    let series = store.series().unwrap();
    let (_, readings) = runs_and_readings(store);
    // They include figures of concurrent calls, which had no series then.
    assert_eq!((series.len(), readings), (41, 51));
    let libraries: BTreeSet<&str> = series.iter().map(|it| it.library.as_str()).collect();
    let wanted = [
        "native",
        "native;CPB_BURN=30",
        "new:openssl",
        "openssl",
        "openssl;OPENSSL_ia32cap=:~0x20000000",
        "openssl=…",
    ];
    assert_eq!(libraries, wanted.into());
    let of = |key: &str, library: &str| {
        let is_it = |it: &&Series| it.workload.to_string() == key && it.library == library;
        let found: Vec<&Series> = series.iter().filter(is_it).collect();
        let [found] = found[..] else { panic!("{} of {key}", found.len()) };
        store.history(found).unwrap().remove(0).build
    };
    let named = of("sha256/hash", "new:openssl");
    assert_eq!((&*named.version, &*named.path), ("3.0.19", "/tmp/saved/libcrypto.so.3"));
    assert_eq!(named.digest.len(), 64);
    let installed = of("aes-128-gcm/seal+aad=13", "openssl");
    assert_eq!(installed.path, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
}

/// Runs of `scale`, `--threads` and `recursive`, written by cpb when it stored concurrent results
/// beside the records.
const VERSION_4: &[u8] = include_bytes!("files/version-4.sqlite.gz");

/// Figures of concurrent calls now have histories, which they could have had before.
#[test]
fn all_of_version_4_is_there() {
    let (_folder, path) = unpacked(VERSION_4);
    for _ in 0..2 {
        let store = Store::open(&place(&path)).unwrap();
        let (all, readings) = runs_and_readings(&store);
        assert!(all.values().all(|run| !run.records.is_empty()));
        let first = all.keys().next().unwrap();
        assert!(store.describe(*first).unwrap().records.is_empty());
        let series = store.series().unwrap();
        let setups = series.iter().map(|it| it.setup.modifiers().join(", "));
        let measured = all.values().flat_map(|run| &run.records).filter(|it| it.is_measured());
        assert_eq!(readings, measured.count());
        let wanted = [
            "",
            "2 processes",
            "2 threads",
            "2 threads, 2 lanes",
            "2 lanes",
            "8 lanes",
            "beside 2 threads of memory traffic",
        ];
        assert_eq!(setups.collect::<BTreeSet<_>>(), wanted.map(str::to_owned).into());
    }
}

#[test]
fn all_of_version_3_is_there() {
    let (_folder, path) = unpacked(VERSION_3);
    for _ in 0..2 {
        all_of_version_3_is_in(&Store::open(&place(&path)).unwrap());
    }
}

/// Figures that were recomputed for a history are recomputed again.
#[test]
fn figures_and_their_estimator_are_those_of_the_documents() {
    let (_folder, path) = unpacked(VERSION_3);
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute("UPDATE runs SET estimator = 'another'", []).unwrap();
    old.execute("UPDATE figures SET estimate = 1e9", []).unwrap();
    drop(old);
    let store = Store::open(&place(&path)).unwrap();
    let runs = store.runs().unwrap();
    assert!(runs.iter().take(12).all(|run| run.estimator.as_deref() == Some("low-rounds")));
    for series in store.series().unwrap() {
        let readings = store.history(&series).unwrap();
        assert!(readings.iter().all(|it| it.figure.estimate < 1e6), "{series:?}");
    }
}

#[test]
fn an_interrupted_migration_leaves_the_store_as_it_was() {
    let (_folder, path) = unpacked(VERSION_3);
    let old = rusqlite::Connection::open(&path).unwrap();
    let contents = || -> Vec<String> {
        let tables = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
        let figures = "SELECT series || ' ' || run || ' ' || estimate FROM figures ORDER BY 1";
        rows(&old, tables).into_iter().chain(rows(&old, figures)).collect()
    };
    // The figures of the last document cannot be inserted, because its run does not exist.
    old.pragma_update(None, "foreign_keys", false).unwrap();
    old.execute("UPDATE documents SET run = 99 WHERE run = 12", []).unwrap();
    let before = contents();
    for _ in 0..2 {
        assert!(Store::open(&place(&path)).is_err());
        assert_eq!(contents(), before);
        let version: i64 = old.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(version, 3);
    }
    old.execute("UPDATE documents SET run = 12 WHERE run = 99", []).unwrap();
    all_of_version_3_is_in(&Store::open(&place(&path)).unwrap());
}

#[test]
fn a_database_of_version_2_keeps_its_figures_and_who_may_use_them() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let psql = |statements: &str| server.psql(&name, statements).unwrap();
    psql(&format!("CREATE SCHEMA cpb; SET search_path = cpb; {POSTGRES_1}; {POSTGRES_2};"));
    psql(
        "UPDATE cpb.store SET version = 2; CREATE ROLE member LOGIN;
         GRANT USAGE ON SCHEMA cpb TO member;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cpb TO member",
    );
    let (_folder, path) = unpacked(VERSION_3);
    let old = rusqlite::Connection::open(path).unwrap();
    for table in ["runs", "documents", "machines", "states", "series", "figures"] {
        let columns = rows(&old, &format!("SELECT name FROM pragma_table_info('{table}')"));
        // Both databases write values in the same way, except for bytes.
        let literal = |it: &String| {
            let bytes = format!("'''\\x' || hex({it}) || ''''");
            format!("CASE typeof({it}) WHEN 'blob' THEN {bytes} ELSE quote({it}) END")
        };
        let literals: Vec<String> = columns.iter().map(literal).collect();
        let columns = columns.join(", ");
        for row in rows(&old, &format!("SELECT {} FROM {table}", literals.join(" || ', ' || "))) {
            psql(&format!(
                "INSERT INTO cpb.{table} ({columns}) OVERRIDING SYSTEM VALUE VALUES ({row})"
            ));
        }
    }
    let address = server.address(&name);
    // A user who may not alter tables gets an error, and the tables do not change.
    let member = reaching::place(&address.replace("cpb@", "member@"));
    assert!(matches!(Store::open(&member), Err(StoreError::ReadOnly { .. })));
    assert_eq!(psql("SELECT version FROM cpb.store"), "2");
    all_of_version_3_is_in(&Store::open(&reaching::place(&address)).unwrap());
    assert_eq!(psql("SELECT version FROM cpb.store"), "4");
    // Earlier privileges remain, and also apply to the new table.
    let mut store = Store::open(&member).unwrap();
    all_of_version_3_is_in(&store);
    psql(
        "SELECT setval(pg_get_serial_sequence('cpb.runs', 'number'), 100),
                setval(pg_get_serial_sequence('cpb.machines', 'number'), 100)",
    );
    assert_eq!(store.save(&run(1)).unwrap(), 101);
}

fn rows(database: &rusqlite::Connection, query: &str) -> Vec<String> {
    let mut statement = database.prepare(query).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}
