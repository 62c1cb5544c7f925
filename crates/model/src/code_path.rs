//! Defines the code path of a call, as found by tracing it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The share of instructions that a call's hot functions must cover.
const MOST: f64 = 0.9;
/// Two calls of one length and one code differ by less than this share, as their inputs do.
const ALIKE: f64 = 0.02;
/// A path counts as changed if this share of instructions is code that a shorter call did not run.
const CHANGED: f64 = 0.1;

/// The code that the calls of a row ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CodePath {
    /// One traced call per length, in rising order.
    pub calls: Vec<TracedCall>,
    /// Heap use of making the calls' objects; absent if they are made inside the call, or were not
    /// traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<ObjectsUse>,
    /// CPU features for this primitive that no call used, with the reason if known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// Whether it comes from an earlier trace of the same builds on the same machine.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub is_remembered: bool,
}

/// The code that one call ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TracedCall {
    /// The message's length in bytes, or iterations, as in [`crate::Record::lengths`].
    pub length: usize,
    /// Why it was not traced; everything else is then empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_traced: Option<String>,
    /// The path as text: `aesni_ctr32_ghash_6x, VAES-512`.
    pub words: String,
    /// Instructions executed.
    pub instructions: u64,
    /// Whether the trace was cut because the call was too long.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub is_cut: bool,
    /// The functions with the most instructions, in falling order.
    pub functions: Vec<CodeFunction>,
    /// The files whose code ran.
    pub modules: Vec<CodeModule>,
    /// Instruction counts by instruction set, for those that not every CPU has and for vectors.
    pub classes: BTreeMap<String, u64>,
    /// Vector bits in the hottest loop of the first function; 0 for none.
    pub vector_bits: u32,
    /// Calls into each function of the C library from outside it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u64>,
    /// Count of each system call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub system_calls: BTreeMap<String, u64>,
    /// Bytes of the distinct instructions executed.
    pub code_bytes: u64,
    /// 64-byte cache lines that those occupy.
    pub code_lines: u64,
    /// 64-byte cache lines of constants and tables read from files, except the C library's; absent
    /// if some are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_lines: Option<u64>,
    /// Bytes of stack used below the caller, as far as the stack pointer moved; up to 128 bytes
    /// below it may be used besides. Absent if the call switched stacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<u64>,
    /// Use of the C library's heap by the whole call; absent if its allocator was not found in the
    /// process, or if the call took too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<HeapUse>,
    /// The share of instructions in code that the traced call of the previous length did not run,
    /// or the reverse share, whichever is larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_code: Option<f64>,
}

/// A function whose code ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFunction {
    /// Its name; for an unnamed one, its file and address.
    pub name: String,
    /// For a function without a name of its own, the preceding exported symbol and the offset from
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The index of its module.
    pub module: usize,
    /// Its address in the file.
    pub address: u64,
    /// Instructions executed in it.
    pub instructions: u64,
    /// A hash of the instructions executed, equal for equal code at any address.
    pub code: String,
}

/// The heap use of a call. Bytes are as requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapUse {
    /// Number of allocations.
    pub allocations: u64,
    /// The largest number of bytes that it held at once, of its own allocations.
    pub peak_bytes: u64,
}

/// The heap use of making a call's objects: contexts, expanded keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectsUse {
    /// Number of allocations.
    pub allocations: u64,
    /// The largest number of bytes held at once.
    pub peak_bytes: u64,
    /// Bytes kept for the calls, including those in memory of the library's caller.
    pub kept_bytes: u64,
}

/// A file that contains code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeModule {
    pub file: String,
    /// Its build ID, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Its size on disk; absent for code in this program, or only in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl TracedCall {
    /// Creates an entry for a call that was not traced.
    pub fn not_traced(length: usize, reason: String) -> Self {
        Self { length, not_traced: Some(reason), ..Self::default() }
    }

    /// Whether another call of the same length ran the same code, wherever it was loaded.
    pub fn is_same_code(&self, other: &Self) -> bool {
        let (own, others) = (self.hot(), other.hot());
        let counts = [self.instructions, other.instructions];
        let [less, more] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
        !own.is_empty()
            && self.length == other.length
            && own == others
            && (more - less) as f64 <= ALIKE * more as f64
    }

    /// Whether its path differs from that of the traced call of the previous length.
    pub fn is_changed(&self) -> bool {
        self.new_code.is_some_and(|share| share >= CHANGED)
    }

    /// Returns the code of the hottest functions, sorted.
    fn hot(&self) -> Vec<&str> {
        let mut left = MOST * self.instructions as f64;
        let hot = self.functions.iter().take_while(|it| {
            let is_wanted = left > 0.0;
            left -= it.instructions as f64;
            is_wanted
        });
        let mut hot: Vec<&str> = hot.map(|it| it.code.as_str()).collect();
        hot.sort_unstable();
        hot
    }
}

impl CodePath {
    /// Describes the path of the longest traced call.
    pub fn words(&self) -> Option<&str> {
        self.longest().map(|it| it.words.as_str())
    }

    /// Returns the longest traced call.
    pub fn longest(&self) -> Option<&TracedCall> {
        self.calls.iter().rfind(|it| it.not_traced.is_none())
    }

    /// Whether the calls of every length ran the same code as those of another path.
    pub fn is_same_code(&self, other: &Self) -> bool {
        let lengths = self.calls.len();
        let pairs = self.calls.iter().zip(&other.calls);
        lengths != 0
            && lengths == other.calls.len()
            && pairs.into_iter().all(|(a, b)| a.is_same_code(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(codes: &[(&str, u64)]) -> TracedCall {
        let function = |&(code, instructions): &(&str, u64)| CodeFunction {
            code: code.to_owned(),
            instructions,
            ..CodeFunction::default()
        };
        TracedCall {
            instructions: codes.iter().map(|(_, count)| count).sum(),
            functions: codes.iter().map(function).collect(),
            ..TracedCall::default()
        }
    }

    #[test]
    fn the_same_code_is_that_of_nearly_all_instructions() {
        let one = call(&[("a", 500), ("b", 450), ("c", 50)]);
        assert!(one.is_same_code(&one));
        assert!(one.is_same_code(&call(&[("b", 510), ("a", 440), ("d", 50)])));
        assert!(!one.is_same_code(&call(&[("a", 500), ("e", 450), ("c", 50)])));
        assert!(!one.is_same_code(&call(&[("a", 5000), ("b", 4500), ("c", 500)])));
        assert!(!call(&[]).is_same_code(&call(&[])));
        let other_length = TracedCall { length: 1, ..one.clone() };
        assert!(!one.is_same_code(&other_length));
    }

    #[test]
    fn rows_are_of_the_same_code_where_they_are_at_every_length() {
        let path = |codes: &[&str]| CodePath {
            calls: codes.iter().map(|code| call(&[(code, 100)])).collect(),
            ..CodePath::default()
        };
        assert!(path(&["a", "b"]).is_same_code(&path(&["a", "b"])));
        assert!(!path(&["a", "b"]).is_same_code(&path(&["a", "c"])));
        assert!(!path(&["a"]).is_same_code(&path(&["a", "b"])));
        assert!(!path(&[]).is_same_code(&path(&[])));
    }
}
