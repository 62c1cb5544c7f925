//! What is measured.

use serde::{Deserialize, Serialize};

/// What is done with a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// A message to a digest of fixed length.
    Hash,
    /// A message to an output of any length.
    Xof,
    /// A step applied again and again to its own output.
    Iterate,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 3] = [Operation::Hash, Operation::Xof, Operation::Iterate];

    /// The operation's name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Hash => "hash",
            Operation::Xof => "xof",
            Operation::Iterate => "iterate",
        }
    }
}

/// What one timed call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contract {
    /// Key schedule outside the timing; nonce, tag and finalisation inside;
    /// out of place. A hash: initialise, update once, finalise.
    Keyed,
}

impl Contract {
    /// The contract's name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Contract::Keyed => "keyed",
        }
    }
}

/// Where a buffer starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// At a page boundary.
    #[default]
    Page,
    /// One byte after a page boundary.
    Unaligned,
}

/// The lengths and placement of a workload, lengths in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameters {
    /// Length of the message.
    pub message_bytes: usize,
    /// Length of the output, for a primitive whose output length is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// Where the message starts in memory.
    #[serde(default)]
    pub alignment: Alignment,
}

/// A primitive, what is done with it, and with which parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Workload {
    /// The primitive's canonical name, such as `sha3-256`.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// What one timed call does.
    pub contract: Contract,
    /// Lengths and placement.
    pub parameters: Parameters,
}

/// A library as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibraryId {
    /// Its name, such as `native`.
    pub name: String,
    /// Its version, as it states it.
    pub version: String,
    /// The file it was loaded from; absent where it is part of cpb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}
