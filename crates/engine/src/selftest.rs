//! `selftest`: a library whose cycles are known, and whose faults are wanted.
//!
//! Chains take exactly their latency, so measuring them through the whole
//! engine shows how right its figures are. The faults show what becomes of a
//! row whose library misbehaves.

use cpb_clock::chain::{Chain, LINKS_PER_BLOCK};
use cpb_libraries::catalogue::{Output, Primitive};
use cpb_libraries::{Entry, Library, Offer, PrepareError, Prepared};
use cpb_model::{LibraryId, Operation, Workload};
use rustix::process::{Signal, getpid, kill_process};

pub(crate) const ENTRY: Entry = Entry {
    name: "selftest",
    about: "chains of known cycles, and faults on purpose",
    open: || Box::new(SelfTest),
};

const BACKEND: &str = "chain";
/// Where a chain begins.
const SEED: u64 = 1;

/// What can be measured of the self-test: first the chains, of exactly known
/// cycles (a "byte" of theirs is one link), then the faults.
pub const SELF_TEST_PRIMITIVES: &[Primitive] = &[
    primitive("chain-multiply"),
    primitive("chain-logic"),
    primitive("chain-checksum"),
    primitive("fault-wrong"),
    primitive("fault-crash"),
    primitive("fault-illegal"),
    primitive("fault-abort"),
    primitive("fault-exit"),
    primitive("fault-panic"),
    primitive("fault-hang"),
];

const fn primitive(name: &'static str) -> Primitive {
    Primitive {
        name,
        operation: Operation::Iterate,
        aliases: &[],
        block_bytes: Some(LINKS_PER_BLOCK as usize),
        output: Output::Fixed(0),
        source: "cpb METHODOLOGY, self-test",
    }
}

/// Cycles that one link ("byte") of `primitive` takes on this architecture;
/// `None` where that is not known beforehand.
#[must_use]
pub fn known_cycles_per_byte(primitive: &str) -> Option<f64> {
    match primitive {
        "chain-logic" => Some(1.0),
        "chain-multiply" | "chain-checksum" if cfg!(target_arch = "x86_64") => Some(3.0),
        _ => None,
    }
}

/// What a self-test must put out; `None` for everything else.
pub(crate) fn expected_output(workload: &Workload) -> Option<Vec<u8>> {
    if workload.primitive == "fault-wrong" {
        return Some(b"the right answer".to_vec());
    }
    let chain = chain(&workload.primitive)?;
    let blocks = workload.parameters.message_bytes / LINKS_PER_BLOCK as usize;
    Some(chain.expected(SEED, blocks as u32).to_le_bytes().to_vec())
}

struct SelfTest;

impl Library for SelfTest {
    fn id(&self) -> LibraryId {
        LibraryId {
            name: ENTRY.name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            path: None,
        }
    }

    fn offers(&self) -> Vec<Offer> {
        SELF_TEST_PRIMITIVES
            .iter()
            .map(|primitive| Offer {
                primitive,
                backend: BACKEND,
                is_default: true,
                unavailable: chain(primitive.name)
                    .filter(|chain| !chain.is_available())
                    .map(|chain| format!("this CPU lacks the {} instruction", chain.name())),
            })
            .collect()
    }

    fn prepare(
        &self,
        workload: &Workload,
        _backend: &str,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        if let Some(chain) = chain(&workload.primitive) {
            let blocks = workload.parameters.message_bytes / LINKS_PER_BLOCK as usize;
            return Ok(Box::new(KnownCycles {
                chain,
                blocks: blocks as u32,
                value: SEED,
                output: [0; 8],
            }));
        }
        let known = SELF_TEST_PRIMITIVES.iter().find(|fault| fault.name == workload.primitive);
        known.map_or_else(
            || {
                Err(PrepareError::NotOffered {
                    library: ENTRY.name.to_owned(),
                    primitive: workload.primitive.clone(),
                    backend: BACKEND.to_owned(),
                })
            },
            |fault| Ok(Box::new(Fault { name: fault.name }) as Box<dyn Prepared>),
        )
    }
}

fn chain(primitive: &str) -> Option<Chain> {
    let name = primitive.strip_prefix("chain-")?;
    Chain::ALL.into_iter().find(|chain| chain.name() == name)
}

struct KnownCycles {
    chain: Chain,
    blocks: u32,
    /// Goes from call to call, or calls would overlap.
    value: u64,
    output: [u8; 8],
}

impl Prepared for KnownCycles {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            self.value = self.chain.run(self.value, self.blocks);
        }
        self.output = self.value.to_le_bytes();
    }

    fn output(&self) -> &[u8] {
        &self.output
    }
}

struct Fault {
    name: &'static str,
}

impl Prepared for Fault {
    #[expect(clippy::panic, reason = "the fault that is wanted")]
    fn run(&mut self, _calls: u64) {
        // What a signal's delivery returns does not matter: it ends the process.
        match self.name {
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

    fn output(&self) -> &[u8] {
        b"a wrong answer"
    }
}
