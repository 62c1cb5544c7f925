//! Records when a measurement began, by the clock of the measured machine.

#[cfg(feature = "simulated")]
use crate::simulated::environment;
use crate::workers::time_limits::Bounds;
use cpb_model::Host;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Describes the measured machine: this one, or a simulated one.
pub fn describe_host() -> Host {
    #[cfg(feature = "simulated")]
    if let Some(host) = environment::host() {
        return host;
    }
    cpb_host::describe()
}

/// Checks that the chosen machine exists.
///
/// # Errors
/// The unknown machine, and the possible ones.
pub fn check_machine() -> Result<(), String> {
    #[cfg(feature = "simulated")]
    environment::chosen()?;
    Ok(())
}

/// Whether libraries that nobody named are asked where a result depends on them. They always are,
/// unless a test of commands sets `CPB_CROSS_CHECKS=none`, because it asks nothing about them: each
/// library costs it two processes.
pub fn has_cross_checks() -> bool {
    #[cfg(feature = "simulated")]
    if std::env::var_os("CPB_CROSS_CHECKS").is_some_and(|value| value == "none") {
        return false;
    }
    true
}

/// Whether the machine is simulated.
pub fn is_simulated() -> bool {
    Start::now().simulated.is_some()
}

/// A point in time.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    here: Instant,
    /// The running time of a simulated machine; `None` on a real one.
    simulated: Option<Duration>,
}

impl Start {
    /// Returns the current time.
    pub fn now() -> Self {
        #[cfg(feature = "simulated")]
        let simulated = environment::now();
        #[cfg(not(feature = "simulated"))]
        let simulated = None;
        Self { here: Instant::now(), simulated }
    }

    /// Returns the time elapsed since then.
    pub fn elapsed(&self) -> Duration {
        match (self.simulated, Self::now().simulated) {
            (Some(then), Some(now)) => now - then,
            _ => self.here.elapsed(),
        }
    }

    /// Returns the time limits of workers if all is to `end` so long after that moment. On a simulated
    /// machine only the timeout applies, since workers do not feel its time pass.
    pub(crate) fn bounds(&self, timeout: Duration, end: Option<Duration>) -> Bounds {
        let end = end.filter(|_| self.simulated.is_none());
        Bounds { timeout, end: end.map(|end| self.here + end) }
    }

    /// Returns the start as seconds since 1970.
    pub fn since_epoch(&self) -> u64 {
        #[cfg(feature = "simulated")]
        if let Some(started) = environment::started() {
            return started;
        }
        let then = SystemTime::now().checked_sub(self.here.elapsed());
        let since = then.and_then(|then| then.duration_since(UNIX_EPOCH).ok());
        since.map_or(0, |time| time.as_secs())
    }
}
