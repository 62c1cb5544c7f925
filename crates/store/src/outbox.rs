//! Keeps runs that could not be sent in the user's own file until they are.

use crate::database::{all, number, values};
use crate::{Store, StoreError, StoreLocation};
use cpb_model::{RawRounds, Run};
use std::io;

/// A run that was kept here until it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its former number here.
    pub kept_as: i64,
    /// Its number at the destination.
    pub number: i64,
}

impl Store {
    /// Saves `run` as [`Store::save_with`] does, marked for `destination`. This store must be a
    /// file.
    ///
    /// # Errors
    /// As [`Store::save_with`].
    pub fn keep_for(
        &mut self,
        destination: &StoreLocation,
        run: &Run,
        samples: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
    ) -> Result<i64, StoreError> {
        let destination = name(destination);
        self.save_and(run, samples, |database, number| {
            let mark = "INSERT INTO outbox (run, destination) VALUES ($1, $2)";
            database.execute(mark, &[values![number, &destination].into()]).map(|_| ())
        })
    }

    /// Counts the runs that this store, which must be a file, keeps for `destination`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn waiting_for(&self, destination: &StoreLocation) -> Result<usize, StoreError> {
        let query = "SELECT count(*) FROM outbox WHERE destination = $1";
        let count = number(self.database(), query, &values![&name(destination)])?;
        Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
    }

    /// Moves the oldest run that this store, which must be a file, keeps for `destination` there,
    /// with its label unless another run has that; `None` if there is none. A run that arrived
    /// before, with its reply lost, is not saved again.
    ///
    /// # Errors
    /// If either store cannot be used. The run then remains here, and with [`StoreError::Unfit`] it
    /// stays.
    pub fn send_one(&mut self, destination: &mut Store) -> Result<Option<Sent>, StoreError> {
        let query = "SELECT run, label FROM outbox JOIN runs ON runs.number = outbox.run
                     WHERE destination = $1 ORDER BY run LIMIT 1";
        let waiting = all(self.database(), query, &values![&name(destination.place())], |row| {
            Ok((row.integer(0)?, row.text(1)?.map(str::to_owned)))
        })?;
        let Some((kept_as, label)) = waiting.into_iter().next() else { return Ok(None) };
        let number = match destination.save(&self.load(kept_as)?) {
            Ok(number) | Err(StoreError::Present { number }) => number,
            Err(error) => {
                if matches!(error, StoreError::Unfit { .. }) {
                    let stay = "DELETE FROM outbox WHERE run = $1";
                    self.write(|database| database.execute(stay, &[values![kept_as].into()]))?;
                }
                return Err(error);
            }
        };
        if let Some(label) = label {
            match destination.label(number, &label, false) {
                Ok(()) | Err(StoreError::LabelTaken { .. } | StoreError::NoRun { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // Deleted last, so that the run always exists somewhere.
        match self.delete(&[kept_as]) {
            // Another process has sent it too.
            Ok(()) | Err(StoreError::NoRun { .. }) => Ok(Some(Sent { kept_as, number })),
            Err(error) => Err(error),
        }
    }
}

/// Returns the mark of runs for `place`.
fn name(place: &StoreLocation) -> String {
    match place {
        StoreLocation::File(path) => path.display().to_string(),
        StoreLocation::Server(address) => address.destination(),
    }
}
