//! Chains and loops of known cycles, measured beside everything else: where they read wrong, this
//! machine cannot tell cycles now.

use crate::plan::Row;
use crate::progress::Progress;
use crate::schedule::Seen;
use crate::selftest::{self, Expected};
use crate::workers::Workers;
use crate::workers::protocol::Job;
use crate::{LibrarySpec, self_test};
use cpb_figures::{PointSamples, add_round};
use cpb_model::{Contract, KnownLoop, Parameters, Quiet};
use std::time::Duration;

/// Rounds in which the loops are measured, and samples of each.
const ROUNDS: u32 = 5;
const SAMPLES: u32 = 8;
/// How long one may wait for quiet.
const PATIENCE: Duration = Duration::from_millis(60);
/// Operations of a call: so many that entering the loop costs nothing, and so few that it lasts no
/// longer than a sample of what they are measured beside.
const OPERATIONS: usize = 1 << 14;

/// The loops, with what came of them.
pub(crate) struct SelfCheck {
    library: usize,
    rows: Vec<Row>,
    cells: Vec<PointSamples>,
    rounds: u32,
}

impl SelfCheck {
    /// `libraries` with the self-test among them, and the loops.
    pub(crate) fn beside(libraries: &[LibrarySpec]) -> (Vec<LibrarySpec>, Self) {
        let mut libraries = libraries.to_vec();
        let label = self_test().label();
        let known = libraries.iter().position(|library| library.label() == label);
        let library = known.unwrap_or(libraries.len());
        if known.is_none() {
            libraries.push(self_test());
        }
        let rows: Vec<Row> = selftest::loops()
            .map(|offer| {
                let parameters = Parameters::default();
                Row::new(&label, &offer, Contract::Keyed, parameters, vec![OPERATIONS])
            })
            .collect();
        let cells = vec![PointSamples::default(); rows.len()];
        (libraries, Self { library, rows, cells, rounds: 0 })
    }

    /// Measures each loop in a fresh process; what goes wrong is left out.
    pub(crate) fn round(&mut self, workers: &mut Workers<'_>) {
        if self.rounds == ROUNDS {
            return;
        }
        self.rounds += 1;
        for (row, so_far) in self.rows.iter().zip(&mut self.cells) {
            let job = Job::new(row, &workers.plan().sampling, vec![so_far.calls], SAMPLES, 0);
            let told: &mut dyn FnMut(Progress<'_>) = &mut |_| {};
            if let Ok(taken) = workers.measure(self.library, &job, PATIENCE, told) {
                let Seen { gate, calibrations, .. } = workers.seen();
                let round = taken.raw(calibrations);
                add_round(std::slice::from_mut(so_far), calibrations, gate, &round);
            }
        }
    }

    /// What those took of which it is known, by what is known of quiet.
    pub(crate) fn known_loops(&self, seed: u64, quiet: Option<Quiet>) -> Vec<KnownLoop> {
        let known_loop = |(row, cell): (&Row, &PointSamples)| {
            let (points, _) = row.asked(seed).figures(std::slice::from_ref(cell));
            let figure = points.first()?.cycles_per_call.times(1.0 / OPERATIONS as f64);
            let name = row.subject.primitive.clone();
            let Expected::Exactly(known) = selftest::expected(&name, figure.estimate, None, quiet)
            else {
                return None;
            };
            Some(KnownLoop { name, known, measured: figure })
        };
        self.rows.iter().zip(&self.cells).filter_map(known_loop).collect()
    }
}
