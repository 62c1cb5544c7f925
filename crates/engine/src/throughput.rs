//! Recursive SHA-256 at full throughput: lanes × threads.
//!
//! Unlike [`crate::measure`], this measures in its own process: threads, pinned
//! to a CPU each, are let go together and run the same lanes for a given number
//! of iterations. The wall clock gives the rate of all threads. Every few
//! milliseconds each thread brackets a batch of about 100 µs, which gives core
//! cycles per hash and takes less than half a percent of the time.
//!
//! Before a run the loop is checked at 0 and 1 iterations; after it every
//! lane's last value is compared with what it must be.

mod expected;
mod member;
mod placement;
mod pool;
mod setting;
mod summary;

pub use expected::start_values;
pub use setting::Setting;

use crate::clock_watch::{ClockWatch, clock};
use crate::memory::QuietMemory;
use crate::plan::ClockChoice;
use crate::quiet::QuietCore;
use cpb_figures::cycles_per_operation;
use cpb_model::{
    Calibration, ClockSummary, Failure, FailureKind, Host, Repetition, Samples, Steal, Throughput,
    Verification,
};
use cpb_stats::Histogram;
use expected::Expectations;
use pool::Pool;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The rows.
    pub settings: Vec<Setting>,
    /// Iterations of each lane; not zero.
    pub iterations: u64,
    /// Timed runs of each row.
    pub repetitions: u32,
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
    /// The clock; absent where none could be calibrated.
    pub clock: Option<ClockSummary>,
    /// Time the hypervisor took away.
    pub steal: Option<Steal>,
    /// Why cycles cannot be told, where they cannot.
    pub no_cycles: Option<String>,
    /// Whether it was ended before all was measured.
    pub interrupted: bool,
}

/// How far it has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// What is being measured.
    pub setting: &'a Setting,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time that the rest will take, as far as can be told.
    pub remaining: Duration,
}

/// Why nothing could be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThroughputError {
    /// A thread could not be had.
    #[error("cannot start thread {number} of {wanted}: {reason}; ask for fewer threads")]
    Thread {
        /// Which, counted from 1.
        number: usize,
        /// How many were asked for.
        wanted: usize,
        /// The system's words.
        reason: String,
    },
    /// A thread could not be pinned.
    #[error("{0}; measure without pinning")]
    Pin(#[from] crate::PinError),
    /// A thread ended by itself.
    #[error("a measuring thread ended by itself; please report this")]
    Lost,
}

/// Measures all settings, the repetitions of one after those of all others.
///
/// Ends early, with what was finished, once `stop` is set.
///
/// # Errors
/// [`ThroughputError`], where threads cannot be had or pinned. What fails for
/// one setting is a record with its reason.
pub fn measure(
    plan: &Plan,
    host: &Host,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, ThroughputError> {
    let stolen = crate::host::stolen_and_total(&[]);
    let threads = plan.settings.iter().map(Setting::threads).max().unwrap_or(0);
    let cpus = if plan.pin { placement::spread(host, threads) } else { Vec::new() };
    let mut pool = Pool::start(threads, &cpus, &plan.clock)?;
    let mut session = Session {
        plan,
        stop,
        expectations: Expectations::default(),
        rows: plan.settings.iter().map(|_| Row::default()).collect(),
        watch: ClockWatch::default(),
        quiet: QuietCore::of(&plan.memory),
        started: Instant::now(),
    };
    session.check();
    for _ in 0..plan.repetitions {
        for index in 0..plan.settings.len() {
            if session.stopped() {
                break;
            }
            session.run(index, &mut pool, host, progress)?;
        }
    }
    let interrupted = session.stopped();
    let Session { rows, watch, quiet, .. } = session;
    if let Some(cycles) = quiet.news() {
        plan.memory.keep(cycles);
    }
    let records = plan.settings.iter().zip(rows).filter_map(|(setting, row)| {
        summary::record(plan, setting, &cpus, row.runs, row.verification, row.failure)
    });
    Ok(Outcome {
        records: records.collect(),
        clock: clock(pool.calibrations(), 0, &watch, quiet.gate()),
        steal: stolen.zip(crate::host::stolen_and_total(&[])).map(|(before, after)| {
            let total = after.1.saturating_sub(before.1).max(1) as f64;
            Steal { share: after.0.saturating_sub(before.0) as f64 / total }
        }),
        no_cycles: pool.no_cycles(),
        interrupted,
    })
}

/// What is known of a setting so far.
#[derive(Default)]
struct Row {
    runs: Vec<Repetition>,
    verification: Option<Verification>,
    failure: Option<Failure>,
    /// How long the last run took, warm-up included.
    took: Option<Duration>,
}

struct Session<'a> {
    plan: &'a Plan,
    stop: &'a Arc<AtomicBool>,
    expectations: Expectations,
    rows: Vec<Row>,
    watch: ClockWatch,
    quiet: QuietCore,
    started: Instant,
}

impl Session<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Checks every setting at 0 and 1 iterations.
    fn check(&mut self) {
        for (setting, row) in self.plan.settings.iter().zip(&mut self.rows) {
            let wrong = [0, 1].into_iter().find(|&count| {
                let mut lanes = start_values(setting.lanes());
                setting.iterate(&mut lanes, count);
                self.expectations.known(count).is_some_and(|known| !known.holds(&lanes))
            });
            row.failure = wrong.map(wrong_after);
        }
    }

    fn run(
        &mut self,
        index: usize,
        pool: &mut Pool,
        host: &Host,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ThroughputError> {
        let setting = &self.plan.settings[index];
        if self.rows[index].failure.is_some() {
            return Ok(());
        }
        let iterations = self.plan.iterations;
        let start = Instant::now();
        let remaining = |rows: &[Row]| -> Duration {
            let expected = |index: usize| {
                let guess = || self.plan.settings[index].guess(iterations);
                rows[index].took.unwrap_or_else(guess)
            };
            let runs = |index: usize| {
                let done = rows[index].runs.len() as u32;
                self.plan.repetitions.saturating_sub(done)
            };
            let all: Duration = (0..rows.len())
                .filter(|&index| rows[index].failure.is_none())
                .map(|index| expected(index) * runs(index))
                .sum();
            all.saturating_sub(start.elapsed())
        };
        let (rows, started) = (&self.rows, self.started);
        let mut tell = || {
            progress(Progress { setting, elapsed: started.elapsed(), remaining: remaining(rows) });
        };
        tell();
        let Some(expected) = self.expectations.at(iterations, setting, self.stop, &mut tell) else {
            return Ok(());
        };
        let has_neighbours = placement::cores_are_apart(host, setting.threads());
        let Some(timed) = pool.run(setting, iterations, has_neighbours, self.stop, &mut tell)?
        else {
            return Ok(());
        };
        let took = start.elapsed();
        let row = &mut self.rows[index];
        row.took = Some(took);
        if timed.iter().any(|timed| !expected.holds(&timed.lanes)) {
            row.failure = Some(wrong_after(iterations));
            row.runs.clear();
            return Ok(());
        }
        row.verification = Some(expected.verification.clone());
        let calibrations = pool.common_calibrations();
        for (timed, calibration) in timed.iter().zip(&calibrations) {
            self.quiet.learn(probes(&timed.samples, calibration.as_ref()));
        }
        let gate = self.quiet.gate();
        row.runs.push(summary::repetition(&timed, &calibrations, gate, &mut self.watch));
        Ok(())
    }
}

/// Bins of what the probes around `samples` took.
fn probes(samples: &Samples, calibration: Option<&Calibration>) -> Vec<(i32, u64)> {
    let mut histogram = Histogram::default();
    let brackets = samples.before.iter().zip(&samples.after);
    for ((&before, &after), &probe) in brackets.zip(&samples.probe_after) {
        let cycles = calibration.and_then(|it| cycles_per_operation(it, probe, (before, after)));
        cycles.into_iter().for_each(|cycles| histogram.add(cycles));
    }
    histogram.bins().collect()
}

fn wrong_after(iterations: u64) -> Failure {
    let reason = format!("wrong value after {iterations} iterations");
    Failure { kind: FailureKind::WrongAnswer, reason }
}
