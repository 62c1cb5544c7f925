//! Keeps a store in an SQLite file.

pub(crate) mod schema;

use crate::database::{Database, Row, Value};
use crate::{StoreError, StoreLocation};
use rusqlite::blob::ZeroBlob;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, params_from_iter};
use std::borrow::Borrow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::SpooledTempFile;

/// SQLite instructions between checks of the time: a fraction of a millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;
/// Bytes copied at a time.
const PART_BYTES: usize = 1 << 16;

/// An open file.
pub(crate) struct Sqlite<C = Connection> {
    connection: C,
    path: PathBuf,
    /// The time limit of a statement, and the deadline of the current one.
    patience: Option<(Duration, Arc<Mutex<Instant>>)>,
}

impl Sqlite {
    /// Opens the file at `path`; creates it if `create` is set.
    pub(crate) fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
        Ok(Self::of(schema::open(path, create)?, path))
    }

    /// Limits the time of all later statements.
    pub(crate) fn give_up_after(&mut self, time: Duration) -> Result<(), StoreError> {
        let end = Arc::new(Mutex::new(Instant::now() + time));
        let of_statement = Arc::clone(&end);
        self.patience = Some((time, end));
        let is_over =
            move || Instant::now() > *of_statement.lock().unwrap_or_else(PoisonError::into_inner);
        let set = self.connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_over));
        set.map_err(|error| of(&self.path, &error))
    }
}

impl<C: Borrow<Connection>> Sqlite<C> {
    fn of(connection: C, path: &Path) -> Self {
        Self { connection, path: path.to_owned(), patience: None }
    }

    /// Sets the deadline of a statement that begins.
    fn begin_statement(&self) {
        if let Some((time, end)) = &self.patience {
            *end.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + *time;
        }
    }

    fn connection(&self) -> &Connection {
        self.connection.borrow()
    }

    fn batch(&self, statement: &str) -> Result<(), StoreError> {
        self.connection().execute_batch(statement).map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &rusqlite::Error) -> StoreError {
        of(&self.path, error)
    }

    fn damaged(&self, what: impl ToString) -> StoreError {
        StoreError::damaged(&StoreLocation::File(self.path.clone()), what)
    }
}

impl<C: Borrow<Connection>> Database for Sqlite<C> {
    fn rows(
        &self,
        query: &'static str,
        parameters: &[Value<'_>],
        take: &mut dyn FnMut(&dyn Row) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let fault = |error: rusqlite::Error| self.fault(&error);
        self.begin_statement();
        let mut statement = self.connection().prepare_cached(&numbered(query)).map_err(fault)?;
        let mut rows = statement.query(params_from_iter(parameters)).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            take(row).map_err(|what| self.damaged(what))?;
        }
        Ok(())
    }

    fn execute(&self, statement: &'static str, all: &[Vec<Value<'_>>]) -> Result<u64, StoreError> {
        let execute = || {
            let mut statement = self.connection().prepare_cached(&numbered(statement))?;
            all.iter().try_fold(0, |changed, parameters| {
                Ok(changed + statement.execute(params_from_iter(parameters))? as u64)
            })
        };
        execute().map_err(|error| self.fault(&error))
    }

    fn insert_document(
        &self,
        run: i64,
        description: &[u8],
        records: &mut SpooledTempFile,
    ) -> Result<(), StoreError> {
        let fault = |error: rusqlite::Error| self.fault(&error);
        let unfit = |error: io::Error| StoreError::unfit(&error);
        let bytes = records.seek(SeekFrom::End(0)).map_err(unfit)?;
        records.rewind().map_err(unfit)?;
        self.connection()
            .execute(
                "INSERT INTO documents (run, description, records) VALUES (?1, ?2, ?3)",
                rusqlite::params![run, description, ZeroBlob(bytes)],
            )
            .map_err(fault)?;
        let mut place = self
            .connection()
            .blob_open("main", "documents", "records", run, false)
            .map_err(fault)?;
        let (mut part, mut offset) = (vec![0; PART_BYTES], 0);
        loop {
            match records.read(&mut part).map_err(unfit)? {
                0 => return place.close().map_err(fault),
                read => {
                    place.write_at(&part[..read], offset).map_err(fault)?;
                    offset += read;
                }
            }
        }
    }

    fn begin(&self) -> Result<(), StoreError> {
        self.batch("BEGIN IMMEDIATE")
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    fn roll_back(&self) {
        // SQLite may have rolled back already.
        let _ = self.connection().execute_batch("ROLLBACK");
    }
}

/// Rewrites the parameters of `query` to SQLite's form.
fn numbered(query: &str) -> String {
    query.replace('$', "?")
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Integer(number) => ValueRef::Integer(number),
            Value::Real(number) => ValueRef::Real(number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
            Value::Nothing => ValueRef::Null,
        }))
    }
}

impl Row for rusqlite::Row<'_> {
    fn integer(&self, column: usize) -> Result<i64, String> {
        self.get(column).map_err(|error| error.to_string())
    }

    fn real(&self, column: usize) -> Result<Option<f64>, String> {
        self.get(column).map_err(|error| error.to_string())
    }

    fn text(&self, column: usize) -> Result<Option<&str>, String> {
        let value = self.get_ref(column).map_err(|error| error.to_string())?;
        value.as_str_or_null().map_err(|error| error.to_string())
    }

    fn bytes(&self, column: usize) -> Result<&[u8], String> {
        let value = self.get_ref(column).map_err(|error| error.to_string())?;
        value.as_blob().map_err(|error| error.to_string())
    }
}

/// Returns the meaning of SQLite's `error` on the store at `path`.
pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> StoreError {
    let place = StoreLocation::File(path.to_owned());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::damaged(&place, error)
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { place },
        Some(ErrorCode::DiskFull) => StoreError::Full { place },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { place },
        Some(ErrorCode::CannotOpen) if is_read_only(path) => StoreError::ReadOnly { place },
        Some(ErrorCode::OperationInterrupted) => {
            StoreError::Io { place, reason: "the answer took too long".to_owned() }
        }
        Some(_) => StoreError::Io { place, reason: error.to_string() },
        // A column of a type it cannot have, or a missing table.
        None => StoreError::damaged(&place, error),
    }
}

/// Whether nothing can be written next to `path`, as SQLite must.
fn is_read_only(path: &Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    let probe = folder.join(format!(".cpb-{}", std::process::id()));
    match std::fs::File::create_new(&probe) {
        Ok(_) => {
            let _ = std::fs::remove_file(&probe);
            false
        }
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use cpb_model::Run;
    use uuid::Uuid;

    fn run(id: u128) -> Run {
        let text = format!(
            r#"{{"schema": 1, "version": "0", "command": [], "started": 0, "seconds": 0.0,
                 "host": {{"architecture": "x", "features": [], "allowed_cpus": [], "cores": []}},
                 "libraries": [], "records": [], "warnings": [], "id": "{}"}}"#,
            Uuid::from_u128(id)
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_full_volume_is_told_and_loses_nothing() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("runs.sqlite");
        let place = StoreLocation::File(path.clone());
        let first = Store::open_or_create(&place).unwrap().save(&run(1)).unwrap();
        let file = Sqlite::open(&path, false).unwrap();
        // A file that may not grow gives the same error as a full volume.
        let pages: i64 =
            file.connection.pragma_query_value(None, "page_count", |r| r.get(0)).unwrap();
        file.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let mut store = Store::of(Box::new(file), place.clone());
        let mut large = run(2);
        large.warnings = (0..2_000).map(|n| Uuid::from_u128(n * n * n).to_string()).collect();
        let refused = store.save(&large);
        assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
        assert_eq!(store.runs().unwrap().len(), 1);
        assert_eq!(store.load(first).unwrap(), run(1));
        drop(store);
        let mut store = Store::open(&place).unwrap();
        let number = store.save(&large).unwrap();
        assert_eq!(store.load(number).unwrap(), large);
    }

    #[test]
    fn a_statement_takes_no_longer_than_it_may() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut file = Sqlite::open(&folder.path().join("runs.sqlite"), true).unwrap();
        file.give_up_after(Duration::from_millis(50)).unwrap();
        let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
                    SELECT count(*) FROM n";
        let count = |most: i64| {
            let mut found = 0;
            let limit = [Value::Integer(most)];
            file.rows(long, &limit, &mut |row| row.integer(0).map(|count| found = count))?;
            Ok::<i64, StoreError>(found)
        };
        let refused = count(1 << 40).unwrap_err();
        assert!(refused.to_string().contains("took too long"), "{refused}");
        // The next statement starts again.
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(count(3).unwrap(), 3);
    }
}
