//! Defines what the store needs from a database. Queries are written once, in the common subset of
//! SQLite's and PostgreSQL's SQL; [`Database`] hides the differences.

use crate::StoreError;
use std::io::{self, Cursor, Read};
use tempfile::SpooledTempFile;

/// An open database with cpb's tables.
pub(crate) trait Database {
    /// Passes each row that `query` finds to `take`, whose errors mean damage. `$1` in a query is
    /// the first of `parameters`.
    fn rows(
        &self,
        query: &'static str,
        parameters: &[Value<'_>],
        take: &mut dyn FnMut(&dyn Row) -> Result<(), String>,
    ) -> Result<(), StoreError>;

    /// Executes `statement` with each of `all`, and returns how many rows changed.
    fn execute(&self, statement: &'static str, all: &[Vec<Value<'_>>]) -> Result<u64, StoreError>;

    /// Inserts a run's document: its description, and its records, which may be too large for
    /// memory.
    fn insert_document(
        &self,
        run: i64,
        description: &[u8],
        records: &mut SpooledTempFile,
    ) -> Result<(), StoreError>;

    /// Begins a write transaction, once no other is running.
    fn begin(&self) -> Result<(), StoreError>;

    /// Commits it. Once this returns, the changes survive a power cut.
    fn commit(&self) -> Result<(), StoreError>;

    /// Undoes it.
    fn roll_back(&self);
}

/// A parameter for `$1`, `$2` …
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Nothing,
}

/// A row found by a query.
pub(crate) trait Row {
    fn integer(&self, column: usize) -> Result<i64, String>;
    fn real(&self, column: usize) -> Result<Option<f64>, String>;
    fn text(&self, column: usize) -> Result<Option<&str>, String>;
    fn bytes(&self, column: usize) -> Result<&[u8], String>;
}

macro_rules! from {
    ($($Type:ty => $Kind:ident)+) => {
        $(
            impl<'a> From<$Type> for Value<'a> {
                fn from(value: $Type) -> Self {
                    Value::$Kind(value)
                }
            }
        )+
    };
}
from! { i64 => Integer f64 => Real &'a str => Text &'a String => Text &'a [u8] => Bytes }

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Nothing, Into::into)
    }
}

/// Returns the values of its expressions, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

/// Runs `work` in a transaction, which is undone if it fails.
pub(crate) fn in_transaction<T>(
    database: &dyn Database,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    database.begin()?;
    let done = work().and_then(|done| {
        database.commit()?;
        Ok(done)
    });
    if done.is_err() {
        database.roll_back();
    }
    done
}

/// Returns all rows that `query` finds, each parsed by `read`.
pub(crate) fn all<T>(
    database: &dyn Database,
    query: &'static str,
    parameters: &[Value<'_>],
    read: impl Fn(&dyn Row) -> Result<T, String>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    database.rows(query, parameters, &mut |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Returns the number that `query` finds, which must find at most one.
pub(crate) fn number(
    database: &dyn Database,
    query: &'static str,
    parameters: &[Value<'_>],
) -> Result<Option<i64>, StoreError> {
    Ok(all(database, query, parameters, |row| row.integer(0))?.pop())
}

/// A reader that fetches bytes piece by piece, because those of a long run are too large for
/// memory.
pub(crate) struct Pieces<'a> {
    database: &'a dyn Database,
    /// Finds `$3` bytes from the `$2`nd on of the value of `$1`.
    query: &'static str,
    key: i64,
    piece: Cursor<Vec<u8>>,
    offset: i64,
}

const PIECE_BYTES: i64 = 1 << 20;

impl<'a> Pieces<'a> {
    pub(crate) fn of(database: &'a dyn Database, query: &'static str, key: i64) -> Self {
        Self { database, query, key, piece: Cursor::default(), offset: 1 }
    }

    fn fetch(&mut self) -> io::Result<()> {
        let parameters = values![self.key, self.offset, PIECE_BYTES];
        let found = all(self.database, self.query, &parameters, |row| Ok(row.bytes(0)?.to_vec()));
        self.piece = Cursor::new(found.map_err(io::Error::other)?.pop().unwrap_or_default());
        self.offset += PIECE_BYTES;
        Ok(())
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.piece.get_ref().len() as u64;
        let is_last = self.offset > 1 && length < PIECE_BYTES as u64;
        if self.piece.position() == length && !is_last {
            self.fetch()?;
        }
        self.piece.read(buffer)
    }
}
