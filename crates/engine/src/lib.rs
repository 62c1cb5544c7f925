//! Plan, workers, the timed loop, verification, and throughput over threads.
//!
//! [`measure`] takes a [`Plan`] to a [`cpb_model::Run`]. It starts this very
//! program again as worker processes ([`worker::serve`]), a fresh one for each
//! library and round, hands out one job at a time so that only one worker is
//! ever busy, and summarises what comes back. A worker that crashes, hangs or
//! answers wrongly costs its row only.

#![forbid(unsafe_code)]

mod acceptance;
mod clock_watch;
mod files;
mod job;
mod library;
mod lookout;
mod machine;
mod memory;
mod pipes;
mod plan;
mod process;
mod protocol;
mod quiet;
pub mod selection;
mod selfcheck;
mod selftest;
mod session;
mod side_by_side;
#[cfg(test)]
mod simulated;
mod spool;
mod stack_places;
pub mod throughput;
mod timed;
mod timer;
mod verification;
mod verify;
pub mod worker;
mod workers;

pub use cpb_model::Fit;
pub use library::{Found, LibrarySpec, SpecError, installed_libraries, names, self_test};
pub use memory::QuietMemory;
pub mod recursive;
pub use plan::{Calls, ClockChoice, Plan, Rounds, Row, Sampling};
pub use selftest::known_cycles;
pub use session::{Measured, Progress, discover, measure};
pub use side_by_side::{Compared, Pair, Pairing, measure_pairs};
pub use spool::Spool;
