//! Measures a plan in worker processes.
//!
//! [`measure()`] turns a [`Plan`] into a [`cpb_model::Run`]. It starts this program again as worker
//! processes ([`worker::serve`]), a fresh one for each library and round, hands out one job at a
//! time so that only one worker is ever busy, and summarises the results. A worker that crashes,
//! hangs or answers wrongly costs only its own row. [`measure_scaling`] lets threads of a worker,
//! or several workers, make the same calls at once.

#![forbid(unsafe_code)]

mod clock_watch;
mod code_paths;
mod costs;
mod discovery;
mod failures;
mod file_digest;
mod implementation;
mod machines;
mod measure;
mod measured;
mod parallel;
mod plan;
mod progress;
pub mod recursive;
mod scale;
mod schedule;
mod selftest;
#[cfg(any(test, feature = "simulated"))]
mod simulated;
mod start;
mod together;
mod verification;
pub mod worker;
mod workers;

pub use code_paths::{PathMemory, TracePlan, trace_paths};
pub use costs::find_costs;
pub use cpb_model::Fit;
pub use cpb_quiet::QuietMemory;
pub use cpb_sampler::{Noise, Timer};
pub use discovery::discover;
pub use failures::no_time;
pub use file_digest::file_digest;
pub use machines::timer;
pub use measure::{learn_quiet, measure, measure_pairs, watch_noise};
pub use measured::Measured;
pub use plan::library::{Found, LibrarySpec, SpecError, installed_libraries, names, self_test};
pub use plan::scale::{BackgroundLoad, ScalePlan, Size};
pub use plan::selection;
pub use plan::{Calls, ClockChoice, Plan, Rounds, Row, Sampling};
pub use progress::Progress;
pub use scale::measure_scaling;
pub use schedule::decided::{Compared, Pair, Pairing};
pub use schedule::sample_file::SampleFile;
pub use selftest::{Expected, expected};
pub use start::{Start, check_machine, describe_host, has_cross_checks, is_simulated};
pub use workers::protocol::SUBCOMMAND as WORKER;
pub use workers::words::listen;
