//! Plan, workers, the timed loop, verification, and throughput over threads.
//!
//! [`measure`] takes a [`Plan`] to a [`cpb_model::Run`]. It starts this very
//! program again as worker processes ([`worker::serve`]), a fresh one for each
//! library and round, hands out one job at a time so that only one worker is
//! ever busy, and summarises what comes back. A worker that crashes, hangs or
//! answers wrongly costs its row only.

#![forbid(unsafe_code)]

mod brackets;
mod cell;
mod clock_watch;
mod crew;
mod cycles;
mod depth;
mod files;
mod gate;
mod job;
mod library;
mod lookout;
mod machine;
mod memory;
mod pairs;
mod pipes;
mod plan;
mod process;
mod protocol;
mod quiet;
mod recompute;
pub mod recursive;
pub mod selection;
mod selfcheck;
mod selftest;
mod session;
#[cfg(test)]
mod simulated;
mod spool;
mod summary;
pub mod throughput;
mod timed;
mod timer;
mod verification;
mod verify;
pub mod worker;

pub use cpb_host as host;
pub use cpb_host::{PinError, choose_cpus, pin_to, try_pin_to};
pub use cpb_model::Fit;
pub use cycles::cycles_of_kept;
pub use library::{Found, LibrarySpec, SpecError, installed_libraries, names, self_test};
pub use memory::QuietMemory;
pub use pairs::{Compared, Pair, Pairing, measure_pairs};
pub use plan::{Calls, ClockChoice, Plan, Rounds, Row, Sampling};
pub use recompute::recompute;
pub use selftest::known_cycles;
pub use session::{Measured, Progress, discover, measure};
pub use spool::Spool;
