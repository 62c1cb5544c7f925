//! Traces which code a call runs: follows another process from one mark to the next.
//!
//! The traced process executes a breakpoint instruction before the call and one after it. In
//! between it stops at the end of each basic block, at a temporary breakpoint, so that every
//! instruction of the block has run when it stops. Branches are decided here, as the CPU would,
//! from registers and memory. Nothing is sampled, and only branches are simulated; on aarch64 also
//! exclusive loads and stores, since a stop between the two makes the store fail.
//!
//! The counts are those of the call alone: the instructions between two marks around one call,
//! minus those between two marks around none.

#![forbid(unsafe_code)]

#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]
mod linux;

// The decoder of aarch64 is tested on x86-64, too, where nothing else calls it.
#[cfg(all(target_os = "linux", any(target_arch = "aarch64", all(test, target_arch = "x86_64"))))]
#[cfg_attr(target_arch = "x86_64", allow(dead_code, unused_imports))]
mod aarch64;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod x86_64;

mod traced;

#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use linux::{build_id, trace, uses};

pub use traced::{Classes, Limits, NotTraced, Place, Traced};

/// Traces a call of another process.
///
/// # Errors
/// Always, because this architecture is not supported.
#[cfg(not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))))]
pub fn trace(
    _process: i32,
    _limits: Limits,
    _makes_objects: bool,
    _is_attached: &mut dyn FnMut(),
) -> Result<Traced, NotTraced> {
    Err(NotTraced::Architecture(std::env::consts::ARCH))
}

/// Returns the build ID of a file; unknown here.
#[cfg(not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))))]
pub fn build_id(_file: &std::path::Path) -> Option<String> {
    None
}

/// Returns whether code in a file has instructions of a class; unknown here.
#[cfg(not(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64"))))]
pub fn uses(_file: &std::path::Path, _class: &str) -> Option<bool> {
    None
}
