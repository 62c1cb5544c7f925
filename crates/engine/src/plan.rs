//! Defines what to measure and how, before anything runs.

pub(crate) mod library;
pub(crate) mod scale;
pub mod selection;

use crate::plan::library::LibrarySpec;
use cpb_figures::EstimateSpec;
use cpb_model::{
    Axis, CallSpec, CodePath, Contract, Estimator, Failure, Fit, Line, Method, Offer, Parameters,
    Point, Record, Role, Setup, Subject, Verification, Workload,
};
use cpb_quiet::QuietMemory;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The clock that workers are to use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockChoice {
    /// A counter's name; the best available if absent.
    pub counter: Option<String>,
    /// The core clock stated by the user, in MHz.
    pub megahertz: Option<f64>,
}

/// One row of the result: an implementation at one or more lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub workload: Workload,
    /// The implementation that is measured.
    pub subject: Subject,
    /// Bytes of keys, signatures, ciphertexts and secrets, for operations that have them.
    pub sizes: BTreeMap<Role, usize>,
    /// The parameters of its calls besides the message. Key and nonce lengths are absent if they
    /// are the offer's defaults.
    pub parameters: Parameters,
    /// The message lengths in bytes, or iterations, in rising order.
    pub lengths: Vec<usize>,
    /// The fit and its lengths, under [`Method::Slope`].
    pub line: Option<(Fit, Vec<usize>)>,
    /// The number of calls for each length, under [`Method::Calls`].
    pub calls: Option<Calls>,
    /// Whether serial calls are measured too, both independent and dependent.
    pub one_by_one: bool,
}

/// Numbers of calls over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// The minimum of accepted calls behind the mean.
    pub timed: u64,
    /// The minimum of calls before them.
    pub warm: u64,
}

impl Row {
    /// Creates a row for `offer` of the library labelled `library`, with these parameters and
    /// message lengths.
    pub fn new(
        library: &str,
        offer: &Offer,
        contract: Contract,
        parameters: Parameters,
        lengths: Vec<usize>,
    ) -> Self {
        let workload = Workload::of(offer, contract, &parameters);
        let asked = workload.parameters_in(offer);
        // The padding of a decoding is not part of the workload.
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

    /// Returns how samples become estimates.
    pub fn method(&self) -> Method {
        match (&self.calls, &self.line) {
            (Some(_), _) => Method::Calls,
            (None, Some(_)) => Method::Slope,
            (None, None) => Method::Trials,
        }
    }

    /// Creates the row's record from these figures.
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

    /// Creates the record of calls that were traced but not timed.
    pub fn traced(&self, path: CodePath) -> Record {
        Record { path: Some(path), ..self.record(None, Ok((Vec::new(), None))) }
    }

    /// Returns the call at one length.
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

    /// Returns the specification of the row's estimates.
    pub(crate) fn asked(&self, seed: u64) -> EstimateSpec {
        let parameters = |&length: &usize| self.call(length).parameters;
        EstimateSpec {
            parameters: self.lengths.iter().map(parameters).collect(),
            line: self.line.clone(),
            seed,
        }
    }

    /// Returns the calls that verification runs: the timed ones, since each contract may run other
    /// code, or keyed ones if those have no output to compare.
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

/// Returns the sizes of an operation's key pairs, inputs and outputs.
fn sizes(offer: &Offer) -> BTreeMap<Role, usize> {
    if !offer.operation.is_public_key() {
        return BTreeMap::new();
    }
    let row = offer.operation.row();
    let length = |role: &Role| {
        let length = offer.lengths.of(*role).filter(|length| !length.is_none())?;
        (*role != Role::Randomness).then_some((*role, length.default_length()))
    };
    row.takes.iter().chain(row.gives).filter_map(length).collect()
}

/// The length and the iterations at which a row is verified if its contract has no output to
/// compare.
const CHECKED_BYTES: usize = 1040;
const CHECKED_ITERATIONS: usize = 10;

/// States how many rounds are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounds {
    Fixed(u32),
    /// Rounds until every row's interval is narrow enough, or the budget is spent.
    Until {
        /// The relative half-width at which an interval is narrow enough.
        precision: f64,
        /// The same for a row that cannot be the fastest of its group, if a coarser figure is
        /// enough for those.
        coarse: Option<f64>,
        /// Rounds before a row may count as precise.
        at_least: u32,
        /// Rounds after which a row is given up as imprecise.
        at_most: u32,
    },
}

impl Rounds {
    /// Returns the maximum of rounds.
    pub fn at_most(self) -> u32 {
        match self {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_most, .. } => at_most,
        }
    }
}

/// States how samples are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Quiet samples per workload: in total under [`Rounds::Fixed`], otherwise per round.
    pub samples: u32,
    /// The target duration of one sample.
    pub batch: Duration,
    /// The warm-up before a row is timed.
    pub warm_up: Duration,
    /// The approximate limit for the samples of one workload in a round, so that slow calls get
    /// fewer samples. Without it, all get the same number.
    pub limit: Option<Duration>,
    /// The number of rounds.
    pub rounds: Rounds,
    /// The time after which nothing waits for a quiet core any more. Under [`Rounds::Until`], only
    /// the first four rounds may start later.
    pub budget: Duration,
    /// Whether the budget limits the whole run, verification included. Rows that are not reached
    /// then fail with that reason.
    pub budget_is_maximum: bool,
    /// How long a worker may stay silent before it counts as hung.
    pub timeout: Duration,
}

impl Sampling {
    /// Returns the time limit of the whole measurement, if there is one.
    pub(crate) fn maximum(&self) -> Option<Duration> {
        self.budget_is_maximum.then_some(self.budget)
    }

    /// Returns the minimum of rounds.
    #[must_use]
    pub(crate) fn sure_rounds(&self) -> u32 {
        match self.rounds {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_least, .. } => at_least,
        }
    }

    /// Returns the samples to take in this round (from 0).
    pub fn samples_in_round(&self, round: u32) -> u32 {
        match self.rounds {
            Rounds::Fixed(rounds) => {
                self.samples / rounds + u32::from(round < self.samples % rounds)
            }
            Rounds::Until { .. } => self.samples,
        }
    }
}

/// Specifies a measurement by [`crate::measure()`].
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The libraries of the rows.
    pub libraries: Vec<LibrarySpec>,
    /// Their offers for the rows' primitives, with their labels.
    pub offers: Vec<(String, Offer)>,
    /// Libraries to check results against. They are looked for only if a result depends on them.
    pub others: Vec<LibrarySpec>,
    /// The rows, in the order of the result.
    pub rows: Vec<Row>,
    pub sampling: Sampling,
    pub clock: ClockChoice,
    /// The CPUs to measure on, in order of preference; each worker uses one that is quiet. Empty if
    /// workers are not pinned.
    pub cpus: Vec<usize>,
    /// The memory of what quiet looks like on this machine.
    pub memory: QuietMemory,
    /// The seed of the order of jobs and of the bootstrap.
    pub seed: u64,
}
