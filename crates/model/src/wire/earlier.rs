//! Reads concurrent measurements of files from before schema version 4, which had
//! formats of their own, as records.

use crate::{
    Concurrent, ConcurrentRound, Contract, Estimator, Failure, Figure, Loop, Method, Parameters,
    Record, Setup, Subject, Verification, Workload,
};
use serde::Deserialize;

/// A row of `recursive`: lanes in threads.
#[derive(Deserialize)]
pub(super) struct Throughput {
    subject: Subject,
    lanes: usize,
    loops: Vec<Loop>,
    threads: usize,
    cpus: Vec<usize>,
    iterations: u64,
    verification: Option<Verification>,
    hashes_per_second: Option<Figure>,
    cycles_per_hash: Option<Figure>,
    between_repetitions: Option<f64>,
    repetitions: Vec<Repetition>,
    failure: Option<Failure>,
}

/// One timed run of such a row.
#[derive(Deserialize)]
struct Repetition {
    seconds: f64,
    cycles_per_hash: Option<f64>,
    core_hertz: Option<f64>,
    samples: u64,
    rejected: u64,
    busy: u64,
    #[serde(default)]
    upper_bound: bool,
}

impl From<Throughput> for Record {
    fn from(row: Throughput) -> Self {
        let setup = Setup { threads: row.threads, lanes: row.lanes, ..Setup::default() };
        let calls = row.iterations as f64 * row.lanes as f64 * row.threads as f64;
        let round = |(round, run): (u32, &Repetition)| ConcurrentRound {
            round,
            calls_per_second: calls / run.seconds.max(1e-9),
            cycles_per_call: run.cycles_per_hash,
            core_hertz: run.core_hertz,
            samples: run.samples,
            rejected: run.rejected,
            busy: run.busy,
            upper_bound: run.upper_bound,
            ..ConcurrentRound::default()
        };
        let concurrent = Concurrent {
            cpus: row.cpus,
            loops: row.loops,
            iterations: Some(row.iterations),
            calls_per_second: row.hashes_per_second,
            rounds: (0..).zip(&row.repetitions).map(round).collect(),
            ..Concurrent::default()
        };
        let (contract, parameters) = (Contract::Keyed, Parameters::default());
        let (cycles, between) = (row.cycles_per_hash, row.between_repetitions);
        let point = cycles.and_then(|it| concurrent.point(&setup, parameters, it, between));
        Self {
            verification: row.verification,
            points: point.into_iter().collect(),
            concurrent: Some(concurrent),
            failure: row.failure,
            ..record(row.subject, contract, setup, parameters)
        }
    }
}

/// A row of `scale`: a workload, with calls by one, two and more threads or
/// processes at once.
#[derive(Deserialize)]
pub(super) struct Scaling {
    subject: Subject,
    contract: Contract,
    #[serde(default)]
    shares_keys: bool,
    beside: Option<String>,
    parameters: Parameters,
    verification: Option<Verification>,
    crowds: Vec<Crowd>,
    failure: Option<Failure>,
}

/// The result for one number of threads or processes.
#[derive(Deserialize)]
struct Crowd {
    processes: usize,
    threads: usize,
    #[serde(default)]
    others: usize,
    cycles_per_call: Option<Figure>,
    failure: Option<Failure>,
    #[serde(flatten)]
    found: Concurrent,
}

impl Scaling {
    /// Returns a record for each size; if nothing was measured, one for a single
    /// thread.
    pub(super) fn records(self) -> Vec<Record> {
        let Self { subject, contract, shares_keys, beside, parameters, .. } = self;
        let usual = Setup { shares_keys, ..Setup::default() };
        let of = |setup: Setup| Record {
            verification: self.verification.clone(),
            ..record(subject.clone(), contract, setup, parameters)
        };
        if let Some(failure) = self.failure {
            return vec![Record { failure: Some(failure), ..of(usual) }];
        }
        let crowd = |crowd: Crowd| {
            let Crowd { processes, threads, others, cycles_per_call, failure, found } = crowd;
            let beside = beside.clone().filter(|_| others != 0);
            let setup = Setup { processes, threads, others, beside, ..usual.clone() };
            let point = cycles_per_call.and_then(|it| found.point(&setup, parameters, it, None));
            Record {
                points: point.into_iter().collect(),
                concurrent: Some(found),
                failure,
                ..of(setup)
            }
        };
        self.crowds.into_iter().map(crowd).collect()
    }
}

/// Returns a record that has only its identity, and no results yet.
fn record(subject: Subject, contract: Contract, setup: Setup, parameters: Parameters) -> Record {
    Record {
        workload: Workload::with(&subject.primitive, subject.operation, contract, &parameters),
        setup,
        subject,
        lengths: vec![parameters.length()],
        sizes: Default::default(),
        method: Method::Throughput,
        estimator: Estimator::MiddleRounds,
        verification: None,
        points: Vec::new(),
        line: None,
        concurrent: None,
        no_dependence: None,
        path: None,
        costs: None,
        precise: None,
        quiet: None,
        failure: None,
    }
}
