//! Chooses where measurements run: on this machine, or on the simulated one that the environment
//! names.

use crate::together::crews::{Crews, Processes};
use crate::workers::machine::Machine;
use crate::workers::this_machine::ThisMachine;
use crate::workers::time_limits::Bounds;
use cpb_model::LibraryBuild;

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
