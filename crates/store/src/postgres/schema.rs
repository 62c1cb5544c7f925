//! Manages the tables and their versions, and opens a database safely.
//!
//! Everything is in a schema `cpb`, so that the database may have other tables.

use super::Postgres;
use crate::database::{all, in_transaction};
use crate::insert::fill_figures;
use crate::{StoreError, StoreLocation};

/// "cpb" and a line feed: the number of the writers' lock, distinct from those of other programs.
pub(super) const LOCK: i64 = 0x6370_620a;

/// The statements from each version to the next, the first from an empty schema. Lines are only
/// ever appended.
const MIGRATIONS: [&str; 4] = [
    include_str!("../schema/postgres/1.sql"),
    include_str!("../schema/postgres/2.sql"),
    include_str!("../schema/postgres/3.sql"),
    include_str!("../schema/postgres/4.sql"),
];

/// The version since which figures belong to series of a workload and a setup. Stores from before
/// are filled in again.
const FIGURES: usize = 4;

/// The version that this program reads and writes.
#[allow(clippy::cast_possible_wrap, reason = "there will never be so many")]
const VERSION: i64 = MIGRATIONS.len() as i64;

/// The settings of every connection: names refer only to our schema, a finished run survives a
/// power cut, and waiting has a limit.
const SETTINGS: &str = "SET search_path = cpb, pg_temp;
     SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') = 'off';
     SET lock_timeout = '30s'; SET idle_in_transaction_session_timeout = '10min';
     SET standard_conforming_strings = on; SET default_transaction_isolation = 'read committed'";

/// Relations of the schema, of which `store` is the mark.
const RELATIONS: &str = "SELECT count(*), count(*) FILTER (WHERE relname = 'store')
     FROM pg_catalog.pg_class WHERE relnamespace =
         (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'cpb')";

/// Objects that run with the rights of whoever reads or writes a table; cpb creates none: views,
/// rules, triggers, policies, defaults and generated columns.
const STRANGE: &str = "SELECT count(*) FROM pg_catalog.pg_class c
     WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'cpb')
       AND relname IN ('store', 'runs', 'documents', 'samples', 'series', 'builds', 'figures',
                       'machines', 'states')
       AND (relkind <> 'r' OR relhasrules OR relrowsecurity
            OR EXISTS (SELECT FROM pg_catalog.pg_trigger t
                       WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
            OR EXISTS (SELECT FROM pg_catalog.pg_attrdef d WHERE d.adrelid = c.oid)
            OR EXISTS (SELECT FROM pg_catalog.pg_inherits i
                       WHERE i.inhparent = c.oid OR i.inhrelid = c.oid))";

/// Migrates the store to the newest version; creates it if `create` is set.
pub(super) fn prepare(database: &Postgres, create: bool) -> Result<(), StoreError> {
    database.batch(SETTINGS)?;
    let version = version(database)?;
    if version == 0 && !create {
        return Err(StoreError::Missing { place: database.place() });
    }
    if version < VERSION { migrate(database) } else { check(database) }
}

/// Returns the version of the store; 0 if there is none yet.
fn version(database: &Postgres) -> Result<i64, StoreError> {
    let place = || database.place();
    let relations = all(database, RELATIONS, &[], |row| Ok([row.integer(0)?, row.integer(1)?]))?;
    match relations.first() {
        None | Some([0, _]) => return Ok(0),
        Some([_, 0]) => return Err(StoreError::Foreign { place: place() }),
        Some(_) => {}
    }
    let mark = "SELECT application, version FROM cpb.store LIMIT 2";
    let mark = all(database, mark, &[], |row| {
        Ok((row.text(0)?.unwrap_or_default().to_owned(), row.integer(1)?))
    });
    match mark {
        Ok(mark) => match mark.as_slice() {
            [(application, version)] if application == "cpb" && *version > 0 => {
                if *version > VERSION {
                    return Err(StoreError::Newer {
                        place: place(),
                        schema: *version,
                        known: VERSION,
                    });
                }
                Ok(*version)
            }
            _ => Err(StoreError::Foreign { place: place() }),
        },
        // A table of that name, with other columns.
        Err(StoreError::Damaged { .. }) => Err(StoreError::Foreign { place: place() }),
        Err(other) => Err(other),
    }
}

fn check(database: &Postgres) -> Result<(), StoreError> {
    let strange = crate::database::number(database, STRANGE, &[])?;
    if strange == Some(0) { Ok(()) } else { Err(altered(&database.place())) }
}

fn altered(place: &StoreLocation) -> StoreError {
    StoreError::damaged(place, "its tables are not those that cpb makes")
}

fn migrate(database: &Postgres) -> Result<(), StoreError> {
    in_transaction(database, || {
        database.batch("CREATE SCHEMA IF NOT EXISTS cpb")?;
        // Another process may have done it meanwhile.
        let done = usize::try_from(version(database)?).unwrap_or(0);
        for (number, migration) in (1..).zip(MIGRATIONS).skip(done) {
            database.batch(migration)?;
            database.batch(&format!("UPDATE cpb.store SET version = {number}"))?;
        }
        if done < FIGURES {
            fill_figures(database)?;
        }
        check(database)
    })
}
