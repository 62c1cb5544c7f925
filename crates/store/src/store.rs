//! Saves, loads, finds, labels and deletes runs, in any kind of store.

use crate::database::{Database, in_transaction, number, values};
use crate::document::{
    DESCRIPTION, MOST_SAMPLES, RECORDS, pack, pack_records, pack_samples, unpack_of,
    unpack_samples, whole, without_raw,
};
use crate::insert::{insert_figures, insert_run};
#[cfg(feature = "postgres")]
use crate::postgres;
use crate::sqlite::Sqlite;
use crate::{Limit, Name, StoreError, StoreLocation, label};
use cpb_model::{RawRounds, Run};
use std::io;
use std::time::Duration;
use uuid::Uuid;

/// The UUID namespace for runs without an ID (RFC 9562 section 5.5).
const RUNS_WITHOUT_ID: Uuid = Uuid::from_u128(0x5f3c_0f5e_94f4_4b5e_9d6f_7c0c_2b86_5a11);

/// Packed samples sent at a time, in bytes.
const SAMPLES_AT_ONCE: usize = 4 << 20;

/// An open store.
pub struct Store {
    database: Box<dyn Database + Send>,
    place: StoreLocation,
}

impl Store {
    /// Opens the store at `place`, which may be read-only if nothing is changed.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn open(place: &StoreLocation) -> Result<Self, StoreError> {
        Self::connect(place, false, None, None)
    }

    /// Works like [`Store::open`], with a time limit for each statement.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_within(place: &StoreLocation, time: Duration) -> Result<Self, StoreError> {
        Self::connect(place, false, Some(time), None)
    }

    /// Opens the store at `place`, or creates it.
    ///
    /// # Errors
    /// If it cannot be used or created.
    pub fn open_or_create(place: &StoreLocation) -> Result<Self, StoreError> {
        Self::connect(place, true, None, None)
    }

    /// Works like [`Store::open_or_create`], for sending: all waiting for a server ends at
    /// `limit`.
    ///
    /// # Errors
    /// As [`Store::open_or_create`], and if the server is silent for longer.
    pub fn open_to_send(place: &StoreLocation, limit: &Limit) -> Result<Self, StoreError> {
        Self::connect(place, true, Some(limit.patience), Some(limit))
    }

    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "for servers alone"))]
    fn connect(
        place: &StoreLocation,
        create: bool,
        patience: Option<Duration>,
        limit: Option<&Limit>,
    ) -> Result<Self, StoreError> {
        let database: Box<dyn Database + Send> = match place {
            StoreLocation::File(path) => {
                let mut file = Sqlite::open(path, create)?;
                patience.map_or(Ok(()), |time| file.give_up_after(time))?;
                Box::new(file)
            }
            #[cfg(feature = "postgres")]
            StoreLocation::Server(address) => postgres::open(address, create, patience, limit)?,
            #[cfg(not(feature = "postgres"))]
            StoreLocation::Server(address) => match **address {},
        };
        Ok(Self::of(database, place.clone()))
    }

    pub(crate) fn of(database: Box<dyn Database + Send>, place: StoreLocation) -> Self {
        Self { database, place }
    }

    pub(crate) fn database(&self) -> &dyn Database {
        &*self.database
    }

    /// Returns its location.
    pub fn place(&self) -> &StoreLocation {
        &self.place
    }

    /// Saves `run` with the raw samples it has, and returns its number. Once this returns, the run
    /// survives a power cut.
    ///
    /// # Errors
    /// [`StoreError::Present`] if the run is already saved; or if the store cannot be written.
    pub fn save(&mut self, run: &Run) -> Result<i64, StoreError> {
        self.save_with(run, |position| Ok(run.records[position].raw()))
    }

    /// Saves `run` as [`Store::save`] does, with the raw samples that `samples` returns for the
    /// points of each record, so that those of a long run need not be in memory at once.
    ///
    /// # Errors
    /// As [`Store::save`], and if `samples` fails.
    pub fn save_with(
        &mut self,
        run: &Run,
        samples: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
    ) -> Result<i64, StoreError> {
        self.save_and(run, samples, |_, _| Ok(()))
    }

    /// Saves `run`, and calls `more` with its number in the same transaction.
    pub(crate) fn save_and(
        &mut self,
        run: &Run,
        samples: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
        more: impl FnOnce(&dyn Database, i64) -> Result<(), StoreError>,
    ) -> Result<i64, StoreError> {
        let unfit = |error: io::Error| StoreError::unfit(&error);
        let mut described = run.without_records();
        if described.id.is_empty() {
            described.id = id_of_content(run).map_err(unfit)?;
        }
        let description = pack(&described).map_err(unfit)?;
        let mut records = pack_records(&run.records).map_err(unfit)?;
        self.write(|database| {
            let id = described.id.as_str();
            let present = "SELECT number FROM runs WHERE id = $1";
            if let Some(number) = number(database, present, &values![id])? {
                return Err(StoreError::Present { number });
            }
            let number = insert_run(database, run, id)?;
            database.insert_document(number, &description, &mut records)?;
            insert_figures(database, run, number)?;
            insert_samples(database, run, number, samples)?;
            more(database, number)?;
            Ok(number)
        })
    }

    /// Loads the run with this number, with its raw samples.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] if there is none; or if the store cannot be read.
    pub fn load(&self, wanted: i64) -> Result<Run, StoreError> {
        let database = self.database();
        let described = self.described(wanted)?;
        let unreadable = |error| self.unreadable(wanted, error);
        let mut run = whole(described, unpack_of(database, RECORDS, wanted).map_err(unreadable)?);
        let mut left = MOST_SAMPLES;
        let query = "SELECT position, packed FROM samples WHERE run = $1 ORDER BY position";
        database.rows(query, &values![wanted], &mut |row| {
            let position = usize::try_from(row.integer(0)?).ok();
            let record = position.and_then(|position| run.records.get_mut(position));
            let record = record
                .ok_or_else(|| format!("run {wanted} has samples of a record it does not have"))?;
            let unpacked = unpack_samples(row.bytes(1)?, record, &mut left);
            unpacked.map_err(|error| format!("run {wanted}: {error}"))
        })?;
        Ok(run)
    }

    /// Loads the run with this number without its records, which may be many.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] if there is none; or if the store cannot be read.
    pub fn describe(&self, wanted: i64) -> Result<Run, StoreError> {
        Ok(Run { records: Vec::new(), ..self.described(wanted)? })
    }

    fn described(&self, wanted: i64) -> Result<Run, StoreError> {
        let query = "SELECT count(*) FROM documents WHERE run = $1";
        if number(self.database(), query, &values![wanted])? == Some(0) {
            return Err(match self.find(Name::Number(wanted))? {
                Some(_) => self.damaged(format!("the records of run {wanted} are gone")),
                None => StoreError::NoRun { number: wanted },
            });
        }
        let described = unpack_of(self.database(), DESCRIPTION, wanted);
        described.map_err(|error| self.unreadable(wanted, error))
    }

    /// Returns the number of the run that `name` means.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn find(&self, name: Name<'_>) -> Result<Option<i64>, StoreError> {
        let database = self.database();
        match name {
            Name::Number(wanted) => {
                number(database, "SELECT number FROM runs WHERE number = $1", &values![wanted])
            }
            Name::Latest { before } => number(
                database,
                "SELECT number FROM runs ORDER BY started DESC, number DESC LIMIT 1 OFFSET $1",
                &values![i64::try_from(before).unwrap_or(i64::MAX)],
            ),
            Name::Word(word) => number(
                database,
                "SELECT number FROM runs WHERE label = $1 OR id = $1",
                &values![word],
            ),
        }
    }

    /// Labels a run. A label belongs to one run; `take` takes it from another run that has it.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; [`StoreError::WrongLabel`] if it could be mistaken for another name;
    /// [`StoreError::LabelTaken`]; or if the store cannot be written.
    pub fn label(&mut self, run: i64, label: &str, take: bool) -> Result<(), StoreError> {
        label::check(label)?;
        self.write(|database| {
            let query = "SELECT number FROM runs WHERE label = $1";
            let owner = number(database, query, &values![label])?;
            match owner.filter(|owner| *owner != run) {
                Some(number) if !take => {
                    return Err(StoreError::LabelTaken { label: label.to_owned(), number });
                }
                Some(owner) => {
                    database.execute(UNLABEL, &[values![owner].into()])?;
                }
                None => {}
            }
            let change = "UPDATE runs SET label = $1 WHERE number = $2";
            exists(run, database.execute(change, &[values![label, run].into()])?)
        })
    }

    /// Removes a run's label.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; or if the store cannot be written.
    pub fn unlabel(&mut self, run: i64) -> Result<(), StoreError> {
        self.write(|database| exists(run, database.execute(UNLABEL, &[values![run].into()])?))
    }

    /// Deletes runs: all of them, or none if one does not exist.
    ///
    /// # Errors
    /// [`StoreError::NoRun`]; or if the store cannot be written.
    pub fn delete(&mut self, numbers: &[i64]) -> Result<(), StoreError> {
        self.write(|database| {
            for &number in numbers {
                let delete = "DELETE FROM runs WHERE number = $1";
                exists(number, database.execute(delete, &[values![number].into()])?)?;
            }
            for unused in [
                "DELETE FROM series WHERE NOT EXISTS
                     (SELECT 1 FROM figures WHERE figures.series = series.number)",
                "DELETE FROM machines WHERE NOT EXISTS
                     (SELECT 1 FROM states WHERE states.machine = machines.number)",
            ] {
                database.execute(unused, &[Vec::new()])?;
            }
            Ok(())
        })
    }

    /// Runs `work` in a transaction, which is undone if it fails.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&dyn Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        in_transaction(&*self.database, || work(&*self.database))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::damaged(&self.place, what)
    }

    /// Returns why `run` cannot be read: the database's message, or what is wrong with its bytes.
    fn unreadable(&self, run: i64, error: io::Error) -> StoreError {
        match error.downcast::<StoreError>() {
            Ok(fault) => fault,
            Err(error) => self.damaged(format!("run {run}: {error}")),
        }
    }
}

const UNLABEL: &str = "UPDATE runs SET label = NULL WHERE number = $1";

/// Inserts the samples of each record, a limited amount at a time.
fn insert_samples(
    database: &dyn Database,
    run: &Run,
    number: i64,
    samples: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
) -> Result<(), StoreError> {
    let mut waiting: Vec<(i64, Vec<u8>)> = Vec::new();
    let insert = |waiting: &mut Vec<(i64, Vec<u8>)>| {
        let rows: Vec<_> = waiting
            .iter()
            .map(|(position, packed)| values![number, *position, packed.as_slice()].into())
            .collect();
        let insert = "INSERT INTO samples (run, position, packed) VALUES ($1, $2, $3)";
        database.execute(insert, &rows)?;
        drop(rows);
        waiting.clear();
        Ok(())
    };
    for (position, record) in run.records.iter().enumerate() {
        if record.points.is_empty() {
            continue;
        }
        let packed = samples(position).and_then(|all| pack_samples(&all));
        if let Some(packed) = packed.map_err(|error| StoreError::unfit(&error))? {
            waiting.push((position as i64, packed));
        }
        if waiting.iter().map(|(_, packed)| packed.len()).sum::<usize>() > SAMPLES_AT_ONCE {
            insert(&mut waiting)?;
        }
    }
    insert(&mut waiting)
}

/// Returns an ID for a run without a UUID, which is always the same for the same figures.
fn id_of_content(run: &Run) -> io::Result<String> {
    let mut bare = run.without_records();
    bare.records = run.records.iter().map(without_raw).collect();
    let mut content = Vec::new();
    bare.write_json(&mut content)?;
    Ok(Uuid::new_v5(&RUNS_WITHOUT_ID, &content).to_string())
}

fn exists(number: i64, changed: u64) -> Result<(), StoreError> {
    if changed == 0 { Err(StoreError::NoRun { number }) } else { Ok(()) }
}
