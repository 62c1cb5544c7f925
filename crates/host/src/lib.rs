//! Describes the machine, chooses CPUs to measure on, and finds the user's files.

#![forbid(unsafe_code)]

mod describe;
pub mod files;
mod home;
mod pinning;
mod placement;

pub use describe::{
    allowed_ranges, busy, describe, last_level_cache_bytes, name, stolen_and_total,
};
pub use home::Home;
pub use pinning::{PinError, allowed_cpus, choose_cpus, move_to, pin_to, try_pin_to};
pub use placement::{cores, pack, share_cores, spread};
