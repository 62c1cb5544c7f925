//! When a measurement began, by the time of the machine that is measured.

use crate::plan::Sampling;
#[cfg(feature = "simulated")]
use crate::simulated::chosen;
use crate::workers::process::Bounds;
use cpb_model::Host;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The machine that is measured: this one, unless it is simulated.
#[must_use]
pub fn describe_host() -> Host {
    #[cfg(feature = "simulated")]
    if let Some(host) = chosen::host() {
        return host;
    }
    cpb_host::describe()
}

/// Whether that machine is known.
///
/// # Errors
/// What was asked for instead, and what is possible.
pub fn check_machine() -> Result<(), String> {
    #[cfg(feature = "simulated")]
    chosen::chosen()?;
    Ok(())
}

/// Whether results are checked against libraries that nobody named, too. They always are, but where
/// a test of commands sets `CPB_CROSS_CHECKS=none`, since it asks nothing about them: each library
/// costs it two processes.
#[must_use]
pub fn has_cross_checks() -> bool {
    #[cfg(feature = "simulated")]
    if std::env::var_os("CPB_CROSS_CHECKS").is_some_and(|value| value == "none") {
        return false;
    }
    true
}

/// Whether it is simulated: what measures in other ways than by rounds knows this machine alone.
#[must_use]
pub fn is_simulated() -> bool {
    Start::now().simulated.is_some()
}

/// A moment.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    here: Instant,
    /// On a simulated machine, how long it had run.
    simulated: Option<Duration>,
}

impl Start {
    /// This one.
    #[must_use]
    pub fn now() -> Self {
        #[cfg(feature = "simulated")]
        let simulated = chosen::now();
        #[cfg(not(feature = "simulated"))]
        let simulated = None;
        Self { here: Instant::now(), simulated }
    }

    /// How long ago it was.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match (self.simulated, Self::now().simulated) {
            (Some(then), Some(now)) => now - then,
            _ => self.here.elapsed(),
        }
    }

    /// How long workers of what began then may take. Where time is simulated, they do not feel
    /// it pass.
    pub(crate) fn bounds(&self, sampling: &Sampling, budget: Duration) -> Bounds {
        match self.simulated {
            Some(_) => Bounds::timeout(sampling.timeout),
            None => Bounds::of(sampling, self.here, budget),
        }
    }

    /// Seconds since 1970 at which a run that began then is said to have.
    #[must_use]
    pub fn since_epoch(&self) -> u64 {
        #[cfg(feature = "simulated")]
        if let Some(started) = chosen::started() {
            return started;
        }
        let then = SystemTime::now().checked_sub(self.here.elapsed());
        let since = then.and_then(|then| then.duration_since(UNIX_EPOCH).ok());
        since.map_or(0, |time| time.as_secs())
    }
}
