//! When a measurement began, by the time of the machine that is measured.

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

    /// How long workers may be silent, where all is to `end` so long after that moment. Where time is
    /// simulated, they do not feel it pass.
    pub(crate) fn bounds(&self, timeout: Duration, end: Option<Duration>) -> Bounds {
        let end = end.filter(|_| self.simulated.is_none());
        Bounds { timeout, end: end.map(|end| self.here + end) }
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
