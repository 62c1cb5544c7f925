//! What is known of the rows of a session, and what becomes of it.

use super::{Company, ScalePlan, Size, call, not_the_same, words};
use crate::plan::Row;
use crate::verification;
use cpb_figures::scaling;
use cpb_host::share_cores;
use cpb_model::{Crowd, CrowdRound, Failure, FailureKind, Host, Scaling, Verification};

/// What is known of a row so far.
pub(super) struct State {
    pub(super) verdict: Result<Verification, Failure>,
    pub(super) sizes: Vec<SizeState>,
}

/// What is known of one of its sizes.
#[derive(Default)]
pub(super) struct SizeState {
    rounds: Vec<CrowdRound>,
    /// What all its threads put out, where all must put out the same.
    output: Option<String>,
    failure: Option<Failure>,
}

impl SizeState {
    pub(super) fn add(&mut self, found: Result<(CrowdRound, Option<String>), Failure>) {
        match found {
            Ok((_, output)) if !self.rounds.is_empty() && output != self.output => {
                self.failure = Some(not_the_same());
            }
            Ok((round, output)) => {
                self.rounds.push(round);
                self.output = output;
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Whether what went wrong would do so again.
    pub(super) fn is_given_up(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.kind != FailureKind::NotMeasured)
    }
}

impl State {
    pub(super) fn new(verdict: Result<Verification, Failure>, plan: &ScalePlan) -> Self {
        let sizes = plan.sizes.iter().map(|_| SizeState::default()).collect();
        Self { verdict, sizes }
    }

    /// Whether fewer rounds than are wanted were beside no neighbour, of a size that has one of
    /// the `cpus` for each thread, and could have them.
    pub(super) fn lacks_quiet(&self, plan: &ScalePlan, cpus: usize) -> bool {
        let one = self.sizes.first().map(|one| one.rounds.as_slice()).unwrap_or_default();
        let lacks = |(size, state): (&Size, &SizeState)| {
            let is_probed = state.rounds.iter().any(|round| round.probe_cycles.is_some());
            size.all() <= cpus
                && is_probed
                && !state.is_given_up()
                && scaling::quiet(&state.rounds, one).len() < plan.rounds as usize
        };
        let is_asked = self.verdict.is_ok() && !plan.plan.memory.assumes_quiet();
        is_asked && plan.sizes.iter().zip(&self.sizes).any(lacks)
    }

    pub(super) fn record(
        self,
        plan: &ScalePlan,
        company: &Company,
        row: &Row,
        host: &Host,
        interrupted: bool,
    ) -> Scaling {
        let cpus = host.cores.len().max(1);
        let one = self.sizes.first();
        let alone = one.and_then(|one| one.output.clone());
        let one = one.map(|one| one.rounds.clone()).unwrap_or_default();
        let no_more =
            || if interrupted { verification::interrupted() } else { verification::no_time() };
        let (verification, failure) = match self.verdict {
            Ok(verification) => (Some(verification), None),
            Err(failure) => (None, Some(failure)),
        };
        let sizes = plan.sizes.iter().zip(self.sizes).filter(|_| failure.is_none());
        let crowds: Vec<Crowd> = sizes
            .map(|(&size, state)| {
                let given_up = state.is_given_up();
                let nothing = state.rounds.is_empty();
                let differs = alone.is_some() && state.output.is_some() && state.output != alone;
                let failure = state.failure.filter(|_| given_up || nothing);
                let failure = failure.or_else(|| differs.then(not_the_same));
                let failure = failure.or_else(|| nothing.then(no_more));
                let rounds = if failure.is_none() { state.rounds } else { Vec::new() };
                let crowd = crowd(size, company, &plan.cpus, host);
                scaling::with_figures(Crowd { rounds, failure, ..crowd }, &one, cpus)
            })
            .collect();
        let verdict = scaling::verdict(&crowds, cpus);
        Scaling {
            subject: row.subject.clone(),
            contract: row.workload.contract,
            shares_keys: plan.shares_keys,
            beside: words(company),
            parameters: call(row).parameters,
            verification,
            crowds,
            verdict,
            failure,
        }
    }
}

/// A crowd of which nothing is known yet.
fn crowd(size: Size, company: &Company, cpus: &[usize], host: &Host) -> Crowd {
    let cpus: Vec<usize> = cpus.iter().copied().take(size.all()).collect();
    let threads = company.measured(size.threads);
    Crowd {
        processes: size.processes,
        others: size.threads - threads,
        shares_cores: share_cores(host, &cpus),
        cpus,
        ..Crowd::of_threads(threads)
    }
}
