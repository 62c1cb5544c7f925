//! Rounds: from a plan to records.

mod events;
mod race;
mod row_state;
pub(crate) mod spool;

use crate::plan::library::{Found, LibrarySpec, self_test};
use crate::plan::{Plan, Rounds, Row};
use crate::progress::Progress;
use crate::selftest::rounds::SelfCheck;
use crate::session::row_state::RowState;
use crate::session::spool::Spool;
use crate::start::Start;
use crate::verification::{self, Verified};
use crate::workers::Workers;
use crate::workers::machine::{ThisMachine, machine};
use crate::workers::process::{Bounds, Worker};
use crate::workers::protocol::Job;
use cpb_figures::{FEWEST_ROUNDS, Gate, cells, is_precise};
use cpb_model::{
    ClockSummary, Failure, FailureKind, Fit, LibraryId, Line, Point, Quiet, Record, Steal,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle};
use std::time::Duration;

/// What a row takes once it is measured, and the share of the time that all of them may.
const TIME_FOR_FIGURES: Duration = Duration::from_micros(500);
const SHARE_FOR_FIGURES: u32 = 4;
/// The share of the time that rows may be verified in, where it is a maximum.
pub(crate) const SHARE_FOR_VERIFYING: u32 = 2;
/// What every job gets, however late it is.
const SHORTEST_PATIENCE: Duration = Duration::from_millis(20);
/// Rounds beyond the plan's for rows whose slope cannot be.
const ROUNDS_AGAIN: u32 = 5;

/// What [`measure`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// A record for each row of the plan, in its order, without raw samples.
    pub records: Vec<Record>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// The libraries, as their workers found them.
    pub libraries: Vec<LibraryId>,
    /// The CPUs that samples were taken on.
    pub cpus: Vec<usize>,
    /// Time the hypervisor took from the CPUs measured on.
    pub steal: Option<Steal>,
    /// Whether `stop` was set before all was done. Rows then have fewer rounds
    /// than the plan asks for; those without any have a failure.
    pub interrupted: bool,
}

/// Looks for libraries, each in a process of its own, all at once where the
/// system grants the threads.
#[must_use]
pub fn discover(specs: &[LibrarySpec], timeout: Duration) -> Vec<Found> {
    std::thread::scope(|scope| {
        let look = |spec: &LibrarySpec| Found {
            spec: spec.clone(),
            contents: Worker::start(spec, true, None, Bounds::timeout(timeout))
                .map(|(_, id, offers)| (id, offers)),
        };
        let start = |spec| Builder::new().spawn_scoped(scope, move || look(spec)).ok();
        let threads: Vec<_> = specs.iter().map(|spec| (spec, start(spec))).collect();
        let found = |thread: ScopedJoinHandle<'_, Found>| thread.join().ok();
        threads
            .into_iter()
            .map(|(spec, thread)| thread.and_then(found).unwrap_or_else(|| look(spec)))
            .collect()
    })
}

/// Measures `plan`, telling `progress` how it goes, and also returns the raw
/// samples of the records. Once `stop` is set no further job begins.
pub fn measure(
    plan: &Plan,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Measured, Spool) {
    let (start, sampling) = (Start::now(), &plan.sampling);
    let for_verifying = start.bounds(sampling, sampling.budget / SHARE_FOR_VERIFYING);
    let verified = verification::verify(plan, for_verifying, stop, &mut |done, expected| {
        progress(Progress::Verify { done, expected });
    });
    let bounds = start.bounds(sampling, sampling.budget);
    let mut machine = machine(bounds, &verified.libraries);
    let (libraries, check) = SelfCheck::beside(&plan.libraries);
    let workers = Workers::new(plan, &libraries, machine.as_mut());
    let left = if sampling.budget_is_maximum { start.elapsed() } else { Duration::ZERO };
    let budget = sampling.budget.saturating_sub(left);
    Session::new(plan, stop, verified, workers, Some(check), progress).run(budget, progress)
}

/// Has a fresh process learn what quiet is, as the plan's memory asks, and keeps what it found. `None`
/// where it found nothing.
pub fn learn_quiet(plan: &Plan) -> Option<Quiet> {
    let libraries = [self_test()];
    let mut machine = ThisMachine::new(Bounds::timeout(plan.sampling.timeout), &[]);
    Workers::new(plan, &libraries, &mut machine).learn()
}

pub(crate) struct Session<'a> {
    plan: &'a Plan,
    stop: &'a AtomicBool,
    interrupted: bool,
    workers: Workers<'a>,
    /// What told quiet samples when rows were last found precise.
    gate: Gate,
    check: Option<SelfCheck>,
    rows: Vec<RowState>,
    samples: Spool,
    libraries: Vec<LibraryId>,
    random: fastrand::Rng,
    done: u64,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        stop: &'a AtomicBool,
        verified: Verified,
        workers: Workers<'a>,
        check: Option<SelfCheck>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Self {
        let mut rows = Vec::with_capacity(plan.rows.len());
        for (row, verdict) in plan.rows.iter().zip(verified.rows) {
            let calls = vec![None; row.lengths.len()];
            let mut state = RowState { calls, ..RowState::default() };
            match verdict {
                Ok(verification) => state.verification = Some(verification),
                Err(failure) => {
                    if failure != verification::interrupted() && failure != verification::no_time()
                    {
                        progress(Progress::Failed { row, failure: &failure });
                    }
                    state.failure = Some(failure);
                }
            }
            rows.push(state);
        }
        Self {
            plan,
            stop,
            interrupted: stop.load(Ordering::Relaxed),
            gate: workers.gate(),
            workers,
            check,
            samples: Spool::new(rows.len()),
            rows,
            libraries: verified.libraries,
            random: fastrand::Rng::with_seed(plan.seed),
            done: 0,
        }
    }

    pub(crate) fn run(
        mut self,
        budget: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> (Measured, Spool) {
        let end = self.end(budget);
        let stolen_before = self.workers.stolen_and_total();
        let rounds = self.plan.sampling.rounds;
        for round in 0..rounds.at_most() {
            let jobs = self.jobs();
            if jobs.is_empty() || !self.round(round, &jobs, end, progress) {
                break;
            }
            if let Rounds::Until { precision, coarse, at_least, .. } = rounds
                && round + 1 >= at_least
            {
                self.note_precise_rows(precision, coarse);
            }
            progress(Progress::Figures { records: &|| self.so_far() });
            let may_end = matches!(rounds, Rounds::Until { .. });
            if may_end && round + 1 >= FEWEST_ROUNDS && self.workers.now() >= end {
                break;
            }
        }
        self.measure_again(end, progress);
        let steal = stolen_before.zip(self.workers.stolen_and_total()).and_then(steal_between);
        self.finish(steal)
    }

    /// Takes a round of `jobs`; whether it came to its end.
    fn round(
        &mut self,
        round: u32,
        jobs: &[usize],
        end: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> bool {
        for (index, &row) in jobs.iter().enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                self.interrupted = true;
                return false;
            }
            if self.workers.is_over() {
                return false;
            }
            let left = (jobs.len() - index) as u64;
            let expected = self.done + left + self.expected_after(round, jobs.len());
            let patience = self.patience(round, end, jobs.len(), left as usize);
            self.job(round, row, patience, expected, progress);
        }
        if let Some(check) = &mut self.check {
            check.round(self.plan, &mut self.workers);
        }
        self.workers.end_round();
        if self.workers.gate() != self.gate {
            // What was precise by another measure may not be so by this one.
            self.gate = self.workers.gate();
            self.rows.iter_mut().for_each(RowState::forget_figures);
        }
        true
    }

    /// Gives rows whose slope is nothing or less, which no cost is, further rounds; where it
    /// stays so, they have failed.
    fn measure_again(&mut self, end: Duration, progress: &mut dyn FnMut(Progress<'_>)) {
        let planned = self.plan.sampling.rounds.at_most();
        let mut falling = (0..self.rows.len()).collect();
        for again in 0..=ROUNDS_AGAIN {
            falling = self.falling(falling);
            if falling.is_empty() {
                return;
            }
            let gate = self.gate;
            if again < ROUNDS_AGAIN && self.round(planned + again, &falling, end, progress) {
                if self.gate != gate {
                    // By another measure of quiet, other rows may fall.
                    falling = (0..self.rows.len()).collect();
                }
                continue;
            }
            for index in falling {
                let (row, failure) = (&self.plan.rows[index], falls());
                progress(Progress::Failed { row, failure: &failure });
                self.rows[index].failure = Some(failure);
            }
            return;
        }
    }

    /// Those of these rows of which the slope is all that is asked for, and is nothing or less. What
    /// was calculated for it is noted: it is final for rows that are not measured again.
    fn falling(&mut self, mut rows: Vec<usize>) -> Vec<usize> {
        rows.retain(|&index| {
            let row = &self.plan.rows[index];
            if self.rows[index].failure.is_some() || !is_slope_alone(row) {
                return false;
            }
            let Ok((points, line)) = self.estimates(index, row) else { return false };
            let falls = line.as_ref().is_some_and(|line| line.cycles_per_byte.estimate <= 0.0);
            let state = &mut self.rows[index];
            (state.points, state.line) = (points, line);
            falls
        });
        rows
    }

    /// When no round begins any more; and where the budget is a maximum, no job.
    fn end(&mut self, budget: Duration) -> Duration {
        let now = self.workers.now();
        if !self.plan.sampling.budget_is_maximum {
            return now + budget;
        }
        let rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let for_figures = TIME_FOR_FIGURES.saturating_mul(rows).min(budget / SHARE_FOR_FIGURES);
        let end = now + budget - for_figures;
        self.workers.end_at(end);
        end
    }

    /// The rows of a round: all that can be compared with each other next to
    /// each other, everything in random order.
    fn jobs(&mut self) -> Vec<usize> {
        let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, (row, state)) in self.plan.rows.iter().zip(&self.rows).enumerate() {
            if state.failure.is_none() && !state.precise {
                groups.entry(&row.workload).or_default().push(index);
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
        u64::from(self.plan.sampling.sure_rounds().saturating_sub(round + 1)) * jobs as u64
    }

    /// How long a job may take, waiting for quiet included: what is left of the
    /// time, shared by all jobs that are sure to come. On a quiet core no job
    /// takes as long.
    fn patience(&self, round: u32, end: Duration, jobs: usize, left: usize) -> Duration {
        let rounds_to_come = self.plan.sampling.sure_rounds().saturating_sub(round + 1);
        let jobs_to_come = left + rounds_to_come as usize * jobs;
        let share = end.saturating_sub(self.workers.now()) / jobs_to_come.max(1) as u32;
        share.max(SHORTEST_PATIENCE)
    }

    fn job(
        &mut self,
        round: u32,
        index: usize,
        patience: Duration,
        expected: u64,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        let plan = self.plan;
        let row = &plan.rows[index];
        let samples = plan.sampling.samples_in_round(round);
        progress(Progress::Job { row, done: self.done, expected });
        self.done += 1;
        if samples == 0 {
            return;
        }
        let calls = self.rows[index].calls.clone();
        let job = Job::new(row, &plan.sampling, calls, samples, round);
        let library = self.workers.library(&row.subject.library).ok_or_else(verification::not_run);
        let state = &mut self.rows[index];
        match library.and_then(|library| self.workers.measure(library, &job, patience, progress)) {
            Ok(taken) => {
                state.no_dependence.clone_from(&taken.no_dependence);
                state.events.push(taken.events.clone());
                let round = self.workers.raw(taken);
                state.calls = round
                    .iter()
                    .map(|raw| Some(raw.samples.calls).filter(|calls| *calls != 0))
                    .collect();
                state.rounds += 1;
                self.samples.add(index, round);
            }
            Err(failure) => {
                if let Some(failure) = state.losses.count(failure, state.rounds) {
                    progress(Progress::Failed { row, failure: &failure });
                    state.failure = Some(failure);
                }
            }
        }
    }

    fn note_precise_rows(&mut self, precision: f64, coarse: Option<f64>) {
        for (index, row) in self.plan.rows.iter().enumerate() {
            let state = &self.rows[index];
            if state.failure.is_none() && !state.precise {
                let Ok((points, line)) = self.estimates(index, row) else { continue };
                let state = &mut self.rows[index];
                let is_known_to = |asked| is_precise(&points, line.as_ref(), asked);
                (state.precise, state.is_coarse) =
                    (is_known_to(precision), coarse.is_some_and(is_known_to));
                (state.points, state.line) = (points, line);
            }
        }
        for index in race::behind(&self.plan.rows, &self.rows) {
            self.rows[index].precise = true;
            self.rows[index].is_behind = true;
        }
    }

    /// The rows, with what was last noted of each, or else what its samples say.
    fn so_far(&self) -> Vec<Record> {
        let record = |(index, state): (usize, &RowState)| {
            let row = &self.plan.rows[index];
            let figures = match &state.failure {
                Some(failure) => Err(failure.clone()),
                None if state.points.is_empty() => self.estimates(index, row),
                None => Ok((state.points.clone(), state.line.clone())),
            };
            state.record(row, figures, None)
        };
        self.rows.iter().enumerate().map(record).collect()
    }

    /// What the samples of a row so far say.
    fn estimates(&self, index: usize, row: &Row) -> Result<(Vec<Point>, Option<Line>), Failure> {
        let lost = |reason: String| Failure { kind: FailureKind::NotMeasured, reason };
        let samples = self
            .samples
            .samples(index)
            .map_err(|error| lost(format!("the samples cannot be read back: {error}")))?;
        let cells = cells(&samples, self.workers.calibrations(), self.workers.gate())
            .ok_or_else(|| lost("the samples have no calibration".to_owned()))?;
        Ok(row.asked(self.plan.seed).figures(&cells))
    }

    fn finish(mut self, steal: Option<Steal>) -> (Measured, Spool) {
        let plan = self.plan;
        let states = std::mem::take(&mut self.rows);
        let record = |(index, mut state): (usize, RowState)| {
            let row = &plan.rows[index];
            if state.failure.is_none() && state.rounds == 0 {
                let no_more = match self.interrupted {
                    true => verification::interrupted,
                    false => verification::no_time,
                };
                state.failure = Some(state.losses.failure().unwrap_or_else(no_more));
            }
            let estimates = match state.failure.take() {
                Some(failure) => Err(failure),
                None if is_slope_alone(row) && !state.points.is_empty() => {
                    Ok((std::mem::take(&mut state.points), state.line.take()))
                }
                None => self.estimates(index, row),
            };
            let estimates = estimates.map(|(mut points, line)| {
                events::put(&mut points, row, &state.events);
                (points, line)
            });
            // Once more, by what is known of quiet in the end.
            let precise = match (plan.sampling.rounds, &estimates) {
                (Rounds::Until { precision, coarse, .. }, Ok((points, line))) => {
                    let enough = coarse.filter(|_| state.is_behind).unwrap_or(precision);
                    Some(is_precise(points, line.as_ref(), enough))
                }
                _ => None,
            };
            state.record(row, estimates, precise)
        };
        let records = states.into_iter().enumerate().map(record).collect();
        let cpus = self.workers.cpus();
        let mut clock = self.workers.clock();
        if let Some((clock, check)) = clock.as_mut().zip(self.check) {
            clock.known_loops = check.known_loops(plan.seed, clock.quiet);
        }
        let measured = Measured {
            records,
            cpus,
            clock,
            libraries: self.libraries,
            steal,
            interrupted: self.interrupted,
        };
        (measured, self.samples)
    }
}

/// Whether a slope through all lengths is all that is asked for.
fn is_slope_alone(row: &Row) -> bool {
    row.line.as_ref().is_some_and(|(fit, _)| *fit == Fit::LeastSquares)
}

fn falls() -> Failure {
    let reason = "the more there was to do, the less it took: its samples are too few or too \
                  disturbed for a slope; give more --repetitions, or a quieter machine"
        .to_owned();
    Failure { kind: FailureKind::NotMeasured, reason }
}

/// The share stolen between two looks at the stolen and the whole time.
pub(crate) fn steal_between(
    ((stolen, total), (stolen_after, total_after)): ((u64, u64), (u64, u64)),
) -> Option<Steal> {
    let total = total_after.checked_sub(total).filter(|&total| total != 0)?;
    Some(Steal { share: stolen_after.checked_sub(stolen)? as f64 / total as f64 })
}
