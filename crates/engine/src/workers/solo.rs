//! Runs one job at a time, in a worker that has the machine for itself.

use super::{Running, Taken, Workers, next_cpu};
use crate::clock_watch;
use crate::failures::is_passing;
use crate::failures::not_run;
use crate::measured::Measured;
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::executor::Executor;
use crate::schedule::gated::Job;
use crate::schedule::rows::Seen;
use cpb_model::{ClockSummary, Failure};
use std::time::Duration;

/// Attempts per job, each in a fresh process, because disturbances pass.
const ATTEMPTS: u32 = 3;

impl Workers<'_> {
    /// Returns the budget of a measurement that begins now with this much time left.
    pub(crate) fn budget(&self, left: Duration) -> Budget {
        Budget::new(&self.plan.sampling, self.machine.now(), left, self.plan.rows.len())
    }
}

impl Executor for Workers<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        let now = self.machine.now();
        Seen { now, gate: self.quiet.gate(), calibrations: &self.calibrations }
    }

    fn run(
        &mut self,
        job: &Job,
        patience: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(not_run)?;
        let mut attempt = 1;
        loop {
            let outcome = self.attempt(library, &job.work, patience, progress);
            let Err(failure) = outcome else { return outcome };
            let is_gone = |running: &Running| running.worker.is_gone();
            if is_passing(&failure) || self.running[library].as_ref().is_some_and(is_gone) {
                self.running[library] = None;
            }
            if !is_passing(&failure) || attempt == ATTEMPTS {
                return Err(failure);
            }
            attempt += 1;
        }
    }

    /// Ends the workers, because the placement of pages differs between processes, not within one.
    /// The next round begins on the next CPU and with libraries at the next position, so that every
    /// run covers all of them.
    fn end_round(&mut self) {
        self.running.iter_mut().for_each(|running| *running = None);
        self.rounds += 1;
        self.cpu = next_cpu(&self.plan.cpus, self.rounds);
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        self.machine.stolen_and_total(&self.plan.cpus)
    }

    /// The clock is absent if no worker calibrated one.
    fn finish(self) -> Measured {
        self.quiet.remember(&self.plan.memory);
        let clock = clock_watch::clock(self.calibrations, self.started, &self.watch, &self.quiet);
        let clock = clock.map(|clock| ClockSummary { no_events: self.no_events, ..clock });
        Measured { cpus: self.cpus.into_iter().collect(), clock, ..Measured::default() }
    }
}
