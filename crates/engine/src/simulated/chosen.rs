//! The simulated machine that `CPB_MACHINE=simulated:SEED` has commands measure on, so that they
//! print the same each time. Whatever is random follows from the seed; what code costs follows
//! from its names, so that runs of different seeds are of the same code.

use super::core::Execution;
use super::cpu::SimulatedCpu;
use super::crews::SimulatedCrews;
use super::noise::Noise;
use super::workers::{Cost, Costs, SimulatedMachine};
use crate::plan::library::LibrarySpec;
use crate::selftest;
use crate::together::crews::Crews;
use crate::workers::machine::Machine;
use crate::workers::protocol::Implementation;
use cpb_model::{CallSpec, Core, Host};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// When the run of seed 0 began, in seconds since 1970; each seed is a day later.
const BEGINNING: u64 = 1_790_000_000;
const DAY: u64 = 86_400;
const MOST_CPUS: usize = 64;
/// A library whose environment has this is slower, by so many thousandths. The provider of known
/// cost means the same by it.
const BURN: &str = "CPB_BURN";

thread_local! {
    static MACHINE: Option<(Chosen, Rc<RefCell<Execution>>)> = machine_of_the_environment();
}

fn machine_of_the_environment() -> Option<(Chosen, Rc<RefCell<Execution>>)> {
    let chosen = chosen().ok()??;
    let execution = Execution::new(SimulatedCpu::default(), Noise::default(), chosen.seed);
    Some((chosen, execution))
}

/// Which machine is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    seed: u64,
    /// CPUs on which threads can make calls at once; all else is measured on the first.
    cpus: usize,
}

/// The machine that is asked for, if any is.
///
/// # Errors
/// Where one is asked for that is not known: this one must not be measured in its place.
pub(crate) fn chosen() -> Result<Option<Chosen>, String> {
    let Some(asked) = std::env::var_os("CPB_MACHINE") else { return Ok(None) };
    let parsed = || {
        let numbers = asked.to_str()?.strip_prefix("simulated:")?;
        let (seed, cpus) = numbers.split_once(':').unwrap_or((numbers, "1"));
        let cpus = cpus.parse().ok().filter(|cpus| (1..=MOST_CPUS).contains(cpus))?;
        Some(Chosen { seed: seed.parse().ok()?, cpus })
    };
    parsed().map(Some).ok_or_else(|| {
        format!(
            "CPB_MACHINE is '{}'; it is simulated:SEED or simulated:SEED:CPUS, such as \
             simulated:1, or unset for this machine",
            asked.display()
        )
    })
}

/// The machine, where one is chosen.
pub(crate) fn machine() -> Option<Box<dyn Machine>> {
    Some(Box::new(SimulatedMachine { execution: execution()?, costs: costs() }))
}

/// Threads on it that make calls at once.
pub(crate) fn crews() -> Option<Box<dyn Crews>> {
    Some(Box::new(SimulatedCrews::new(execution()?, costs())))
}

fn execution() -> Option<Rc<RefCell<Execution>>> {
    MACHINE.with(|it| it.as_ref().map(|(_, it)| Rc::clone(it)))
}

fn costs() -> Rc<Costs> {
    Rc::new(|library: &LibrarySpec, _, implementation: &Implementation, workload: &CallSpec| {
        cost(library, implementation, workload)
    })
}

/// The time that has passed on it.
pub(crate) fn now() -> Option<Duration> {
    MACHINE.with(|it| it.as_ref().map(|(_, execution)| execution.borrow().now()))
}

/// When it was started, in seconds since 1970.
pub(crate) fn started() -> Option<u64> {
    MACHINE.with(|it| it.as_ref().map(|(chosen, _)| BEGINNING + chosen.seed * DAY))
}

/// What it says of itself.
pub(crate) fn host() -> Option<Host> {
    let (Chosen { cpus, .. }, _) = MACHINE.with(Clone::clone)?;
    let core = |number| Core {
        number,
        governor: None,
        maximum_kilohertz: Some(4_000_000),
        capacity: None,
        siblings: vec![number],
    };
    Some(Host {
        architecture: "simulated".to_owned(),
        cpu: Some("simulated CPU".to_owned()),
        cpu_id: Some("simulated".to_owned()),
        kernel: Some("1.0".to_owned()),
        boot: Some("simulated".to_owned()),
        system: Some("simulated system".to_owned()),
        allowed_cpus: (0..cpus).collect(),
        cores: (0..cpus).map(core).collect(),
        ..Host::default()
    })
}

/// What code of these names costs: the same everywhere and always.
fn cost(library: &LibrarySpec, implementation: &Implementation, workload: &CallSpec) -> Cost {
    if let Some(per_byte) = selftest::simulated_cycles(&workload.primitive) {
        return Cost { per_call: 0.0, per_byte, susceptibility: 0.0 };
    }
    let (operation, contract) = (workload.operation.name(), workload.contract.name());
    let names = [&library.name, &workload.primitive, operation, contract, &implementation.backend];
    let number = fnv(&names.join("\0"));
    let share = |bits: u64| (number >> bits & 0xffff) as f64 / 65536.0;
    let burnt = library.environment.iter().find(|(name, _)| name == BURN);
    let burnt: f64 = burnt.and_then(|(_, value)| value.parse().ok()).unwrap_or(0.0);
    let per_call = if workload.operation.is_public_key() { 100_000.0 } else { 200.0 };
    Cost {
        per_call: per_call * (1.0 + 9.0 * share(0)),
        per_byte: 0.5 * 32_f64.powf(share(16)),
        susceptibility: 0.6,
    }
    .times(1.0 + burnt / 1000.0)
}

/// Fowler, Noll and Vo's hash of a text.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
