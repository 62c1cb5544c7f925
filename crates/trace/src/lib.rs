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

#[cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use linux::{build_id, trace, uses};

use cpb_model::{ObjectsUse, TracedCall};
use std::collections::BTreeSet;
use std::time::Duration;

/// Limits of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most instructions to follow.
    pub instructions: u64,
    /// The most time to spend.
    pub time: Duration,
    /// Whether to record which memory of files is read, which needs additional stops.
    pub reads_data: bool,
}

/// The result of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Traced {
    /// The traced call; its length is set by the caller.
    pub call: TracedCall,
    /// Each executed instruction, by module number and address in the module, with its count.
    pub places: Vec<(Place, u64)>,
    /// The heap use of making its objects, if that was traced to its end.
    pub objects: Option<ObjectsUse>,
}

/// A module's number in the call, and an address in it.
pub type Place = (usize, u64);

/// The reason why a call was not traced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTraced {
    /// This architecture is not supported.
    #[error("calls are traced on Linux on x86-64 and aarch64, not on {0}")]
    Architecture(&'static str),
    /// The kernel, a container or a policy forbids it.
    #[error(
        "the system forbids it (ptrace: {0}): a container needs --cap-add SYS_PTRACE, and \
         kernel.yama.ptrace_scope has to be 0 or 1"
    )]
    Forbidden(String),
    /// The process has several threads, whose work would be missed.
    #[error("the library has {0} threads running, and one can be followed")]
    Threads(usize),
    /// It starts a process or thread, whose work would be missed.
    #[error("the call starts a thread or a process, and one can be followed")]
    Starts,
    /// It got a signal, whose handler is not followed.
    #[error("{0} came in the midst of the call")]
    Signal(String),
    /// It waits for another thread, or for something else that does not come.
    #[error("the call did not go on for {} s: it waits for something", .0.as_secs())]
    Waits(Duration),
    /// It ended before the call did.
    #[error("the process ended in the midst of it: {0}")]
    Ended(String),
    /// It failed while the call's objects were made.
    #[error("while its objects are made: {0}")]
    Making(Box<NotTraced>),
    /// It was not where it should have been.
    #[error("its way was lost: {0}")]
    Lost(String),
}

/// Instruction sets that a CPU may have and an implementation may not need, named as in
/// [`TracedCall::classes`].
pub type Classes = BTreeSet<&'static str>;

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
