//! What to measure and how, decided before anything runs.

pub(crate) mod library;
pub mod selection;

use crate::plan::library::LibrarySpec;
use crate::quiet::memory::QuietMemory;
use cpb_figures::EstimateSpec;
use cpb_model::{
    Axis, CallSpec, CodePath, Contract, Estimator, Failure, Fit, Line, Method, Offer, Parameters,
    Point, Record, Role, Setup, Subject, Verification, Workload,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The clock the workers shall use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockChoice {
    /// A counter's name; the best available where absent.
    pub counter: Option<String>,
    /// The core clock as the user states it, in MHz.
    pub megahertz: Option<f64>,
}

/// One row of the result: a subject at one or more lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What a call does.
    pub workload: Workload,
    /// What is measured.
    pub subject: Subject,
    /// Bytes of keys, signatures, ciphertexts and secrets, where there are such.
    pub sizes: BTreeMap<Role, usize>,
    /// What its calls are given besides the message, as the workload has it: lengths of keys and
    /// nonces are absent where they are the offer's own.
    pub parameters: Parameters,
    /// The message lengths in bytes, or iterations; smallest first.
    pub lengths: Vec<usize>,
    /// Which of them a line is fitted through, and how, under
    /// [`Method::Slope`].
    pub line: Option<(Fit, Vec<usize>)>,
    /// How many calls each length gets, under [`Method::Calls`].
    pub calls: Option<Calls>,
    /// Whether the same calls are also made one by one, independent of each other and
    /// dependent.
    pub one_by_one: bool,
}

/// Numbers of calls, over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// Accepted calls that the mean is taken over, at least.
    pub timed: u64,
    /// Calls before them, at least.
    pub warm: u64,
}

impl Row {
    /// A row for `offer` of the library labelled `library`, whose calls are given these
    /// parameters and messages of these lengths.
    #[must_use]
    pub fn new(
        library: &str,
        offer: &Offer,
        contract: Contract,
        parameters: Parameters,
        lengths: Vec<usize>,
    ) -> Self {
        let workload = Workload::of(offer, contract, &parameters);
        let asked = workload.parameters_in(offer);
        // The padding of a decoding is no part of the work.
        let output_bytes = asked.output_bytes.or(parameters.output_bytes);
        let parameters = Parameters { output_bytes, ..asked };
        Self {
            workload,
            subject: Subject {
                primitive: offer.primitive.clone(),
                operation: offer.operation,
                library: library.to_owned(),
                spelling: offer.spelling.clone(),
                backend: offer.backend.clone(),
                default_backend: offer.default_backend,
                security: offer.security,
                row: offer.row.clone(),
            },
            sizes: sizes(offer),
            parameters,
            lengths,
            line: None,
            calls: None,
            one_by_one: false,
        }
    }

    /// How samples become estimates.
    #[must_use]
    pub fn method(&self) -> Method {
        match (&self.calls, &self.line) {
            (Some(_), _) => Method::Calls,
            (None, Some(_)) => Method::Slope,
            (None, None) => Method::Trials,
        }
    }

    /// The row's record, by these figures.
    pub(crate) fn record(
        &self,
        verification: Option<Verification>,
        figures: Result<(Vec<Point>, Option<Line>), Failure>,
    ) -> Record {
        let (points, line, failure) = match figures {
            Ok((points, line)) => (points, line, None),
            Err(failure) => (Vec::new(), None, Some(failure)),
        };
        Record {
            workload: self.workload.clone(),
            setup: Setup::default(),
            subject: self.subject.clone(),
            lengths: self.lengths.clone(),
            sizes: self.sizes.clone(),
            method: self.method(),
            estimator: Estimator::CURRENT,
            verification,
            points,
            line,
            concurrent: None,
            no_dependence: None,
            path: None,
            costs: None,
            quiet: None,
            precise: None,
            failure,
        }
    }

    /// A record of calls that were traced and not timed.
    #[must_use]
    pub fn traced(&self, path: CodePath) -> Record {
        Record { path: Some(path), ..self.record(None, Ok((Vec::new(), None))) }
    }

    /// The call at one length.
    #[must_use]
    pub fn call(&self, length: usize) -> CallSpec {
        let Workload { primitive, operation, contract, .. } = &self.workload;
        let (message_bytes, iterations) = operation.counts(length);
        CallSpec {
            primitive: primitive.clone(),
            operation: *operation,
            contract: *contract,
            parameters: Parameters { message_bytes, iterations, ..self.parameters },
        }
    }

    /// What is asked of its rounds.
    pub(crate) fn asked(&self, seed: u64) -> EstimateSpec {
        let parameters = |&length: &usize| self.call(length).parameters;
        EstimateSpec {
            parameters: self.lengths.iter().map(parameters).collect(),
            line: self.line.clone(),
            seed,
        }
    }

    /// The workloads that verification runs: those timed, since each contract may run code of
    /// its own; or, where it puts out nothing that could be compared, keyed ones.
    pub(crate) fn checks(&self) -> Vec<CallSpec> {
        let keyed = |length| CallSpec { contract: Contract::Keyed, ..self.call(length) };
        let all = self.lengths.iter();
        match (self.workload.contract, self.subject.operation.row().axis) {
            (Contract::Keyed | Contract::Oneshot, _) => {
                all.map(|&length| self.call(length)).collect()
            }
            (Contract::Compat, Axis::Iterations) => vec![keyed(CHECKED_ITERATIONS)],
            (Contract::Compat, Axis::Bytes) => vec![keyed(CHECKED_BYTES)],
            (Contract::Compat, Axis::Calls) => all.map(|&length| keyed(length)).collect(),
        }
    }
}

/// Of what an operation with key pairs takes and puts out.
fn sizes(offer: &Offer) -> BTreeMap<Role, usize> {
    if !offer.operation.is_public_key() {
        return BTreeMap::new();
    }
    let row = offer.operation.row();
    let length = |role: &Role| {
        let length = offer.lengths.of(*role).filter(|length| !length.is_none())?;
        (*role != Role::Randomness).then_some((*role, length.usual()))
    };
    row.takes.iter().chain(row.gives).filter_map(length).collect()
}

/// Length and iterations at which a row is verified whose contract puts out
/// nothing that could be compared.
const CHECKED_BYTES: usize = 1040;
const CHECKED_ITERATIONS: usize = 10;

/// How many rounds are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounds {
    /// This many.
    Fixed(u32),
    /// Until every row's interval is narrow enough, or the budget is spent.
    Until {
        /// Relative half-width of the interval that is narrow enough.
        precision: f64,
        /// The same of a row that cannot be the fastest of those that do the same, where that
        /// is enough to know of it.
        coarse: Option<f64>,
        /// Rounds before a row may be found precise.
        at_least: u32,
        /// Rounds after which a row is given up as not precise.
        at_most: u32,
    },
}

impl Rounds {
    /// The most rounds there may be.
    #[must_use]
    pub fn at_most(self) -> u32 {
        match self {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_most, .. } => at_most,
        }
    }
}

/// How samples are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Quiet samples per workload: in all under [`Rounds::Fixed`], in each
    /// round otherwise.
    pub samples: u32,
    /// How long one sample shall last.
    pub batch: Duration,
    /// How long a row runs before it is timed.
    pub warm_up: Duration,
    /// About how long the samples of a workload may take in a round; slow
    /// calls then get fewer. Without it all get the same.
    pub limit: Option<Duration>,
    /// How many rounds are taken.
    pub rounds: Rounds,
    /// Waiting for a quiet core ends after this; under [`Rounds::Until`] no round
    /// starts then, but for the first four.
    pub budget: Duration,
    /// Whether all ends after the budget, verification included: rows whose turn has
    /// not come then have a failure that says so.
    pub budget_is_maximum: bool,
    /// How long a worker may stay silent.
    pub timeout: Duration,
}

impl Sampling {
    /// How long all may take, where that is limited.
    pub(crate) fn maximum(&self) -> Option<Duration> {
        self.budget_is_maximum.then_some(self.budget)
    }

    /// Rounds that are taken in any case.
    #[must_use]
    pub(crate) fn sure_rounds(&self) -> u32 {
        match self.rounds {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_least, .. } => at_least,
        }
    }

    /// Samples to take in round `round` (from 0).
    #[must_use]
    pub fn samples_in_round(&self, round: u32) -> u32 {
        match self.rounds {
            Rounds::Fixed(rounds) => {
                self.samples / rounds + u32::from(round < self.samples % rounds)
            }
            Rounds::Until { .. } => self.samples,
        }
    }
}

/// Everything [`crate::measure()`] needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The libraries whose labels the rows carry, and any others that
    /// results are checked against.
    pub libraries: Vec<LibrarySpec>,
    /// What those others offer to check results against, by label.
    pub cross_checks: Vec<(String, Offer)>,
    /// The rows, in the order of the result.
    pub rows: Vec<Row>,
    /// How samples are taken.
    pub sampling: Sampling,
    /// The clock.
    pub clock: ClockChoice,
    /// The CPUs to measure on, the preferred one first: each worker sits on
    /// the one that is quiet. Not pinned where there are none.
    pub cpus: Vec<usize>,
    /// Where it is remembered what quiet is.
    pub memory: QuietMemory,
    /// Seed of the order of jobs and of the bootstrap.
    pub seed: u64,
}
