//! Rounds: from a plan to records.

use crate::host::stolen_and_total;
use crate::plan::{Plan, Rounds, Row};
use crate::process::{JobOutcome, Worker};
use crate::protocol::{Job, Setup};
use crate::summary::{self, CellRound};
use cpb_model::{Calibration, ClockSummary, Failure, LibraryId, Record, Steal, Verification};
use std::collections::HashMap;
use std::time::Instant;

/// Without a second process there is no interval, so no budget ends before it.
const FEWEST_ROUNDS: u32 = 2;

/// What [`measure`] tells while it works.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// The first worker has calibrated its clock.
    Clock(&'a Calibration),
    /// A job is about to start.
    Job {
        /// Its row.
        row: &'a Row,
        /// Its message length.
        message_bytes: usize,
        /// Jobs done so far.
        done: u64,
        /// Jobs there will be, as far as is known now.
        expected: u64,
    },
    /// A row failed.
    Failed {
        /// The row.
        row: &'a Row,
        /// Why.
        failure: &'a Failure,
    },
}

/// What [`measure`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// A record for each row of the plan, in its order.
    pub records: Vec<Record>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// The libraries, as their workers found them.
    pub libraries: Vec<LibraryId>,
    /// Time the hypervisor took from the CPU measured on.
    pub steal: Option<Steal>,
}

/// Measures `plan`, telling `progress` how it goes.
pub fn measure(plan: &Plan, progress: &mut dyn FnMut(Progress<'_>)) -> Measured {
    Session::new(plan).run(progress)
}

/// What a row has so far.
#[derive(Default)]
struct RowState {
    /// By message length, the rounds that measured it.
    cells: Vec<Vec<CellRound>>,
    verification: Option<Verification>,
    failure: Option<Failure>,
    precise: bool,
}

struct Session<'a> {
    plan: &'a Plan,
    rows: Vec<RowState>,
    workers: HashMap<&'a str, RunningWorker>,
    calibrations: Vec<Calibration>,
    libraries: Vec<LibraryId>,
    random: fastrand::Rng,
    done: u64,
}

struct RunningWorker {
    worker: Worker,
    /// Which of the session's calibrations is this worker's.
    calibration: usize,
}

impl<'a> Session<'a> {
    fn new(plan: &'a Plan) -> Self {
        let rows = plan.rows.iter().map(|row| RowState {
            cells: vec![Vec::new(); row.message_bytes.len()],
            ..RowState::default()
        });
        Self {
            plan,
            rows: rows.collect(),
            workers: HashMap::new(),
            calibrations: Vec::new(),
            libraries: Vec::new(),
            random: fastrand::Rng::with_seed(plan.seed),
            done: 0,
        }
    }

    fn run(mut self, progress: &mut dyn FnMut(Progress<'_>)) -> Measured {
        let start = Instant::now();
        let stolen_before = stolen_and_total(self.plan.cpu);
        for round in 0..self.plan.sampling.rounds.at_most() {
            let jobs = self.jobs();
            if jobs.is_empty() {
                break;
            }
            for (index, &(row, cell)) in jobs.iter().enumerate() {
                let left = (jobs.len() - index) as u64;
                let expected = self.done + left + self.expected_after(round, jobs.len());
                self.job(round, row, cell, expected, progress);
            }
            // A fresh process for every library in every round: where pages
            // happen to lie differs from process to process, not within one.
            self.workers.clear();
            if let Rounds::Until { precision, at_least, budget, .. } = self.plan.sampling.rounds {
                if round + 1 >= at_least {
                    self.note_precise_rows(precision);
                }
                if round + 1 >= FEWEST_ROUNDS && start.elapsed() >= budget {
                    break;
                }
            }
        }
        let steal = stolen_before.zip(stolen_and_total(self.plan.cpu)).and_then(steal_between);
        self.finish(steal)
    }

    /// The jobs of a round: all that can be compared with each other next to
    /// each other, everything in random order.
    fn jobs(&mut self) -> Vec<(usize, usize)> {
        let mut groups: HashMap<_, Vec<(usize, usize)>> = HashMap::new();
        for (row_index, (row, state)) in self.plan.rows.iter().zip(&self.rows).enumerate() {
            if state.failure.is_some() || state.precise {
                continue;
            }
            for (cell, &message_bytes) in row.message_bytes.iter().enumerate() {
                let key = (&row.subject.primitive, row.subject.operation, message_bytes);
                groups.entry(key).or_default().push((row_index, cell));
            }
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        // The map's own order is random by process; the seed must decide alone.
        groups.sort_unstable();
        self.random.shuffle(&mut groups);
        for group in &mut groups {
            self.random.shuffle(group);
        }
        groups.into_iter().flatten().collect()
    }

    /// Jobs expected in the rounds after this one, as if all that are surely
    /// taken needed every job of this round.
    fn expected_after(&self, round: u32, jobs: usize) -> u64 {
        let sure = match self.plan.sampling.rounds {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_least, .. } => at_least,
        };
        u64::from(sure.saturating_sub(round + 1)) * jobs as u64
    }

    fn job(
        &mut self,
        round: u32,
        row_index: usize,
        cell: usize,
        expected: u64,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        let plan = self.plan;
        let row = &plan.rows[row_index];
        self.done += 1;
        let samples = plan.sampling.samples_in_round(round);
        if self.rows[row_index].failure.is_some() || samples == 0 {
            return;
        }
        let message_bytes = row.message_bytes[cell];
        progress(Progress::Job { row, message_bytes, done: self.done - 1, expected });
        let job = Job {
            workload: row.workload(message_bytes),
            backend: row.subject.backend.clone(),
            calls: self.rows[row_index].cells[cell].first().map(|first| first.samples.calls),
            batch_nanoseconds: u64::try_from(plan.sampling.batch.as_nanos()).unwrap_or(u64::MAX),
            samples,
        };
        let (calibration, outcome) = match self.worker(&row.subject.library, progress) {
            Ok(running) => (running.calibration, running.worker.run(job)),
            Err(failure) => {
                let worker_is_gone = true;
                (0, JobOutcome::Failed { verification: None, failure, worker_is_gone })
            }
        };
        let state = &mut self.rows[row_index];
        match outcome {
            JobOutcome::Measured { verification, samples } => {
                state.verification = Some(verification);
                state.cells[cell].push(CellRound { calibration, samples });
            }
            JobOutcome::Failed { verification, failure, worker_is_gone } => {
                if worker_is_gone {
                    self.workers.remove(row.subject.library.as_str());
                }
                progress(Progress::Failed { row, failure: &failure });
                state.verification = verification.or(state.verification.take());
                state.failure = Some(failure);
            }
        }
    }

    fn worker(
        &mut self,
        library: &'a str,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<&mut RunningWorker, Failure> {
        use std::collections::hash_map::Entry;
        match self.workers.entry(library) {
            Entry::Occupied(running) => Ok(running.into_mut()),
            Entry::Vacant(place) => {
                let setup = Setup {
                    library: library.to_owned(),
                    counter: self.plan.clock.counter.clone(),
                    megahertz: self.plan.clock.megahertz,
                    cpu: self.plan.cpu,
                };
                let (worker, calibration, id) = Worker::start(setup, self.plan.sampling.timeout)?;
                if self.calibrations.is_empty() {
                    progress(Progress::Clock(&calibration));
                }
                self.calibrations.push(calibration);
                if !self.libraries.contains(&id) {
                    self.libraries.push(id);
                }
                Ok(place.insert(RunningWorker { worker, calibration: self.calibrations.len() - 1 }))
            }
        }
    }

    fn note_precise_rows(&mut self, precision: f64) {
        let calibrations = summary::with_common_overhead(&self.calibrations);
        for (row, state) in self.plan.rows.iter().zip(&mut self.rows) {
            if state.failure.is_none() && !state.precise {
                let points = summary::points(row, &state.cells, &calibrations, self.plan.seed);
                state.precise = summary::is_precise(&points, precision);
            }
        }
    }

    fn finish(self, steal: Option<Steal>) -> Measured {
        let plan = self.plan;
        let calibrations = summary::with_common_overhead(&self.calibrations);
        let asked = matches!(plan.sampling.rounds, Rounds::Until { .. });
        let clock = summary::clock(
            &calibrations,
            self.rows.iter().flat_map(|state| state.cells.iter().flatten()),
        );
        let clock = clock.map(|clock| ClockSummary { calibrations: self.calibrations, ..clock });
        let records = plan.rows.iter().zip(self.rows).map(|(row, state)| {
            let measured = state.failure.is_none();
            let mut points = if measured {
                summary::points(row, &state.cells, &calibrations, plan.seed)
            } else {
                Vec::new()
            };
            let line =
                summary::line(row, &state.cells, &calibrations, plan.seed).filter(|_| measured);
            if plan.keep_raw {
                for (point, cell) in points.iter_mut().zip(state.cells) {
                    point.raw = cell.into_iter().map(|round| round.samples).collect();
                }
            }
            Record {
                subject: row.subject.clone(),
                output_bytes: row.output_bytes,
                contract: row.contract,
                method: row.method,
                verification: state.verification,
                points,
                line,
                precise: (asked && measured).then_some(state.precise),
                failure: state.failure,
            }
        });
        Measured { records: records.collect(), clock, libraries: self.libraries, steal }
    }
}

/// The share stolen between two looks at [`stolen_and_total`].
pub(crate) fn steal_between(
    ((stolen, total), (stolen_after, total_after)): ((u64, u64), (u64, u64)),
) -> Option<Steal> {
    let total = total_after.checked_sub(total).filter(|&total| total != 0)?;
    Some(Steal { share: stolen_after.checked_sub(stolen)? as f64 / total as f64 })
}
