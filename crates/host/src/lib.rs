//! Asks the operating system: what the machine is, for a CPU to measure on, where the user's files
//! are, what a process maps.

#![forbid(unsafe_code)]

mod describe;
pub mod files;
mod home;
pub mod maps;
mod pinning;
mod placement;

pub use describe::{
    allowed_ranges, busy, describe, last_level_cache_bytes, name, stolen_and_total,
};
pub use home::Home;
pub use pinning::{PinError, allowed_cpus, choose_cpus, move_to, pin_to, try_pin_to};
pub use placement::{cores, pack, share_cores, spread};
