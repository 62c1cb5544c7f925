//! The store, by several connections, and what is known of it.

use crate::survey::{Findings, Survey};
use cpb_store::{Mark, Store, StoreError, StoreLocation};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a statement may take that somebody waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store that pages are made of.
pub struct Site {
    place: StoreLocation,
    /// Connections that nobody uses just now.
    idle: Mutex<Vec<Store>>,
    survey: Survey,
    /// Makes tags, others than those of every server before.
    tags: RandomState,
}

impl Site {
    /// Of the store at `place`, which must be there. `tell` hears of what goes wrong where no
    /// page can say it.
    ///
    /// # Errors
    /// When it cannot be used.
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

    /// Waits until all that there was when it was called is surveyed.
    pub fn wait_for_survey(&self) {
        self.survey.wait();
    }

    /// Where the store is.
    pub(crate) fn place(&self) -> &StoreLocation {
        &self.place
    }

    /// What `work` makes of the store, by a connection of its own.
    pub(crate) fn with_store<T>(
        &self,
        work: impl Fn(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // A server may have ended a connection that nobody used: then another is tried.
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

    /// What is known of the store, which has this `mark` now.
    pub(crate) fn findings(&self, mark: &Mark) -> Arc<Findings> {
        self.survey.findings(mark)
    }

    /// Another text for every content of a page at `address`.
    pub(crate) fn tag(&self, mark: &Mark, findings: &Findings, address: &str) -> String {
        format!("W/\"{:016x}\"", self.tags.hash_one((mark, findings.generation, address)))
    }
}
