//! Defines executors, which run the jobs of a design.

use crate::measured::Measured;
use crate::progress::Progress;
use crate::schedule::rows::Seen;
use cpb_model::Failure;
use std::time::Duration;

/// Runs jobs.
pub(crate) trait Executor {
    type Job;
    type Taken;

    /// Returns the state of the machine.
    fn seen(&self) -> Seen<'_>;

    /// Runs a job, waiting for quiet for at most `patience`.
    fn run(
        &mut self,
        job: &Self::Job,
        patience: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self::Taken, Failure>;

    /// Ends a round, so that the next has fresh processes.
    fn end_round(&mut self);

    /// Returns how long the hypervisor kept the measured CPUs from working, and the total time.
    fn stolen_and_total(&self) -> Option<(u64, u64)>;

    /// Returns the clock and the CPUs that were used.
    fn finish(self) -> Measured
    where
        Self: Sized;
}
