//! Loops of known cycles, run in one thread beside everything else: where they
//! read wrong, this machine cannot tell cycles now.

use super::repetition::{Figures, repetition};
use super::{CrowdWork, Job, Ran};
use crate::scale::Size;
use crate::selftest::{self, Expected};
use crate::workers::protocol::Implementation;
use cpb_figures::QuietCriterion;
use cpb_model::{CallSpec, ConcurrentRound, Contract, KnownLoop, Offer, Parameters, Quiet};
use cpb_sampler::Amount;

/// Rounds in which the loops are run.
const ROUNDS: u32 = 5;
/// Operations of a call: so many that entering the loop costs nothing, and so few that the longest
/// call lasts about as long as a batch of what is measured.
const OPERATIONS: usize = 1 << 15;
/// Calls of a run: samples enough, in some tens of milliseconds.
const CALLS: u64 = 1600;

/// The loops, with the runs so far.
pub(crate) struct KnownLoops {
    /// Where their library stands among those there are means for.
    library: usize,
    rounds: u32,
    loops: Vec<(Offer, Vec<ConcurrentRound>)>,
}

impl KnownLoops {
    /// Of the self-test, which stands at this place among the libraries.
    pub(crate) fn new(library: usize) -> Self {
        let loops = selftest::loops().map(|offer| (offer, Vec::new())).collect();
        Self { library, rounds: 0, loops }
    }

    /// Each loop once more, while more are wanted.
    pub(crate) fn round(&mut self) -> Vec<Job> {
        self.rounds += 1;
        let wanted = if self.rounds > ROUNDS { 0 } else { self.loops.len() };
        let job = |(offer, _): &(Offer, _)| Job {
            library: Some(self.library),
            side: 0,
            size: Size::ONE,
            work: work(offer),
            amount: Amount::Calls(CALLS),
            operations: OPERATIONS as u64,
        };
        self.loops.iter().take(wanted).map(job).collect()
    }

    /// Keeps what the loop at this place of a round took, by what `gate` tells of it.
    pub(crate) fn add(&mut self, place: usize, ran: &[Ran], gate: QuietCriterion) {
        let operations = OPERATIONS as f64 * CALLS as f64;
        self.loops[place].1.push(repetition(self.rounds, operations, ran, gate));
    }

    /// What the loops took.
    pub(crate) fn measured(&self, quiet: Option<Quiet>) -> Vec<KnownLoop> {
        let known_loop = |(offer, runs): &(Offer, Vec<ConcurrentRound>)| {
            let measured = Figures::of(runs).cycles?;
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

fn work(offer: &Offer) -> CrowdWork {
    let Offer { primitive, operation, spelling, backend, .. } = offer.clone();
    let parameters = Parameters { message_bytes: OPERATIONS, ..Parameters::default() };
    CrowdWork {
        implementation: Implementation { operation, spelling, backend },
        workload: CallSpec { primitive, operation, contract: Contract::Keyed, parameters },
        beside: None,
    }
}
