//! One worker alone does one job at a time.

use crate::Measured;
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::{Executor, Job, Seen};
use crate::selftest::rounds::SelfCheck;
use crate::verification;
use crate::workers::{Taken, Workers};
use cpb_model::{Failure, LibraryBuild, Record, Steal};
use std::time::Duration;

/// Workers for a plan, with loops of known cycles beside its rows.
pub(crate) struct Solo<'a> {
    workers: Workers<'a>,
    check: Option<SelfCheck>,
}

impl<'a> Solo<'a> {
    pub(crate) fn new(workers: Workers<'a>, check: Option<SelfCheck>) -> Self {
        Self { workers, check }
    }

    /// The budget of a measurement that begins now and has so much time left. Where that is a
    /// maximum, nothing begins once it is over.
    pub(crate) fn begin(&mut self, left: Duration) -> Budget {
        let plan = self.workers.plan();
        let budget = Budget::new(&plan.sampling, self.workers.now(), left, plan.rows.len());
        if plan.sampling.budget_is_maximum {
            self.workers.end_at(budget.end);
        }
        budget
    }

    /// The place of the library of this label.
    pub(crate) fn library(&self, label: &str) -> Option<usize> {
        self.workers.library(label)
    }

    /// These records, with what they were measured with.
    pub(crate) fn finish(
        self,
        records: Vec<Record>,
        libraries: Vec<LibraryBuild>,
        steal: Option<Steal>,
        interrupted: bool,
    ) -> Measured {
        let (cpus, seed) = (self.workers.cpus(), self.workers.plan().seed);
        let mut clock = self.workers.clock();
        if let Some((clock, check)) = clock.as_mut().zip(self.check) {
            clock.known_loops = check.known_loops(seed, clock.quiet);
        }
        Measured { records, clock, no_cycles: None, libraries, cpus, steal, interrupted }
    }
}

impl Executor for Solo<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        self.workers.seen()
    }

    fn is_over(&self) -> bool {
        self.workers.is_over()
    }

    fn run(
        &mut self,
        job: &Job,
        patience: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(verification::not_run)?;
        self.workers.measure(library, &job.work, patience, progress)
    }

    fn end_round(&mut self, is_whole: bool) {
        // Where time is up, none is left for these.
        if let Some(check) = self.check.as_mut().filter(|_| is_whole)
            && !self.workers.is_over()
        {
            check.round(&mut self.workers);
        }
        self.workers.end_round();
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        self.workers.stolen_and_total()
    }
}
