//! Recursive SHA-256 at full throughput: lanes × threads.
//!
//! Each thread of a worker runs the same lanes for a given number of iterations. The loop is checked
//! at one iteration before it runs; afterwards every lane's last value is compared with what it must
//! be.

mod expected;
pub(crate) mod library;
mod setting;

pub use expected::start_values;
pub use setting::Setting;

use crate::plan::library::self_test;
use crate::plan::{ClockChoice, Row};
use crate::progress::Progress;
use crate::quiet::memory::QuietMemory;
use crate::scale::Size;
use crate::schedule::budget::Budget;
use crate::schedule::{Design, Round, Rows, Scheduler, Seen, Time, drive};
use crate::start::Start;
use crate::together::known_loops::KnownLoops;
use crate::together::repetition::{Figures, repetition};
use crate::together::{Job, Means, Taken, Together, crews};
use crate::verification::answers;
use crate::workers::process::Bounds;
use cpb_host::{cores, spread};
use cpb_model::{
    ClockSummary, Contract, Failure, FailureKind, Host, Method, Parameters, Repetition, Steal,
    Subject, Throughput, Verification,
};
use cpb_sampler::Amount;
use expected::{Expectations, Expected};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a worker may be silent.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The rows.
    pub settings: Vec<Setting>,
    /// Iterations of each lane; not zero.
    pub iterations: u64,
    /// Timed runs of each row.
    pub repetitions: u32,
    /// How long all of it may take; what does not end by then is given up.
    pub max_time: Option<Duration>,
    /// Whether threads stay on a CPU each.
    pub pin: bool,
    /// The clock for cycles.
    pub clock: ClockChoice,
    /// Where it is remembered what a quiet core is.
    pub memory: QuietMemory,
}

/// What came of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// One row for each setting with at least one finished run or a failure, in
    /// the plan's order.
    pub records: Vec<Throughput>,
    /// The clock, with loops of known cycles beside; absent where none could be calibrated.
    pub clock: Option<ClockSummary>,
    /// Time the hypervisor took away.
    pub steal: Option<Steal>,
    /// Why cycles cannot be told, where they cannot.
    pub no_cycles: Option<String>,
}

/// Measures all settings, the repetitions of one after those of all others, each in fresh
/// processes.
///
/// Ends at once, with what was finished, when `stop` is set.
pub fn measure(
    plan: &Plan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Outcome {
    let end = plan.max_time.map(|time| Instant::now() + time);
    let threads = plan.settings.iter().map(Setting::threads).max().unwrap_or(0);
    let cpus = if plan.pin { spread(host, threads) } else { Vec::new() };
    let means = Means {
        libraries: vec![library::specification(), self_test()],
        cpus: cpus.clone(),
        threads,
        shares_keys: false,
        clock: plan.clock.clone(),
        bounds: Bounds { timeout: TIMEOUT, end },
        start: Start::now(),
        end: plan.max_time,
        stop: Some(stop),
    };
    // Its values are checked, and a simulated machine has none.
    let mut together = Together::new(means, crews::here());
    together.watch_quiet(&plan.memory, cores(host), KnownLoops::new(1));
    let is_over = || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
    let expected = expectations(plan, &is_over, progress);
    let verdicts = vec![Ok(Verification::KnownAnswer); expected.len()];
    let mut scheduler =
        Scheduler::new(Repetitions::new(plan, expected, &cpus), verdicts, Budget::unlimited());
    let steal = drive(&mut scheduler, &mut together, stop, progress);
    let Scheduler { design, mut rows, .. } = scheduler;
    rows.is_interrupted |= stop.load(Ordering::Relaxed);
    let (clock, no_cycles) = together.finish();
    Outcome { records: design.finish(rows), clock, steal, no_cycles }
}

/// What each setting must come to, up to where time was over.
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

/// As many rounds as there are repetitions, of settings in the order of the plan.
struct Repetitions<'a> {
    plan: &'a Plan,
    expected: Vec<Expected>,
    /// By setting.
    rows: Vec<Row>,
    runs: Vec<Vec<Repetition>>,
    /// The CPU of each thread.
    cpus: &'a [usize],
    /// Of the next round.
    number: u32,
}

impl<'a> Repetitions<'a> {
    fn new(plan: &'a Plan, expected: Vec<Expected>, cpus: &'a [usize]) -> Self {
        let runs = expected.iter().map(|_| Vec::new()).collect();
        let row = |setting: &Setting| {
            let parameters = Parameters::default();
            let length = usize::try_from(plan.iterations).unwrap_or(usize::MAX);
            let offer = library::offer(&setting.to_string());
            Row::new("native", &offer, Contract::Keyed, parameters, vec![length])
        };
        let rows = plan.settings.iter().map(row).collect();
        Self { plan, expected, rows, runs, cpus, number: 0 }
    }

    fn finish(self, rows: Rows) -> Vec<Throughput> {
        let Self { plan, expected, mut runs, cpus, .. } = self;
        let of_row = |(row, setting): (usize, &Setting)| {
            let runs = runs.get_mut(row).map(std::mem::take).unwrap_or_default();
            let failure = rows.states.get(row).and_then(|state| state.failure.clone());
            // What was interrupted is left out; what had no time says so.
            if runs.is_empty() && failure.is_none() && rows.is_interrupted {
                return None;
            }
            let failure = failure.or_else(|| runs.is_empty().then(|| rows.why_nothing(&[row])));
            let verification = expected.get(row).map(|it| it.verification.clone());
            Some(record(plan, setting, cpus, verification, runs, failure))
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
        let round = Round { number: self.number, units, to_come, sure: to_come };
        (!round.units.is_empty()).then_some(round)
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
                rows.fail(row, wrong_after(self.plan.iterations));
                continue;
            }
            self.runs[row].push(repetition(&taken.0, seen.gate));
            rows.states[row].rounds += 1;
        }
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, _is_over: bool) {
        self.number += 1;
    }
}

/// The row of `setting`.
fn record(
    plan: &Plan,
    setting: &Setting,
    cpus: &[usize],
    verification: Option<Verification>,
    runs: Vec<Repetition>,
    failure: Option<Failure>,
) -> Throughput {
    let (lanes, threads) = (setting.lanes(), setting.threads());
    let hashes = plan.iterations as f64 * lanes as f64 * threads as f64;
    let Figures { per_second, cycles, spread } = Figures::of(&runs, hashes);
    let backend = setting.backend_name();
    let default_backend = *setting == Setting::scheduled(lanes, threads);
    let offer = library::offer(&backend);
    Throughput {
        subject: Subject {
            primitive: offer.primitive,
            operation: offer.operation,
            library: "native".to_owned(),
            spelling: offer.spelling,
            backend,
            default_backend,
            security: None,
            row: None,
        },
        method: Method::Throughput,
        lanes,
        loops: setting.loops(),
        threads,
        cpus: cpus.iter().copied().take(threads).collect(),
        iterations: plan.iterations,
        verification: verification.filter(|_| !runs.is_empty()),
        hashes_per_second: per_second,
        cycles_per_hash: cycles,
        between_repetitions: spread,
        repetitions: runs,
        failure,
    }
}

fn wrong_after(iterations: u64) -> Failure {
    let reason = format!("wrong value after {iterations} iterations");
    Failure { kind: FailureKind::WrongAnswer, reason }
}
