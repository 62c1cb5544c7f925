//! Which code a call runs: another process, followed from one marked place to the next.
//!
//! Who is followed executes a breakpoint instruction before the call and one after it. In between it
//! stops at the end of each basic block, at a breakpoint that is put there and taken away again, so
//! that every instruction in the block was run when it stops. Branches are decided here, as the CPU
//! would: by its registers and memory. Nothing is sampled, and nothing is simulated but branches.
//!
//! What is counted is what a call adds: the instructions between two marks around one call, less
//! those between two marks around none.

#![forbid(unsafe_code)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod x86_64;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use x86_64::{build_id, trace, uses};

use cpb_model::{ObjectsUse, TracedCall};
use std::collections::BTreeSet;
use std::time::Duration;

/// How far a call is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// So many instructions.
    pub instructions: u64,
    /// So long.
    pub time: Duration,
    /// Whether it is told what is read of files: who follows it stops for that, too.
    pub reads_data: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Traced {
    /// What is told of it; its length is that of who asked.
    pub call: TracedCall,
    /// Where each instruction stands that was run, by the module's number and the address in it,
    /// and how often it was.
    pub places: Vec<(Place, u64)>,
    /// What making its objects asked of the heap, where that was followed to its end.
    pub objects: Option<ObjectsUse>,
}

/// A module's number among those of the call, and an address in it.
pub type Place = (usize, u64);

/// Why a call was not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTraced {
    /// Nobody wrote that yet.
    #[error("calls are traced on Linux on x86-64 only as yet, not on {0}")]
    Architecture(&'static str),
    /// By the kernel, a container or a policy.
    #[error(
        "the system forbids it (ptrace: {0}): a container needs --cap-add SYS_PTRACE, and \
         kernel.yama.ptrace_scope has to be 0 or 1"
    )]
    Forbidden(String),
    /// What they do would not be seen.
    #[error("the library has {0} threads running, and one can be followed")]
    Threads(usize),
    /// What that does would not be seen.
    #[error("the call starts a thread or a process, and one can be followed")]
    Starts,
    /// Which is not followed into its handler.
    #[error("{0} came in the midst of the call")]
    Signal(String),
    /// For another thread, or for something else that does not come.
    #[error("the call did not go on for {} s: it waits for something", .0.as_secs())]
    Waits(Duration),
    /// Before the call did.
    #[error("the process ended in the midst of it: {0}")]
    Ended(String),
    /// While the objects of the call were made.
    #[error("while its objects are made: {0}")]
    Making(Box<NotTraced>),
    /// It was not where it should have been.
    #[error("its way was lost: {0}")]
    Lost(String),
}

/// Instruction sets that a CPU can have and an implementation can do without, in the words of
/// [`TracedCall::classes`].
pub type Classes = BTreeSet<&'static str>;

/// Follows a call of another process.
///
/// # Errors
/// Always: it is not known how.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn trace(
    _process: i32,
    _limits: Limits,
    _makes_objects: bool,
    _is_attached: &mut dyn FnMut(),
) -> Result<Traced, NotTraced> {
    Err(NotTraced::Architecture(std::env::consts::ARCH))
}

/// The number that the build of a file was given; unknown here.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[must_use]
pub fn build_id(_file: &std::path::Path) -> Option<String> {
    None
}

/// Whether code in a file has instructions of a class; unknown here.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[must_use]
pub fn uses(_file: &std::path::Path, _class: &str) -> Option<bool> {
    None
}
