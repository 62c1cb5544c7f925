//! Chooses where measurements run: on this machine, or on the simulated one that the environment
//! names.

use crate::plan::Plan;
use crate::together::crews::{Crews, Processes};
use crate::workers::machine::Machine;
use crate::workers::this_machine::ThisMachine;
use crate::workers::time_limits::Bounds;
use cpb_clock::{Clock, counter};
use cpb_model::{Calibration, LibraryBuild};
use cpb_sampler::{Hardware, Timer};

/// Returns the chosen simulated machine, or else this one, whose workers obey `bounds` and place
/// these libraries.
pub(crate) fn machine(bounds: Bounds, libraries: &[LibraryBuild]) -> Box<dyn Machine> {
    #[cfg(feature = "simulated")]
    if let Some(machine) = crate::simulated::chosen::machine() {
        return machine;
    }
    Box::new(ThisMachine::new(bounds, libraries))
}

/// Returns what runs concurrent calls: threads of the chosen simulated machine, or else processes
/// on this one.
pub(crate) fn crews() -> Box<dyn Crews> {
    #[cfg(feature = "simulated")]
    if let Some(crews) = crate::simulated::chosen::crews() {
        return crews;
    }
    Box::new(Processes::default())
}

/// Returns a timer with this `calibration` for the current thread: on the chosen simulated machine,
/// or else on the first CPU of `plan`, to which the thread is pinned from then on. `None` if that
/// cannot be.
pub fn timer(plan: &Plan, calibration: &Calibration) -> Option<Box<dyn Timer>> {
    #[cfg(feature = "simulated")]
    if let Some(timer) = crate::simulated::chosen::timer() {
        return Some(timer);
    }
    let cpu = *plan.cpus.first()?;
    cpb_host::pin_to(cpu).ok()?;
    let counter = plan.clock.counter.as_deref();
    let counter = counter.map_or_else(counter::open_best, counter::open).ok()?;
    let clock = Clock::with_calibration(counter, calibration.clone());
    Some(Box::new(Hardware::new(clock, vec![cpu])))
}
