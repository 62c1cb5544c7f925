//! Keeps the simulated machine that `CPB_MACHINE=simulated:SEED` makes commands measure on, so that
//! they print the same every time. All randomness follows from the seed.

use cpb_model::{Core, Host};
use cpb_simulated::{Execution, Noise, SimulatedCpu};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// When the run of seed 0 began, in seconds since 1970; each seed adds a day.
const BEGINNING: u64 = 1_790_000_000;
const DAY: u64 = 86_400;
const MOST_CPUS: usize = 64;

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

/// Hides the real CPU's features from this worker, if a machine is chosen: what `native` offers
/// there must not depend on where tests run.
pub(crate) fn hide_real_features() {
    if chosen().is_ok_and(|it| it.is_some()) {
        cpb_kernels::cpu::hide_features();
    }
}

/// Returns the state of the machine; `None` if none is chosen.
pub(super) fn execution() -> Option<Rc<RefCell<Execution>>> {
    MACHINE.with(|it| it.as_ref().map(|(_, it)| Rc::clone(it)))
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
