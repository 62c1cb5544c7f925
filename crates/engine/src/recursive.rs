//! Measures recursive SHA-256 at full throughput: lanes × threads.
//!
//! Each thread of a worker runs the same lanes for a given number of iterations. The loop is
//! checked at one iteration before it runs; afterwards every lane's final value is compared with
//! the expected one.

mod expected;
pub(crate) mod library;
mod setting;

pub use expected::start_values;
pub use setting::Setting;

use crate::failures::wrong_answer;
use crate::machines::crews;
use crate::measured::Measured;
use crate::plan::library::self_test;
use crate::plan::scale::Size;
use crate::plan::{ClockChoice, Row};
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::design::{Design, Round, Time};
use crate::schedule::driver::carry_out;
use crate::schedule::rows::{Rows, Seen};
use crate::start::Start;
use crate::together::Together;
use crate::together::job::{Job, Means, Taken};
use crate::together::repetition::{Figures, repetition};
use crate::verification::{Verified, answers};
use cpb_figures::PointSamples;
use cpb_host::{cores, spread};
use cpb_libraries::NATIVE;
use cpb_model::{
    Concurrent, ConcurrentRound, Contract, Estimator, Host, Method, Parameters, Record, Setup,
    Subject, Verification,
};
use cpb_quiet::QuietMemory;
use cpb_sampler::Amount;
use expected::{Expectations, Expected, wrong_after};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest time that a worker may be silent.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Specifies a measurement.
#[derive(Debug, Clone)]
pub struct Plan {
    pub settings: Vec<Setting>,
    /// The number of iterations of each lane; not zero.
    pub iterations: u64,
    /// The number of timed runs of each row.
    pub repetitions: u32,
    /// The time limit of the whole measurement; runs that do not end by then are given up.
    pub max_time: Option<Duration>,
    /// Whether each thread is pinned to a CPU.
    pub pin: bool,
    pub clock: ClockChoice,
    /// The memory of what a quiet core looks like.
    pub memory: QuietMemory,
}

/// Measures all settings in rounds: one repetition of each setting, each in fresh processes.
/// Returns a record for each setting with at least one finished run or a failure.
///
/// Ends at once when `stop` is set, with the finished runs.
pub fn measure(
    plan: &Plan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Measured {
    let start = Start::now();
    let bounds = start.bounds(TIMEOUT, plan.max_time);
    let threads = plan.settings.iter().map(Setting::threads).max().unwrap_or(0);
    let cpus = if plan.pin { spread(host, threads) } else { Vec::new() };
    let means = Means {
        libraries: vec![library::specification(), self_test()],
        cpus: cpus.clone(),
        threads,
        shares_keys: false,
        clock: plan.clock.clone(),
        memory: Some(&plan.memory),
        cores: cores(host),
        timeout: TIMEOUT,
        start,
        end: plan.max_time,
        stop: Some(stop),
    };
    let is_over = || stop.load(Ordering::Relaxed) || bounds.are_over();
    let expected = expectations(plan, &is_over, progress);
    let rows = vec![Ok(Verification::KnownAnswer); expected.len()];
    let verified = Verified { rows, libraries: Vec::new() };
    let design = Repetitions::new(plan, expected, &cpus);
    let budget = Budget::maximum(plan.max_time);
    carry_out(design, Together::new(means, crews()), verified, budget, stop, progress).0
}

/// Returns the expected values of each setting, up to the one at which time was over.
fn expectations(
    plan: &Plan,
    is_over: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Vec<Expected> {
    let mut expectations = Expectations::default();
    let mut tell = |done| {
        progress(Progress::Verify { done, expected: plan.iterations });
    };
    let expected = |setting| expectations.at(plan.iterations, setting, is_over, &mut tell);
    plan.settings.iter().map_while(expected).collect()
}

/// Makes one round per repetition, with the settings in the order of the plan.
struct Repetitions<'a> {
    plan: &'a Plan,
    expected: Vec<Expected>,
    /// One row per setting.
    rows: Vec<Row>,
    runs: Vec<Vec<ConcurrentRound>>,
    /// The CPU of each thread.
    cpus: &'a [usize],
    /// The number of the next round.
    number: u32,
}

impl<'a> Repetitions<'a> {
    fn new(plan: &'a Plan, expected: Vec<Expected>, cpus: &'a [usize]) -> Self {
        let runs = expected.iter().map(|_| Vec::new()).collect();
        let row = |setting: &Setting| {
            let parameters = Parameters::default();
            let length = usize::try_from(plan.iterations).unwrap_or(usize::MAX);
            // This row is shown while it is measured.
            let offer = library::offer(&setting.to_string());
            Row::new(NATIVE, &offer, Contract::Keyed, parameters, vec![length])
        };
        let rows = plan.settings.iter().map(row).collect();
        Self { plan, expected, rows, runs, cpus, number: 0 }
    }

    fn records(&self, rows: &Rows) -> Vec<Record> {
        let Self { plan, expected, runs, cpus, .. } = self;
        let of_row = |(row, setting): (usize, &Setting)| {
            let runs = runs.get(row).cloned().unwrap_or_default();
            let failure = rows.states.get(row).and_then(|state| state.failure.clone());
            // Interrupted rows are left out; rows without time have that as the reason.
            if runs.is_empty() && failure.is_none() && rows.is_interrupted {
                return None;
            }
            let failure = failure.or_else(|| runs.is_empty().then(|| rows.why_nothing(&[row])));
            let verification = expected.get(row).map(|it| it.verification.clone());
            let verification = verification.filter(|_| !runs.is_empty());
            let planned =
                self.rows[row].record(verification, failure.map_or(Ok(Default::default()), Err));
            Some(record(planned, setting, plan.iterations, cpus, runs))
        };
        plan.settings.iter().enumerate().filter_map(of_row).collect()
    }
}

impl Design for Repetitions<'_> {
    type Job = Job;
    type Taken = Taken;

    fn row(&self, row: usize) -> &Row {
        &self.rows[row]
    }

    fn round(&mut self, rows: &mut Rows, _seen: Seen<'_>, time: Time) -> Option<Round> {
        let is_over = time == Time::Over || self.number == self.plan.repetitions;
        let left = (0..self.expected.len()).filter(|&row| !is_over && !rows.has_failed(row));
        let units: Vec<_> = left.map(|row| vec![row]).collect();
        let to_come = self.plan.repetitions.saturating_sub(self.number + 1).into();
        Some(Round { number: self.number, units, to_come, sure: to_come })
    }

    fn job(&self, row: usize, _round: u32) -> Job {
        let setting = &self.plan.settings[row];
        Job {
            library: Some(0),
            side: 0,
            size: Size { threads: setting.threads(), ..Size::ONE },
            work: library::work(setting),
            amount: Amount::Calls(self.plan.iterations),
            operations: setting.lanes() as u64,
        }
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Taken)>, seen: Seen<'_>) {
        for (row, taken) in unit {
            let lanes = self.plan.settings[row].lanes();
            let is_right = |expected: &str| taken.threads().all(|it| it.output == expected);
            let expected = self.expected[row].output(lanes).map(|it| answers::digest(&it));
            if expected.is_some_and(|expected| !is_right(&expected)) {
                self.runs[row].clear();
                rows.fail(row, wrong_answer(wrong_after(self.plan.iterations)));
                continue;
            }
            let hashes = self.plan.settings[row].hashes(self.plan.iterations);
            self.runs[row].push(repetition(self.number, hashes, &taken.0, seen.gate));
            rows.states[row].rounds += 1;
        }
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, _is_over: bool) {
        self.number += 1;
    }

    fn known_loop(&self, row: &Row, _calls: Option<u64>) -> Option<Job> {
        Some(Job::known_loop(1, row))
    }

    fn add_known_loop(&self, so_far: &mut PointSamples, taken: Taken, seen: Seen<'_>) {
        taken.add_to(so_far, seen.gate);
    }

    fn snapshot(&self, rows: &Rows, _seen: Seen<'_>) -> Vec<Record> {
        self.records(rows)
    }
}

/// Returns the record of `setting`: everything follows from `planned`, except the results of its
/// `runs`.
fn record(
    planned: Record,
    setting: &Setting,
    iterations: u64,
    cpus: &[usize],
    runs: Vec<ConcurrentRound>,
) -> Record {
    let (lanes, threads) = (setting.lanes(), setting.threads());
    let setup = Setup { lanes, threads, ..Setup::default() };
    let Figures { per_second, cycles, spread } = Figures::of(&runs);
    let concurrent = Concurrent {
        cpus: cpus.iter().copied().take(threads).collect(),
        loops: setting.loops(),
        iterations: Some(iterations),
        calls_per_second: per_second,
        rounds: runs,
        ..Concurrent::default()
    };
    let parameters = Parameters::default();
    let point = cycles.and_then(|it| concurrent.point(&setup, parameters, it, spread));
    Record {
        subject: Subject {
            backend: setting.backend_name(),
            default_backend: *setting == Setting::scheduled(lanes, threads),
            ..planned.subject
        },
        lengths: vec![parameters.length()],
        setup,
        method: Method::Throughput,
        estimator: Estimator::OF_MANY,
        points: point.into_iter().collect(),
        concurrent: Some(concurrent),
        ..planned
    }
}
