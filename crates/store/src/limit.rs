//! Limits the time that a server is waited for.

use crate::StoreLocation;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time at which waiting for a server ends, whatever it does.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "servers alone are waited for"))]
pub struct Limit {
    pub(crate) start: Instant,
    pub(crate) patience: Duration,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Limit {
    /// Creates the limit that the address of `place` states from now on; waiting also ends once
    /// `stop` is set.
    pub fn of(place: &StoreLocation, stop: Arc<AtomicBool>) -> Self {
        let patience = match place {
            StoreLocation::File(_) => Duration::MAX,
            StoreLocation::Server(address) => address.patience(),
        };
        Self { start: Instant::now(), patience, stop }
    }

    /// Shortens the limit to `patience`.
    #[must_use]
    pub fn at_most(self, patience: Duration) -> Self {
        Self { patience: self.patience.min(patience), ..self }
    }
}
