//! Defines which primitives benefit from a feature of the CPU.

use cpb_model::Operation;

/// A feature of the CPU, with the primitives that benefit from it. The instruction sets are
/// alternatives; the first is named as in `/proc/cpuinfo`.
pub(super) struct Set {
    pub(super) classes: &'static [&'static str],
    pub(super) flag: &'static str,
    /// The primitive's name must contain one of these.
    pub(super) parts: &'static [&'static str],
    /// The operations that benefit; if empty, all without key pairs.
    pub(super) operations: &'static [Operation],
    /// The shortest message that benefits.
    pub(super) least: usize,
}

impl Set {
    /// Whether the operation of this primitive benefits.
    pub(super) fn serves(&self, primitive: &str, operation: Operation) -> bool {
        let parts: Vec<&str> = primitive.split('-').collect();
        let is_named = self.parts.iter().any(|it| it.split('+').all(|it| parts.contains(&it)));
        let is_done = match self.operations {
            [] => !operation.is_public_key(),
            operations => operations.contains(&operation),
        };
        is_named && is_done
    }
}

/// Returns the first class of each set that serves an operation.
#[cfg(test)]
pub(super) fn serving(sets: &[Set], primitive: &str, operation: Operation) -> Vec<&'static str> {
    sets.iter().filter(|it| it.serves(primitive, operation)).map(|it| it.classes[0]).collect()
}
