//! Shares the store between several connections, with its findings.

use crate::survey::{Findings, Survey};
use cpb_store::{Mark, Store, StoreError, StoreLocation};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time limit of a statement that a reader waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The store from which pages are made.
pub struct Site {
    place: StoreLocation,
    /// Connections that are not in use.
    idle: Mutex<Vec<Store>>,
    survey: Survey,
    /// Makes tags that differ from those of earlier servers.
    tags: RandomState,
}

impl Site {
    /// Opens the store at `place`, which must exist. `tell` reports errors that no page can show.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(
        place: &StoreLocation,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, StoreError> {
        let first = Store::open_within(place, PATIENCE)?;
        let mark = first.mark()?;
        let survey = Survey::begin(place, mark, Box::new(tell));
        let idle = Mutex::new(vec![first]);
        Ok(Arc::new(Self { place: place.clone(), idle, survey, tags: RandomState::new() }))
    }

    /// Waits until everything that existed at the call is surveyed.
    pub fn wait_for_survey(&self) {
        self.survey.wait();
    }

    /// Returns the store's location.
    pub(crate) fn place(&self) -> &StoreLocation {
        &self.place
    }

    /// Runs `work` with the store, over a connection of its own.
    pub(crate) fn with_store<T>(
        &self,
        work: impl Fn(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // The server may have closed an idle connection: then another is tried.
        if let Some(store) = { idle().pop() } {
            match work(&store) {
                Err(error) if error.is_transfer_failure() => drop(store),
                done => {
                    idle().push(store);
                    return done;
                }
            }
        }
        let store = Store::open_within(&self.place, PATIENCE)?;
        let done = work(&store)?;
        idle().push(store);
        Ok(done)
    }

    /// Returns the findings about the store, whose current state is `mark`.
    pub(crate) fn findings(&self, mark: &Mark) -> Arc<Findings> {
        self.survey.findings(mark)
    }

    /// Returns a text that changes with the content of the page at `address`.
    pub(crate) fn tag(&self, mark: &Mark, findings: &Findings, address: &str) -> String {
        format!("W/\"{:016x}\"", self.tags.hash_one((mark, findings.generation, address)))
    }
}
