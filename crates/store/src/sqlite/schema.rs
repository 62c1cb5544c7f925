//! Manages the tables and their versions, and opens a file safely.

use super::Sqlite;
use crate::database::Database;
use crate::insert::fill_figures;
use crate::location::is_path;
use crate::machine::fill_states;
use crate::{LocationError, StoreError, StoreLocation};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// "cpb" and a line feed, in the header of every store.
const APPLICATION_ID: i32 = 0x6370_620a;
/// The beginning of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The time limit to wait for another process's transaction.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a row: the packed records of a long run take a tenth of this.
const MOST_IN_A_ROW: i32 = 64 << 20;
const PAUSE: Duration = Duration::from_millis(20);

/// The step from one version to the next.
struct Migration {
    tables: &'static str,
    /// Fills the new tables from existing data.
    fill: fn(&dyn Database) -> Result<(), StoreError>,
}

/// The steps from each version to the next, the first from an empty file. Lines are only ever
/// appended.
const MIGRATIONS: [Migration; 5] = [
    Migration { tables: include_str!("../schema/1.sql"), fill: |_| Ok(()) },
    Migration { tables: include_str!("../schema/2.sql"), fill: fill_states },
    Migration { tables: include_str!("../schema/3.sql"), fill: |_| Ok(()) },
    // The next step fills its tables.
    Migration { tables: include_str!("../schema/4.sql"), fill: |_| Ok(()) },
    Migration { tables: include_str!("../schema/5.sql"), fill: fill_figures },
];

/// The version that this program reads and writes.
#[allow(clippy::cast_possible_wrap, reason = "there will never be so many")]
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Opens the store at `path` and migrates it to the newest version. A store that cannot be written
/// can still be read.
pub(crate) fn open(path: &Path, create: bool) -> Result<Connection, StoreError> {
    let io = |reason: std::io::Error| StoreError::Io {
        place: StoreLocation::File(path.to_owned()),
        reason: reason.to_string(),
    };
    if !is_path(path) {
        return Err(LocationError::NoPath { path: path.to_owned() }.into());
    }
    match std::fs::metadata(path) {
        Ok(metadata) => {
            // Checked before opening: a pipe would block, and a device might be read forever.
            if !metadata.is_file() {
                let what = what_is(metadata.file_type());
                return Err(StoreError::NoFile { path: path.to_owned(), what });
            }
            let mut start = Vec::with_capacity(MAGIC.len());
            let file = std::fs::File::open(path).map_err(io)?;
            file.take(MAGIC.len() as u64).read_to_end(&mut start).map_err(io)?;
            if !start.is_empty() && start != MAGIC {
                return Err(StoreError::Foreign { place: StoreLocation::File(path.to_owned()) });
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if !create {
                return Err(StoreError::Missing { place: StoreLocation::File(path.to_owned()) });
            }
            make_folder(path)?;
        }
        Err(error) => return Err(io(error)),
    }
    // SQLite is built to interpret URIs; an absolute path is none.
    let absolute = std::path::absolute(path).map_err(io)?;
    let connected = match connect(&absolute, Access::Write) {
        Err(refused) if !create && refused.is_of_reading() && is_settled(&absolute) => {
            connect(&absolute, Access::ReadUnchanging)
        }
        connected => connected,
    };
    connected.map_err(|refused| refused.into_store_error(path))
}

fn what_is(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Whether the file itself contains everything, and no journal exists beside it.
fn is_settled(path: &Path) -> bool {
    ["-wal", "-journal"].into_iter().all(|ending| {
        let mut journal = path.as_os_str().to_owned();
        journal.push(ending);
        std::fs::metadata(journal).map_or(true, |metadata| metadata.len() == 0)
    })
}

/// States how a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Write,
    /// Reads the file as one that does not change, on a medium without locks and without files
    /// beside it.
    ReadUnchanging,
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let place = StoreLocation::File(path.to_owned());
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { place }
        }
        std::io::ErrorKind::StorageFull => StoreError::Full { place },
        _ => StoreError::Io { place, reason: error.to_string() },
    })
}

enum Refused {
    Foreign,
    Newer(i64),
    Altered,
    Sqlite(rusqlite::Error),
    Unfilled(StoreError),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Refused::Sqlite(error)
    }
}

impl Refused {
    /// Whether read-only access may be enough.
    fn is_of_reading(&self) -> bool {
        use ErrorCode::{CannotOpen, PermissionDenied, ReadOnly, SystemIoFailure};
        let Refused::Sqlite(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(CannotOpen | PermissionDenied | ReadOnly | SystemIoFailure)
        )
    }

    fn into_store_error(self, path: &Path) -> StoreError {
        let place = StoreLocation::File(path.to_owned());
        match self {
            Refused::Foreign => StoreError::Foreign { place },
            Refused::Newer(schema) => StoreError::Newer { place, schema, known: VERSION },
            Refused::Altered => {
                StoreError::damaged(&place, "its tables are not those that cpb makes")
            }
            Refused::Sqlite(error) => super::of(path, &error),
            Refused::Unfilled(error) => error,
        }
    }
}

fn connect(path: &Path, access: Access) -> Result<Connection, Refused> {
    let mut connection = match access {
        Access::Write => Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?,
        Access::ReadUnchanging => Connection::open_with_flags(
            unchanging(path),
            OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?,
    };
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A finished run must survive a power cut too: it costs minutes, this costs milliseconds.
    connection.pragma_update(None, "synchronous", "FULL")?;
    distrust(&connection)?;
    // In one transaction, since another process may be creating the file: half of its state before
    // and half after would look like a foreign file.
    let version = version(&*connection.transaction()?)?;
    if version < VERSION {
        if version == 0 {
            prepare_file(&connection)?;
        }
        migrate(&mut connection, path, &MIGRATIONS)?;
    } else {
        check_tables(&connection)?;
    }
    Ok(connection)
}

/// Treats the file as untrusted: allows only the functions and limits that cpb needs.
fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MOST_IN_A_ROW)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Checks that the tables are those of cpb: a view or trigger in their place would run foreign
/// code.
fn check_tables(connection: &Connection) -> Result<(), Refused> {
    let own = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|migration| own.execute_batch(migration.tables))?;
    if tables(connection)? == tables(&own)? { Ok(()) } else { Err(Refused::Altered) }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    // SQLite's own tables (sqlite_stat1) do not matter.
    let query = r"SELECT type, name, coalesce(sql, '') FROM sqlite_schema
                 WHERE name NOT LIKE 'sqlite\_stat%' ESCAPE '\' ORDER BY name LIMIT 100";
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// Returns the URI of a file that does not change while it is open.
fn unchanging(path: &Path) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?immutable=1"
}

/// Returns the version of the store; 0 for a file without tables.
fn version(connection: &Connection) -> Result<i64, Refused> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |r| r.get(0))?;
    let version = connection.pragma_query_value(None, "user_version", |r| r.get(0))?;
    if application != APPLICATION_ID {
        let is_empty =
            connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |r| r.get(0))?;
        return if is_empty && application == 0 && version == 0 {
            Ok(0)
        } else {
            Err(Refused::Foreign)
        };
    }
    if version > VERSION { Err(Refused::Newer(version)) } else { Ok(version) }
}

/// Prepares an empty file for its first table. Another process may do so too, and SQLite does not
/// wait by itself here.
fn prepare_file(connection: &Connection) -> Result<(), Refused> {
    let start = Instant::now();
    loop {
        // Space of deleted runs is returned.
        let prepared = connection
            .pragma_update(None, "auto_vacuum", "FULL")
            .and_then(|()| connection.pragma_update(None, "journal_mode", "WAL"));
        match prepared {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            other => return Ok(other?),
        }
    }
}

fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[Migration],
) -> Result<(), Refused> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let done = usize::try_from(version(&transaction)?).unwrap_or(0);
    for migration in migrations.iter().skip(done) {
        transaction.execute_batch(migration.tables)?;
        let tables = Sqlite::of(&*transaction, path);
        (migration.fill)(&tables).map_err(Refused::Unfilled)?;
    }
    if done < migrations.len() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", migrations.len() as i64)?;
    }
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_brought_forward_step_by_step() {
        let mut connection = Connection::open_in_memory().unwrap();
        // One more than this program knows.
        let newer = VERSION + 1;
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x)", "DROP TABLE a", "DROP TABLE b"];
        let steps = steps.into_iter().chain(std::iter::repeat("")).take(newer as usize);
        let steps: Vec<_> = steps.map(|tables| Migration { tables, fill: |_| Ok(()) }).collect();
        let path = Path::new("x");
        let version = |connection: &Connection| -> i64 {
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
        };
        migrate(&mut connection, path, &steps[..1]).ok().unwrap();
        assert_eq!(version(&connection), 1);
        // This makes the file one of a newer program.
        assert!(matches!(migrate(&mut connection, path, &steps), Ok(())));
        assert_eq!(version(&connection), newer);
        let refused = migrate(&mut connection, path, &steps);
        assert!(matches!(refused, Err(Refused::Newer(found)) if found == newer));
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .unwrap();
        assert_eq!(tables, 0);
    }
}
