//! The file of runs.

use crate::document::{
    MOST_SAMPLES, pack, pack_records, pack_samples, unpack, unpack_samples, without_raw,
};
use crate::insert::{insert_figure, insert_run, versions};
use crate::{StoreError, label, schema};
use cpb_model::{RawRounds, Run};
use rusqlite::blob::{Blob, ZeroBlob};
use rusqlite::{
    Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior, params,
};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Makes a UUID of the content of a run that has none (RFC 9562 section 5.5).
const RUNS_WITHOUT_ID: Uuid = Uuid::from_u128(0x5f3c_0f5e_94f4_4b5e_9d6f_7c0c_2b86_5a11);

/// What is copied at a time.
const PART_BYTES: usize = 1 << 16;

/// A store that is open.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// How a run is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name<'a> {
    /// By its number in this store.
    Number(i64),
    /// As so many runs before the one started last.
    Latest {
        /// 0 is the last.
        before: usize,
    },
    /// By its label or its UUID.
    Word(&'a str),
}

impl<'a> Name<'a> {
    /// What `text` names: `17`, `#17`, `latest`, `latest~2`, or a label.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        if let Some(number) = number(text.strip_prefix('#').unwrap_or(text)) {
            return Name::Number(number);
        }
        let before = match text.strip_prefix("latest") {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('~').and_then(number),
            None => None,
        };
        match before.map(usize::try_from) {
            Some(Ok(before)) => Name::Latest { before },
            _ => Name::Word(text),
        }
    }
}

impl Store {
    /// The store at `path`, which may be read-only if nothing is to be changed.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open(path, false)?, path: path.to_owned() })
    }

    /// The store at `path`, made where there is none.
    ///
    /// # Errors
    /// When it cannot be used or made.
    pub fn open_or_create(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open(path, true)?, path: path.to_owned() })
    }

    /// Saves `run` with the raw samples it has, and returns its number. When
    /// this returns, the run outlasts a power cut.
    ///
    /// # Errors
    /// [`StoreError::Present`] when the run is there already; when the store
    /// cannot be written.
    pub fn save(&mut self, run: &Run) -> Result<i64, StoreError> {
        let own = |position: usize| Ok(run.records[position].raw());
        self.save_with(run, own)
    }

    /// Saves `run` as [`Store::save`] does, but with the raw samples that
    /// `samples` has for the points of each record: those of a long run need
    /// not be in memory at once.
    ///
    /// # Errors
    /// As [`Store::save`], and when `samples` fails.
    pub fn save_with(
        &mut self,
        run: &Run,
        samples: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
    ) -> Result<i64, StoreError> {
        let mut described = run.without_records();
        if described.id.is_empty() {
            described.id = id_of_content(run).map_err(unfit)?;
        }
        let id = &described.id;
        let description = pack(&described).map_err(unfit)?;
        let mut records = pack_records(&run.records).map_err(unfit)?;
        let bytes = records.seek(SeekFrom::End(0)).map_err(unfit)?;
        records.rewind().map_err(unfit)?;
        let path = self.path.clone();
        let damaged = |error: rusqlite::Error| StoreError::of(&path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(damaged)?;
        let present = transaction
            .query_row("SELECT number FROM runs WHERE id = ?1", [id], |row| row.get(0))
            .optional()
            .map_err(damaged)?;
        if let Some(number) = present {
            return Err(StoreError::Present { number });
        }
        let number = insert_run(&transaction, run, id).map_err(damaged)?;
        transaction
            .execute(
                "INSERT INTO documents (run, description, records) VALUES (?1, ?2, ?3)",
                params![number, description, ZeroBlob(bytes)],
            )
            .map_err(damaged)?;
        fill_records(&transaction, &mut records, &path)?;
        let versions = versions(run);
        for (index, record) in run.records.iter().enumerate() {
            let position = index as i64;
            insert_figure(&transaction, &versions, number, position, record).map_err(damaged)?;
            if record.points.is_empty() {
                continue;
            }
            if let Some(packed) =
                samples(index).and_then(|all| pack_samples(&all)).map_err(unfit)?
            {
                transaction
                    .prepare_cached(
                        "INSERT INTO samples (run, position, packed) VALUES (?1, ?2, ?3)",
                    )
                    .and_then(|mut insert| insert.execute(params![number, position, packed]))
                    .map_err(damaged)?;
            }
        }
        transaction.commit().map_err(damaged)?;
        Ok(number)
    }

    /// The run with this number, with its raw samples.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] when there is none; when the store cannot be read.
    pub fn load(&self, number: i64) -> Result<Run, StoreError> {
        if self.rows("SELECT 1 FROM documents WHERE run = ?1", [number], |_| Ok(()))?.is_empty() {
            return Err(match self.find(Name::Number(number))? {
                Some(_) => self.damaged(format!("the records of run {number} are gone")),
                None => StoreError::NoRun { number },
            });
        }
        let unreadable = |error: io::Error| self.damaged(format!("run {number}: {error}"));
        let mut run = self.describe(number)?;
        let records = BufReader::new(self.blob("documents", "records", number)?);
        run.records = unpack(records).map_err(unreadable)?;
        let samples =
            self.rows("SELECT position, rowid FROM samples WHERE run = ?1", [number], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })?;
        let mut left = MOST_SAMPLES;
        for (position, row) in samples {
            let record = usize::try_from(position).ok().and_then(|p| run.records.get_mut(p));
            let record = record.ok_or_else(|| {
                self.damaged(format!("run {number} has samples of a record it does not have"))
            })?;
            let packed = BufReader::new(self.blob("samples", "packed", row)?);
            unpack_samples(packed, record, &mut left).map_err(unreadable)?;
        }
        Ok(run)
    }

    /// The run with this number without its records, which may be many.
    ///
    /// # Errors
    /// When there is none; when the store cannot be read.
    pub fn describe(&self, number: i64) -> Result<Run, StoreError> {
        let description = BufReader::new(self.blob("documents", "description", number)?);
        unpack(description).map_err(|error| self.damaged(format!("run {number}: {error}")))
    }

    /// What stands in a column, to be read piece by piece.
    fn blob(&self, table: &str, column: &str, row: i64) -> Result<Blob<'_>, StoreError> {
        let opened = self.connection.blob_open("main", table, column, row, true);
        opened.map_err(|error| StoreError::of(&self.path, &error))
    }

    /// The number of the run that `name` means.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn find(&self, name: Name<'_>) -> Result<Option<i64>, StoreError> {
        let number = |row: &Row<'_>| row.get(0);
        let found = match name {
            Name::Number(wanted) => {
                self.rows("SELECT number FROM runs WHERE number = ?1", [wanted], number)
            }
            Name::Latest { before } => self.rows(
                "SELECT number FROM runs ORDER BY started DESC, number DESC LIMIT 1 OFFSET ?1",
                [i64::try_from(before).unwrap_or(i64::MAX)],
                number,
            ),
            Name::Word(word) => {
                self.rows("SELECT number FROM runs WHERE label = ?1 OR id = ?1", [word], number)
            }
        };
        Ok(found?.pop())
    }

    /// Labels a run. A label belongs to one run; with `take` it is taken from
    /// the run that has it.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; [`StoreError::WrongLabel`] where it could be
    /// taken for another name; [`StoreError::LabelTaken`]; when the store
    /// cannot be written.
    pub fn label(&mut self, number: i64, label: &str, take: bool) -> Result<(), StoreError> {
        label::check(label)?;
        self.write(|transaction| {
            let owner: Option<i64> = transaction
                .query_row("SELECT number FROM runs WHERE label = ?1", [label], |row| row.get(0))
                .optional()?;
            match owner.filter(|owner| *owner != number) {
                Some(owner) if !take => {
                    return Ok(Err(StoreError::LabelTaken {
                        label: label.to_owned(),
                        number: owner,
                    }));
                }
                Some(owner) => {
                    transaction
                        .execute("UPDATE runs SET label = NULL WHERE number = ?1", [owner])?;
                }
                None => {}
            }
            let change = "UPDATE runs SET label = ?2 WHERE number = ?1";
            Ok(exists(number, transaction.execute(change, params![number, label])?))
        })
    }

    /// Takes a run's label away.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; when the store cannot be written.
    pub fn unlabel(&mut self, number: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            let change = "UPDATE runs SET label = NULL WHERE number = ?1";
            Ok(exists(number, transaction.execute(change, [number])?))
        })
    }

    /// Deletes runs: all of them, or, where one is not there, none.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; when the store cannot be written.
    pub fn delete(&mut self, numbers: &[i64]) -> Result<(), StoreError> {
        self.write(|transaction| {
            for &number in numbers {
                let deleted =
                    transaction.execute("DELETE FROM runs WHERE number = ?1", [number])?;
                if deleted == 0 {
                    return Ok(Err(StoreError::NoRun { number }));
                }
            }
            transaction.execute(
                "DELETE FROM series WHERE number NOT IN (SELECT series FROM figures)",
                [],
            )?;
            Ok(Ok(()))
        })
    }

    /// Does `work` in a transaction, which is undone where it fails.
    fn write(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Result<(), StoreError>>,
    ) -> Result<(), StoreError> {
        let path = self.path.clone();
        let damaged = |error: rusqlite::Error| StoreError::of(&path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(damaged)?;
        work(&transaction).map_err(damaged)??;
        transaction.commit().map_err(damaged)
    }

    /// What `query` finds.
    pub(crate) fn rows<T>(
        &self,
        query: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let find = || {
            let mut statement = self.connection.prepare_cached(query)?;
            statement.query_map(parameters, read)?.collect::<rusqlite::Result<_>>()
        };
        find().map_err(|error| StoreError::of(&self.path, &error))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::damaged(&self.path, what)
    }
}

fn unfit(error: io::Error) -> StoreError {
    StoreError::Unfit { reason: error.to_string() }
}

/// Puts `records` into the room of the document that was inserted last.
fn fill_records(
    transaction: &Transaction<'_>,
    records: &mut impl Read,
    path: &Path,
) -> Result<(), StoreError> {
    let damaged = |error: rusqlite::Error| StoreError::of(path, &error);
    let mut place = transaction
        .blob_open("main", "documents", "records", transaction.last_insert_rowid(), false)
        .map_err(damaged)?;
    let (mut part, mut offset) = (vec![0; PART_BYTES], 0);
    loop {
        match records.read(&mut part).map_err(unfit)? {
            0 => return place.close().map_err(damaged),
            read => {
                place.write_at(&part[..read], offset).map_err(damaged)?;
                offset += read;
            }
        }
    }
}

/// For a run that has no UUID: always the same for the same figures.
fn id_of_content(run: &Run) -> std::io::Result<String> {
    let mut bare = run.without_records();
    bare.records = run.records.iter().map(without_raw).collect();
    let content = serde_json::to_vec(&bare)?;
    Ok(Uuid::new_v5(&RUNS_WITHOUT_ID, &content).to_string())
}

fn exists(number: i64, changed: usize) -> Result<(), StoreError> {
    if changed == 0 { Err(StoreError::NoRun { number }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut store = Store::open_or_create(&folder.path().join("runs.sqlite")).unwrap();
        let first = store.save(&run(1)).unwrap();
        // SQLite answers a file that may not grow as it does a full volume.
        let pages: i64 =
            store.connection.pragma_query_value(None, "page_count", |r| r.get(0)).unwrap();
        store.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let mut large = run(2);
        large.warnings = (0..2_000).map(|n| Uuid::from_u128(n * n * n).to_string()).collect();
        let refused = store.save(&large);
        assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
        assert_eq!(store.runs().unwrap().len(), 1);
        assert_eq!(store.load(first).unwrap(), run(1));
        store.connection.pragma_update(None, "max_page_count", pages + 10_000).unwrap();
        let number = store.save(&large).unwrap();
        assert_eq!(store.load(number).unwrap(), large);
    }
}
