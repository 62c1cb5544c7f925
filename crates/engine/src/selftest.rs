//! `selftest`: a library with known cycles, and with deliberate faults.
//!
//! Dependent chains take exactly their latency on every core, so measuring them through the whole
//! engine shows how accurate its figures are. Loops of independent instructions depend on the
//! core's units; their cycles are measured and reported, and compared only with what was learned.
//! The faults show what happens to a row whose library misbehaves.

use cpb_clock::chain::{Chain, LINKS_PER_BLOCK};
use cpb_clock::probe::{OPERATIONS_PER_BLOCK, Probe};
use cpb_libraries::{Identity, Inputs, Library, PrepareError, Prepared};
use cpb_model::{CallSpec, Certainty, Contract, CoreProfile, Lengths, Offer, Operation, Quiet};
use rustix::process::{Signal, getpid, kill_process};

pub(crate) const NAME: &str = "selftest";
const BACKEND: &str = "chain";
/// The start value of a chain.
const SEED: u64 = 1;
/// The correct output of a fault.
const RIGHT: &[u8] = b"the right answer";

/// The primitives: first the chains and loops, where a "byte" is one link or instruction, then
/// the faults.
const PRIMITIVES: [&str; 17] = [
    "chain-multiply",
    "chain-logic",
    "chain-checksum",
    "loop-integers",
    "loop-multiplies",
    "loop-vectors",
    "loop-loads",
    "loop-two-chains",
    "loop-three-chains",
    "fault-wrong",
    "fault-oneshot",
    "fault-crash",
    "fault-illegal",
    "fault-abort",
    "fault-exit",
    "fault-panic",
    "fault-hang",
];

pub(crate) fn open() -> Box<dyn Library> {
    Box::new(SelfTest { offers: PRIMITIVES.iter().map(|primitive| offer(primitive)).collect() })
}

/// The requirement on the cycles that one link or instruction ("byte") of a self-test takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expected {
    /// A latency, or a value learned on this CPU.
    Exactly(f64),
    /// A lower bound from the latency, on a core of any width.
    AtLeast(f64),
    /// No requirement: it is measured and reported.
    NotKnown,
}

/// Returns the requirement on `primitive`, for which `measured` cycles were counted, given the
/// `latency` of a multiplication and what is known of the core.
///
/// A chain takes its latency, which is a whole number of cycles on every core. A loop of units
/// takes what it took when quiet was learned, if both that and its rate are certain.
pub fn expected(
    primitive: &str,
    measured: f64,
    latency: Option<u32>,
    quiet: Option<Quiet>,
) -> Expected {
    let is_sure = |it: &Quiet| it.certainty >= Some(Certainty::Likely);
    let core = quiet.filter(is_sure).and_then(|it| it.core);
    let core = core.filter(CoreProfile::has_certain_rates);
    let learned = |rate: fn(CoreProfile) -> f64| {
        let rate = core.map(rate).filter(|rate| *rate > 0.0);
        rate.map_or(Expected::NotKnown, |rate| Expected::Exactly(1.0 / rate))
    };
    let latency = latency.map(f64::from);
    let chains = |count: f64| {
        latency.map_or(Expected::NotKnown, |latency| Expected::AtLeast(latency / count))
    };
    let whole = measured.round().max(1.0);
    match primitive {
        "chain-logic" => Expected::Exactly(1.0),
        "chain-multiply" => Expected::Exactly(latency.unwrap_or(whole)),
        "chain-checksum" => Expected::Exactly(whole),
        "loop-two-chains" => chains(2.0),
        "loop-three-chains" => chains(3.0),
        "loop-integers" => learned(|core| core.integers),
        "loop-multiplies" => learned(|core| core.multiplies),
        "loop-vectors" => learned(|core| core.vectors),
        _ => Expected::NotKnown,
    }
}

/// Returns what is measured beside every run: the chains that brackets do not use, and the unit
/// loops.
pub(crate) fn loops() -> impl Iterator<Item = Offer> {
    let names =
        ["chain-logic", "chain-checksum", "loop-integers", "loop-multiplies", "loop-vectors"];
    names.into_iter().map(offer).filter(|offer| offer.unavailable.is_none())
}

/// Returns the cycles of a link or an instruction on the simulated machine.
#[cfg(feature = "simulated")]
pub(crate) fn simulated_cycles(primitive: &str) -> Option<f64> {
    Some(match primitive {
        "chain-multiply" | "chain-checksum" => 3.0,
        "chain-logic" | "loop-multiplies" | "loop-three-chains" => 1.0,
        "loop-two-chains" => 1.5,
        "loop-integers" | "loop-vectors" | "loop-loads" => 0.25,
        _ => return None,
    })
}

/// Returns the correct output of a self-test; `None` for everything else.
pub(crate) fn expected_output(workload: &CallSpec) -> Option<Vec<u8>> {
    if ["fault-wrong", "fault-oneshot"].contains(&workload.primitive.as_str()) {
        return Some(RIGHT.to_vec());
    }
    let chain = chain(&workload.primitive)?;
    let blocks = workload.parameters.message_bytes / LINKS_PER_BLOCK as usize;
    Some(chain.expected(SEED, blocks as u32).to_le_bytes().to_vec())
}

/// Returns the identity of libraries that are part of the engine.
pub(crate) fn own_identity() -> Identity {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Identity { banner: format!("cpb {version}"), version, ..Identity::default() }
}

struct SelfTest {
    offers: Vec<Offer>,
}

impl Library for SelfTest {
    fn identity(&self) -> Identity {
        own_identity()
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let blocks = inputs.message_bytes() / links_per_block(&offer.spelling);
        if let Some(probe) = probe(&offer.spelling) {
            return Ok(Box::new(KnownLoop { probe, blocks: blocks as u32 }));
        }
        if let Some(chain) = chain(&offer.spelling) {
            return Ok(Box::new(KnownCycles { chain, blocks: blocks as u32, value: SEED }));
        }
        // This fault gives the right output only with a prepared key.
        let is_right = offer.spelling == "fault-oneshot" && contract == Contract::Keyed;
        Ok(Box::new(Fault { name: offer.spelling.clone(), is_right }))
    }
}

fn offer(primitive: &str) -> Offer {
    let step = links_per_block(primitive);
    let lengths = Lengths { granularity: step, block: Some(step), ..Lengths::default() };
    Offer {
        backend: BACKEND.to_owned(),
        unavailable: chain(primitive)
            .filter(|chain| !chain.is_available())
            .map(|chain| format!("this CPU lacks the {} instruction", chain.name())),
        ..Offer::new(primitive, Operation::Iterate, lengths)
    }
}

fn chain(primitive: &str) -> Option<Chain> {
    let name = primitive.strip_prefix("chain-")?;
    Chain::ALL.into_iter().find(|chain| chain.name() == name)
}

fn probe(primitive: &str) -> Option<Probe> {
    let name = primitive.strip_prefix("loop-")?;
    Probe::ALL.into_iter().find(|probe| probe.name() == name)
}

fn links_per_block(primitive: &str) -> usize {
    let per_block = if probe(primitive).is_some() { OPERATIONS_PER_BLOCK } else { LINKS_PER_BLOCK };
    per_block as usize
}

struct KnownLoop {
    probe: Probe,
    blocks: u32,
}

impl Prepared for KnownLoop {
    fn run(&mut self, calls: u64) {
        (0..calls).for_each(|_| self.probe.run(self.blocks));
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
}

struct KnownCycles {
    chain: Chain,
    blocks: u32,
    /// The value is passed from call to call, because otherwise calls would overlap.
    value: u64,
}

impl Prepared for KnownCycles {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            self.value = self.chain.run(self.value, self.blocks);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(self.value.to_le_bytes().to_vec())
    }
}

struct Fault {
    name: String,
    is_right: bool,
}

impl Prepared for Fault {
    #[expect(clippy::panic, reason = "the fault that is wanted")]
    fn run(&mut self, _calls: u64) {
        // The result of sending the signal does not matter, because it ends the process.
        match self.name.as_str() {
            "fault-crash" => drop(kill_process(getpid(), Signal::SEGV)),
            "fault-illegal" => drop(kill_process(getpid(), Signal::ILL)),
            "fault-abort" => std::process::abort(),
            "fault-exit" => std::process::exit(0),
            "fault-panic" => panic!("the library panicked"),
            "fault-hang" => loop {
                std::thread::park();
            },
            _ => {}
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(if self.is_right { RIGHT } else { b"a wrong answer" }.to_vec())
    }
}
