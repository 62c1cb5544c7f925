//! Chooses the simulated machine that `CPB_MACHINE=simulated:SEED` makes commands measure on, so
//! that they print the same every time. All randomness follows from the seed; the cost of code
//! follows from its names, so that runs with different seeds measure the same code.

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

/// When the run of seed 0 began, in seconds since 1970; each seed adds a day.
const BEGINNING: u64 = 1_790_000_000;
const DAY: u64 = 86_400;
const MOST_CPUS: usize = 64;
/// If a library's environment sets this variable, it is slower by that many thousandths. The
/// provider of known cost interprets it the same way.
const BURN: &str = "CPB_BURN";

thread_local! {
    static MACHINE: Option<(Chosen, Rc<RefCell<Execution>>)> = machine_of_the_environment();
}

fn machine_of_the_environment() -> Option<(Chosen, Rc<RefCell<Execution>>)> {
    let chosen = chosen().ok()??;
    let execution = Execution::new(SimulatedCpu::default(), Noise::default(), chosen.seed);
    Some((chosen, execution))
}

/// The chosen machine.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    seed: u64,
    /// CPUs on which threads make concurrent calls; everything else is measured on the first.
    cpus: usize,
}

/// Returns the chosen machine, if any.
///
/// # Errors
/// If the chosen machine is unknown: the real one must not be measured instead.
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

/// Creates the machine; `None` if none is chosen.
pub(crate) fn machine() -> Option<Box<dyn Machine>> {
    Some(Box::new(SimulatedMachine { execution: execution()?, costs: costs() }))
}

/// Creates its threads for concurrent calls; `None` if none is chosen.
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

/// Returns the time that has passed on it.
pub(crate) fn now() -> Option<Duration> {
    MACHINE.with(|it| it.as_ref().map(|(_, execution)| execution.borrow().now()))
}

/// Returns when it was started, in seconds since 1970.
pub(crate) fn started() -> Option<u64> {
    MACHINE.with(|it| it.as_ref().map(|(chosen, _)| BEGINNING + chosen.seed * DAY))
}

/// Returns its description.
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

/// Returns the cost of code with these names, which never changes.
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

/// Returns the Fowler–Noll–Vo hash of a text.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
