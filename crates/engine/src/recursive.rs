//! Recursive SHA-256 at full throughput: lanes × threads.
//!
//! Each thread runs the same lanes for a given number of iterations: what they
//! do together is measured as [`crate::throughput`] measures any call. Before a
//! run the loop is checked at 0 and 1 iterations; after it every lane's last
//! value is compared with what it must be.

mod expected;
mod setting;

pub use expected::start_values;
pub use setting::Setting;

use crate::throughput::{
    self, Choice, Circumstances, Figures, KnownLoops, Threads, ThroughputError,
};
use cpb_model::{
    Failure, FailureKind, Host, Method, Operation, Repetition, Subject, Throughput, Verification,
};
use expected::{Expectations, Expected};
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
    /// How threads are had.
    pub choice: Choice,
}

/// What came of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// One row for each setting with at least one finished run or a failure, in
    /// the plan's order.
    pub records: Vec<Throughput>,
    /// The machine meanwhile, with loops of known cycles beside.
    pub circumstances: Circumstances,
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
    let count = plan.settings.iter().map(Setting::threads).max().unwrap_or(0);
    let mut threads = Threads::start(count, host, &plan.choice)?;
    let mut session = Session {
        plan,
        stop,
        expectations: Expectations::default(),
        rows: plan.settings.iter().map(|_| Row::default()).collect(),
        started: Instant::now(),
    };
    session.check();
    let mut known_loops = KnownLoops::new();
    'repetitions: for _ in 0..plan.repetitions {
        for index in 0..plan.settings.len() {
            if session.is_stopped() {
                break 'repetitions;
            }
            session.run(index, &mut threads, progress)?;
        }
        known_loops.round(&mut threads, stop)?;
    }
    let rows = plan.settings.iter().zip(session.rows);
    let records = rows.filter_map(|(setting, row)| row.record(plan, setting, threads.cpus()));
    let records = records.collect();
    let mut circumstances = threads.finish();
    if let Some(clock) = &mut circumstances.clock {
        clock.known_loops = known_loops.measured(clock.quiet);
    }
    Ok(Outcome { records, circumstances })
}

struct Session<'a> {
    plan: &'a Plan,
    stop: &'a Arc<AtomicBool>,
    expectations: Expectations,
    rows: Vec<Row>,
    started: Instant,
}

impl Session<'_> {
    fn is_stopped(&self) -> bool {
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

    /// Runs a setting once, unless it has failed already.
    fn run(
        &mut self,
        index: usize,
        threads: &mut Threads,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), ThroughputError> {
        let setting = &self.plan.settings[index];
        if self.rows[index].failure.is_some() {
            return Ok(());
        }
        let iterations = self.plan.iterations;
        let start = Instant::now();
        let (remaining, started) = (self.remaining(), self.started);
        let mut tell = || {
            let remaining = remaining.saturating_sub(start.elapsed());
            progress(Progress { setting, elapsed: started.elapsed(), remaining });
        };
        tell();
        let Some(expected) = self.expectations.at(iterations, setting, self.stop, &mut tell) else {
            return Ok(());
        };
        let outcome = threads.run(&setting.work(iterations), self.stop, &mut tell)?;
        self.rows[index].add(outcome, expected, iterations, start.elapsed());
        Ok(())
    }

    /// What all runs to come will take, as far as can be told.
    fn remaining(&self) -> Duration {
        let rows = self.plan.settings.iter().zip(&self.rows);
        let left = rows.filter(|(_, row)| row.failure.is_none()).map(|(setting, row)| {
            let one = row.took.unwrap_or_else(|| setting.guess(self.plan.iterations));
            one * self.plan.repetitions.saturating_sub(row.runs.len() as u32)
        });
        left.sum()
    }
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

impl Row {
    fn add(
        &mut self,
        outcome: throughput::Outcome,
        expected: Expected,
        iterations: u64,
        took: Duration,
    ) {
        match outcome {
            throughput::Outcome::Stopped => {}
            throughput::Outcome::Failed(failure) => self.failure = Some(failure),
            throughput::Outcome::Finished { outputs, run } => {
                self.took = Some(took);
                if outputs.iter().all(|lanes| expected.holds(lanes.as_chunks().0)) {
                    self.verification = Some(expected.verification);
                    self.runs.push(run);
                } else {
                    self.failure = Some(wrong_after(iterations));
                    self.runs.clear();
                }
            }
        }
    }

    /// The row of `setting`; `None` where neither a run nor a failure is known.
    fn record(self, plan: &Plan, setting: &Setting, cpus: &[usize]) -> Option<Throughput> {
        if self.runs.is_empty() && self.failure.is_none() {
            return None;
        }
        let (lanes, threads) = (setting.lanes(), setting.threads());
        let hashes = plan.iterations as f64 * lanes as f64 * threads as f64;
        let Figures { per_second, cycles, spread } = Figures::of(&self.runs, hashes);
        Some(Throughput {
            subject: Subject {
                primitive: "recursive-sha256".to_owned(),
                operation: Operation::Iterate,
                library: "native".to_owned(),
                spelling: "recursive-sha256".to_owned(),
                backend: setting.backend_name(),
                default_backend: *setting == Setting::scheduled(lanes, threads),
                security: None,
                row: None,
            },
            method: Method::Throughput,
            lanes,
            loops: setting.loops(),
            threads,
            cpus: cpus.iter().copied().take(threads).collect(),
            iterations: plan.iterations,
            verification: self.verification,
            hashes_per_second: per_second,
            cycles_per_hash: cycles,
            between_repetitions: spread,
            repetitions: self.runs,
            failure: self.failure,
        })
    }
}

fn wrong_after(iterations: u64) -> Failure {
    let reason = format!("wrong value after {iterations} iterations");
    Failure { kind: FailureKind::WrongAnswer, reason }
}
