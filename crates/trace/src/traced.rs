//! Defines what a trace finds, its limits, and why there is none.

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
