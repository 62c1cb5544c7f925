//! Defines the costs of calls besides cycles that traces do not contain.

use crate::Figure;
use serde::{Deserialize, Serialize};

/// The costs of a row's calls besides cycles, from workers that trace nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Bytes of the library's file on disk; absent if it is part of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// The stack written by calls whose stack no trace contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<WrittenStack>,
    /// The cost of the first call in a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_use: Option<FirstUse>,
    /// Why that cost is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_first_use: Option<String>,
}

/// How deep a call wrote into its stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenStack {
    /// The message's length in bytes, or iterations, as in [`crate::Record::lengths`].
    pub length: usize,
    /// Bytes from the caller's frame down to the lowest one written.
    pub bytes: u64,
}

/// The cost of the first call in otherwise unused processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstUse {
    /// The message's length in bytes, or iterations.
    pub length: usize,
    /// How many processes were started for it.
    pub processes: u32,
    /// Everything together.
    pub total: Spent,
    /// Loading the file with its dependencies and looking up its functions; absent if there is
    /// nothing to load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Spent>,
    /// Initialising the library and finding the algorithm in it; absent if there is no such step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find: Option<Spent>,
    /// Making the objects that the contract keeps outside of calls: contexts, keys.
    pub objects: Spent,
    /// The first call.
    pub call: Spent,
}

/// The cost of one part of the first use: medians over processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Wall-clock time.
    pub nanoseconds: Figure,
    /// Time on a CPU, in user space and in the kernel.
    pub on_cpu_nanoseconds: Figure,
    /// Page faults served without disk access.
    pub minor_faults: f64,
    /// Page faults that needed disk access.
    pub major_faults: f64,
}

impl FirstUse {
    /// Iterates over its parts, with their names, in order; skips absent ones.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, Spent)> {
        let parts = [
            ("load", self.load),
            ("find", self.find),
            ("objects", Some(self.objects)),
            ("first call", Some(self.call)),
        ];
        parts.into_iter().filter_map(|(name, spent)| Some((name, spent?)))
    }
}
