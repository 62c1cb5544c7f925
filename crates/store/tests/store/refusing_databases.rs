//! Tests that databases that are foreign, newer, altered or damaged are rejected and not
//! changed.

use crate::reaching::place;
use crate::refusing::opening_fails;
use crate::sample::run;
use crate::server::{Server, shared};
use cpb_store::{Store, StoreError};

/// Creates a database with a run, and returns its name.
fn database() -> Option<(&'static Server, String)> {
    let server = shared()?;
    let name = server.name();
    let mut store = Store::open_or_create(&place(&server.address(&name))).unwrap();
    store.save(&run(1)).unwrap();
    Some((server, name))
}

fn refused(server: &Server, name: &str) -> StoreError {
    let tables = "SELECT relname, relkind, relhasrules FROM pg_class WHERE relnamespace =
                  (SELECT oid FROM pg_namespace WHERE nspname = 'cpb') ORDER BY 1";
    let contents = || server.psql(name, tables).unwrap();
    opening_fails(&place(&server.address(name)), name, contents)
}

#[test]
fn other_tables_are_left_alone() {
    let Some(server) = shared() else { return };
    for tables in [
        "CREATE SCHEMA cpb CREATE TABLE notes (text TEXT)",
        "CREATE SCHEMA cpb CREATE TABLE store (text TEXT)",
        "CREATE SCHEMA cpb CREATE TABLE store (application TEXT, version BIGINT)",
        "CREATE SCHEMA cpb CREATE TABLE store (application TEXT, version TEXT)",
        "CREATE SCHEMA cpb CREATE VIEW store AS SELECT 'x' AS application, 1::bigint AS version",
    ] {
        let name = server.name();
        server.psql(&name, tables).unwrap();
        let error = refused(server, &name);
        assert!(matches!(error, StoreError::Foreign { .. }), "{tables}: {error}");
    }
    // Other schemas are ignored, and an empty one is used.
    let name = server.name();
    server.psql(&name, "CREATE TABLE runs (x INT); CREATE SCHEMA cpb").unwrap();
    let address = place(&server.address(&name));
    assert!(matches!(Store::open(&address), Err(StoreError::Missing { .. })));
    Store::open_or_create(&address).unwrap().save(&run(1)).unwrap();
    assert_eq!(server.psql(&name, "SELECT count(*) FROM public.runs").unwrap(), "0");
}

#[test]
fn a_newer_database_is_left_to_a_newer_program() {
    let Some((server, name)) = database() else { return };
    server.psql(&name, "UPDATE cpb.store SET version = 99").unwrap();
    assert!(matches!(refused(server, &name), StoreError::Newer { schema: 99, known: 4, .. }));
}

#[test]
fn what_would_run_with_our_rights_is_refused() {
    let alterations = [
        "ALTER TABLE cpb.series RENAME TO s; CREATE VIEW cpb.series AS SELECT * FROM cpb.s",
        "CREATE FUNCTION cpb.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
         CREATE TRIGGER t BEFORE INSERT ON cpb.runs FOR EACH ROW EXECUTE FUNCTION cpb.f()",
        "CREATE RULE r AS ON DELETE TO cpb.runs DO INSTEAD NOTHING",
        "ALTER TABLE cpb.runs ENABLE ROW LEVEL SECURITY",
        "CREATE FUNCTION cpb.f() RETURNS TEXT LANGUAGE sql AS 'SELECT NULL';
         ALTER TABLE cpb.runs ALTER label SET DEFAULT cpb.f()",
    ];
    for alteration in alterations {
        let Some((server, name)) = database() else { return };
        server.psql(&name, alteration).unwrap();
        let error = refused(server, &name);
        assert!(matches!(error, StoreError::Damaged { .. }), "{alteration}: {error}");
    }
}

#[test]
fn damage_is_told() {
    let damages = [
        "ALTER TABLE cpb.runs DROP COLUMN machine",
        "DROP TABLE cpb.documents",
        "ALTER TABLE cpb.runs ALTER started TYPE TEXT",
        "UPDATE cpb.documents SET records = '\\x00'",
        "UPDATE cpb.documents SET description = substr(description, 1, 50)",
        "DELETE FROM cpb.documents",
        "UPDATE cpb.samples SET packed = substr(packed, 2)",
        "UPDATE cpb.samples SET position = 99",
        "UPDATE cpb.series SET workload = 'x'",
    ];
    for damage in damages {
        let Some((server, name)) = database() else { return };
        server.psql(&name, damage).unwrap();
        let read = Store::open(&place(&server.address(&name))).and_then(|store| {
            store.runs()?;
            store.series()?;
            store.load(1)
        });
        assert!(matches!(read, Err(StoreError::Damaged { .. })), "{damage}: {read:?}");
    }
}

#[test]
fn what_is_hostile_is_bounded_and_harmless() {
    let Some((server, name)) = database() else { return };
    let address = place(&server.address(&name));
    let told = |store: Result<Store, StoreError>| {
        let error = store.and_then(|store| Ok((store.runs()?, store.load(1)?))).unwrap_err();
        error.to_string()
    };
    server
        .psql(&name, "UPDATE cpb.runs SET label = E'\\x1b[2J', version = repeat('x', 60000000)")
        .unwrap();
    let runs = Store::open(&address).unwrap().runs().unwrap();
    assert_eq!(runs[0].label.as_deref(), Some("\\u{1b}[2J"));
    // This is more than a row may have.
    server.psql(&name, "UPDATE cpb.runs SET version = repeat('x', 90000000)").unwrap();
    assert!(told(Store::open(&address)).contains("more at once than cpb saves"));
    // This is more than a list may have, row by row.
    server
        .psql(
            &name,
            "UPDATE cpb.runs SET version = repeat('x', 20000000);
         INSERT INTO cpb.runs (id, started, seconds, version, machine, command, records, failures)
         SELECT n::text, 0, 0, repeat('x', 20000000), '', '[]', 0, 0 FROM generate_series(1, 5) n",
        )
        .unwrap();
    assert!(told(Store::open(&address)).contains("more is listed than cpb saves"));
    server
        .psql(
            &name,
            "DELETE FROM cpb.runs WHERE number > 1; UPDATE cpb.runs SET version = '';
         UPDATE cpb.samples SET packed = decode(repeat('00', 90000000), 'hex')",
        )
        .unwrap();
    assert!(told(Store::open(&address)).contains("more at once than cpb saves"));
}

#[test]
fn who_may_only_read_reads() {
    let Some((server, name)) = database() else { return };
    server
        .psql(
            &name,
            "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA cpb TO reader;
                        GRANT SELECT ON ALL TABLES IN SCHEMA cpb TO reader",
        )
        .unwrap();
    let address = server.address(&name).replace("cpb@", "reader@");
    let mut store = Store::open(&place(&address)).unwrap();
    assert_eq!(store.load(1).unwrap(), run(1));
    let error = store.save(&run(2)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert!(error.to_string().contains("grant"), "{error}");
    assert_eq!(store.runs().unwrap().len(), 1);
    // This user cannot create a store either.
    let other = server.address(&server.name()).replace("cpb@", "reader@");
    let refused = Store::open_or_create(&place(&other));
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{:?}", refused.err());
}
