//! Runs chains and loops of known cycles beside everything else. If they read wrong, this machine
//! cannot tell cycles now.

use crate::plan::Row;
use crate::plan::library::self_test;
use crate::schedule::budget::Budget;
use crate::schedule::design::Design;
use crate::schedule::executor::Executor;
use crate::selftest::{self, Expected};
use cpb_figures::PointSamples;
use cpb_model::{Contract, KnownLoop, Parameters, Quiet};
use std::time::Duration;

/// Rounds after which the loops are run.
const ROUNDS: u32 = 5;
/// The time that one may wait for quiet.
const PATIENCE: Duration = Duration::from_millis(60);
/// Operations per call: enough that entering the loop costs nothing, and few enough that a call is
/// no longer than a sample of what is measured.
const OPERATIONS: usize = 1 << 14;

/// The loops, with their samples.
pub(crate) struct KnownLoops {
    rows: Vec<Row>,
    so_far: Vec<PointSamples>,
    rounds: u32,
}

impl KnownLoops {
    /// Lists the loops, before any has run.
    pub(crate) fn new() -> Self {
        let label = self_test().label();
        let row = |offer| {
            let parameters = Parameters::default();
            Row::new(&label, &offer, Contract::Keyed, parameters, vec![OPERATIONS])
        };
        let rows: Vec<Row> = selftest::loops().map(row).collect();
        let so_far = vec![PointSamples::default(); rows.len()];
        Self { rows, so_far, rounds: 0 }
    }

    /// Lets `executor` run each loop once more, by a job of `design`, while there is time. A failure is
    /// left out.
    pub(crate) fn round<D: Design>(
        &mut self,
        design: &D,
        executor: &mut dyn Executor<Job = D::Job, Taken = D::Taken>,
        budget: &Budget,
    ) {
        if self.rounds == ROUNDS {
            return;
        }
        self.rounds += 1;
        for (row, so_far) in self.rows.iter().zip(&mut self.so_far) {
            let Some(job) = design.known_loop(row, so_far.calls) else { return };
            if budget.is_over(executor.seen().now) {
                return;
            }
            if let Ok(taken) = executor.run(&job, PATIENCE, &mut |_| {}) {
                design.add_known_loop(so_far, taken, executor.seen());
            }
        }
    }

    /// Returns the cycles of those loops whose cycles are known with this much known about quiet.
    pub(crate) fn figures(&self, quiet: Option<Quiet>) -> Vec<KnownLoop> {
        let known_loop = |(row, so_far): (&Row, &PointSamples)| {
            let (points, _) = row.asked(0).figures(std::slice::from_ref(so_far));
            let measured = points.first()?.cycles_per_call.times(1.0 / OPERATIONS as f64);
            let name = row.subject.primitive.clone();
            match selftest::expected(&name, measured.estimate, None, quiet) {
                Expected::Exactly(known) => Some(KnownLoop { name, known, measured }),
                Expected::AtLeast(_) | Expected::NotKnown => None,
            }
        };
        self.rows.iter().zip(&self.so_far).filter_map(known_loop).collect()
    }
}
