//! One worker alone does one job at a time.

use crate::measure::Measured;
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::{Executor, Job, Seen};
use crate::verification;
use crate::workers::{Taken, Workers};
use cpb_model::Failure;
use std::time::Duration;

impl Workers<'_> {
    /// The budget of a measurement that begins now and has so much time left. Where that is a
    /// maximum, nothing begins once it is over.
    pub(crate) fn begin(&mut self, left: Duration) -> Budget {
        let plan = self.plan();
        let budget = Budget::new(&plan.sampling, self.now(), left, plan.rows.len());
        if plan.sampling.budget_is_maximum {
            self.end_at(budget.end);
        }
        budget
    }
}

impl Executor for Workers<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        Workers::seen(self)
    }

    fn is_over(&self) -> bool {
        Workers::is_over(self)
    }

    fn run(
        &mut self,
        job: &Job,
        patience: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(verification::not_run)?;
        self.measure(library, &job.work, patience, progress)
    }

    fn end_round(&mut self) {
        Workers::end_round(self);
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        Workers::stolen_and_total(self)
    }

    fn finish(self) -> Measured {
        Measured { cpus: self.cpus(), clock: self.clock(), ..Measured::default() }
    }
}
