//! Contains everything that runs while something is timed, except for the clock and the
//! libraries: the timed loop of one core with its quiet probes, and the periodic brackets of
//! threads that run at once.
//!
//! It is a crate of its own because its machine code must not depend on the profile: every
//! profile that measures compiles it with full optimisation, but the engine around it without.

#![forbid(unsafe_code)]

mod acceptance;
mod cases;
mod eviction;
mod no_samples;
mod noise;
mod periodic;
mod quiet_monitor;
mod round_samples;
mod stack_places;
mod start_line;
mod thread;
mod timed;
mod timer;
pub mod traffic;
mod work;

pub use cases::CaseCursor;
pub use no_samples::NoSamples;
pub use noise::{Noise, watch};
pub use periodic::Instruments;
pub use quiet_monitor::{Observation, QuietMonitor};
pub use start_line::{Place, State, Waiting, place};
pub use thread::{Timed, run};
pub use timed::{CallQuota, SampleRequest, take_samples};
pub use timer::{Hardware, Timer};
pub use work::{Amount, Prepare, Work};
