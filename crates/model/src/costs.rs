//! What calls cost besides cycles, as far as no trace tells.

use crate::Figure;
use serde::{Deserialize, Serialize};

/// What calls of a row cost besides cycles, by workers in which nothing is traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Bytes of the library's file on disk; absent where it is part of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
    /// Of calls whose stack no trace tells, the stack that was written to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<WrittenStack>,
    /// What the first call in a process takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_use: Option<FirstUse>,
    /// Why that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_first_use: Option<String>,
}

/// How far down a call wrote to its stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenStack {
    /// The message's length in bytes, or iterations; as in [`crate::Record::lengths`].
    pub length: usize,
    /// Bytes beyond who makes the call, down to the lowest that was written.
    pub bytes: u64,
}

/// What the first call takes in processes that did nothing else before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstUse {
    /// The message's length in bytes, or iterations.
    pub length: usize,
    /// How many processes were started for it.
    pub processes: u32,
    /// All of it.
    pub total: Spent,
    /// Loading the file, with those it needs, and looking up its functions; absent where there is
    /// nothing to load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Spent>,
    /// Having the library get ready, and finding the algorithm in it; absent where there is nothing of
    /// the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find: Option<Spent>,
    /// Making what the contract keeps outside of calls: contexts, keys.
    pub objects: Spent,
    /// The first call.
    pub call: Spent,
}

/// What a part of the first use takes: medians over processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// By the wall clock.
    pub nanoseconds: Figure,
    /// On a core, in the kernel or not.
    pub on_cpu_nanoseconds: Figure,
    /// Page faults that needed no disk.
    pub minor_faults: f64,
    /// Page faults that needed one.
    pub major_faults: f64,
}

impl FirstUse {
    /// Its parts by their names, in order, as far as there are such.
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
