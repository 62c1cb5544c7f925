//! Runs workers and threads on the simulated machine of the environment. The cost of code follows
//! from its names, so that runs with different seeds measure the same code.

use super::crews::SimulatedCrews;
use super::environment::execution;
use super::workers::{Cost, Costs, SimulatedMachine};
use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::selftest;
use crate::together::crews::Crews;
use crate::workers::machine::Machine;
use cpb_model::CallSpec;
use cpb_sampler::Timer;
use cpb_simulated::Core;
use std::rc::Rc;

/// If a library's environment sets this variable, it is slower by that many thousandths. The
/// provider of known cost interprets it the same way.
const BURN: &str = "CPB_BURN";

/// Creates the machine; `None` if none is chosen.
pub(crate) fn machine() -> Option<Box<dyn Machine>> {
    Some(Box::new(SimulatedMachine { execution: execution()?, costs: costs() }))
}

/// Creates its threads for concurrent calls; `None` if none is chosen.
pub(crate) fn crews() -> Option<Box<dyn Crews>> {
    Some(Box::new(SimulatedCrews::new(execution()?, costs())))
}

/// Creates a timer on it; `None` if none is chosen.
pub(crate) fn timer() -> Option<Box<dyn Timer>> {
    Some(Box::new(Core::new(execution()?)))
}

fn costs() -> Rc<Costs> {
    Rc::new(|library: &LibrarySpec, _, implementation: &Implementation, workload: &CallSpec| {
        cost(library, implementation, workload)
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
