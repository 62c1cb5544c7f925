//! Which code a call ran, by a trace of it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Functions that make so much of the instructions are what a call ran.
const MOST: f64 = 0.9;
/// Calls of one length by the same code differ by less than this, as inputs do.
const ALIKE: f64 = 0.02;
/// A path changes where this share of the instructions is of code that a shorter call does not run.
const CHANGED: f64 = 0.1;

/// Which code calls of a row ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CodePath {
    /// A traced call of each length that was, smallest first.
    pub calls: Vec<TracedCall>,
    /// What making the objects of its calls asks of the heap; absent where they are made in the call,
    /// or that was not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<ObjectsUse>,
    /// What the CPU has for this primitive and no call used, with the reason as far as it can be
    /// told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// Whether it is by an earlier trace, of the same builds on the same machine.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_remembered: bool,
}

/// What one call ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TracedCall {
    /// The message's length in bytes, or iterations; as in [`crate::Record::lengths`].
    pub length: usize,
    /// Why it was not traced; all else is empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_traced: Option<String>,
    /// The path in words: `aesni_ctr32_ghash_6x, VAES-512`.
    pub words: String,
    /// Instructions that were run.
    pub instructions: u64,
    /// Whether these are the first ones only, of a call that was too long.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_cut: bool,
    /// The functions most of them are of, most first.
    pub functions: Vec<CodeFunction>,
    /// The files that code was run of.
    pub modules: Vec<CodeModule>,
    /// How many instructions were of which instruction set, for those that not all CPUs have, and
    /// of vectors.
    pub classes: BTreeMap<String, u64>,
    /// Bits of the vectors in the loop that most of the first function was run in; 0 for none.
    pub vector_bits: u32,
    /// How often which function of the C library was called from outside of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u64>,
    /// How often which system call was made.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub system_calls: BTreeMap<String, u64>,
    /// Bytes of all instructions that were run, each counted once.
    pub code_bytes: u64,
    /// Cache lines of 64 bytes that these are in.
    pub code_lines: u64,
    /// Cache lines of 64 bytes that it reads of files, the C library's apart: constants, tables.
    /// Absent where not all are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_lines: Option<u64>,
    /// Bytes of the stack that the call takes at most, beyond who makes it: as far as its pointer was
    /// seen to go, which is at least what is used but for 128 bytes below it. Absent where it left the
    /// stack it was on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<u64>,
    /// What it asks of the C library's heap; absent where the program has no other's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<HeapUse>,
    /// The share of the instructions that is of code which the traced call of the length before did not
    /// run, or the share of that one's that this one did not, whichever is larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_code: Option<f64>,
}

/// A function of which code was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFunction {
    /// Its name; of one that nobody names, its file and address.
    pub name: String,
    /// Of one that has no name of its own, the exported function before it, and how much further it
    /// begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Which of the modules it is in.
    pub module: usize,
    /// Where it begins, as the file has it.
    pub address: u64,
    /// How many instructions of it were run.
    pub instructions: u64,
    /// A number that the same code has elsewhere: of the instructions that were run.
    pub code: String,
}

/// What a call asks of the heap, in bytes as it asks for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapUse {
    /// How often it is given memory.
    pub allocations: u64,
    /// The most that it has at a time, of what it was given itself.
    pub peak_bytes: u64,
}

/// What making the objects of a call asks of the heap: contexts, expanded keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectsUse {
    /// How often it is given memory.
    pub allocations: u64,
    /// The most that it has at a time.
    pub peak_bytes: u64,
    /// What it keeps, for the calls: with what stands in memory of who calls the library.
    pub kept_bytes: u64,
}

/// A file with code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeModule {
    /// Its path.
    pub file: String,
    /// The number that its build was given, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Its size on disk; absent of what is part of this program or in memory only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl TracedCall {
    /// One that was not traced.
    #[must_use]
    pub fn not_traced(length: usize, reason: String) -> Self {
        Self { length, not_traced: Some(reason), ..Self::default() }
    }

    /// Whether another call of the same length ran the same code, wherever that lies.
    #[must_use]
    pub fn is_same_code(&self, other: &Self) -> bool {
        let (own, others) = (self.hot(), other.hot());
        let counts = [self.instructions, other.instructions];
        let [less, more] = [counts[0].min(counts[1]), counts[0].max(counts[1])];
        !own.is_empty()
            && self.length == other.length
            && own == others
            && (more - less) as f64 <= ALIKE * more as f64
    }

    /// Whether it takes another path than the traced call of the length before.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.new_code.is_some_and(|share| share >= CHANGED)
    }

    /// The code that most of the instructions are of, in an order of its own.
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
    /// The path of the longest call that was traced, in words.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        self.longest().map(|it| it.words.as_str())
    }

    /// The longest call that was traced.
    #[must_use]
    pub fn longest(&self) -> Option<&TracedCall> {
        self.calls.iter().rfind(|it| it.not_traced.is_none())
    }

    /// Whether a call of each length ran the same code as one of another.
    #[must_use]
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
