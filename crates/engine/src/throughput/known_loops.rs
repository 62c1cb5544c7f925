//! Loops of known cycles, run in one thread beside everything else: where they
//! read wrong, this machine cannot tell cycles now.

use super::{Figures, Outcome, Threads, ThroughputError};
use crate::selftest::{self, Expected};
use cpb_model::{
    CallSpec, Contract, Failure, FailureKind, KnownLoop, Offer, Parameters, Quiet, Repetition,
};
use cpb_sampler::{Amount, Prepare, Work};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Rounds in which the loops are run.
const ROUNDS: usize = 5;
/// Operations of a call: so many that entering the loop costs nothing.
const OPERATIONS: usize = 1 << 18;
/// Calls of a run: samples enough, in some ten milliseconds.
const CALLS: u64 = 200;

/// The loops, with the runs so far.
pub(crate) struct KnownLoops {
    loops: Vec<(Offer, Vec<Repetition>)>,
}

impl KnownLoops {
    pub(crate) fn new() -> Self {
        Self { loops: selftest::loops().map(|offer| (offer, Vec::new())).collect() }
    }

    /// Runs each loop once in the first of `threads`; what goes wrong is left out.
    pub(crate) fn round(
        &mut self,
        threads: &mut Threads,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), ThroughputError> {
        for (offer, runs) in self.loops.iter_mut().filter(|(_, runs)| runs.len() < ROUNDS) {
            if let Outcome::Finished { run, .. } = threads.run(&work(offer), stop, &mut || {})? {
                runs.push(run);
            }
        }
        Ok(())
    }

    /// What the loops took.
    pub(crate) fn measured(&self, quiet: Option<Quiet>) -> Vec<KnownLoop> {
        let known_loop = |(offer, runs): &(Offer, Vec<Repetition>)| {
            let measured = Figures::of(runs, OPERATIONS as f64 * CALLS as f64).cycles?;
            let name = offer.primitive.clone();
            let Expected::Exactly(known) =
                selftest::expected(&name, measured.estimate, None, quiet)
            else {
                return None;
            };
            Some(KnownLoop { name, known, measured })
        };
        self.loops.iter().filter_map(known_loop).collect()
    }
}

fn work(offer: &Offer) -> Work {
    let offer = offer.clone();
    let workload = CallSpec {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract: Contract::Keyed,
        parameters: Parameters { message_bytes: OPERATIONS, ..Parameters::default() },
    };
    let prepare: Arc<Prepare> = Arc::new(move || {
        selftest::open()
            .prepare(&offer, &workload)
            .map_err(|error| Failure { kind: FailureKind::Unavailable, reason: error.to_string() })
    });
    Work {
        prepare,
        amount: Amount::Calls(CALLS),
        operations: OPERATIONS as u64,
        threads: 1,
        others: Vec::new(),
    }
}
