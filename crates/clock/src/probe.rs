//! Throughput probes: loops of independent instructions, limited by what the
//! core can do in a cycle.
//!
//! A dependent [`chain`](crate::chain) keeps its latency beside a busy
//! neighbour on the core's other hardware thread; these loops do not, since
//! the two threads share what they fill. So a probe tells a quiet core from a
//! busy one, where [`gate`] is the most sensitive. What a loop takes on a
//! quiet core is a whole number of instructions a cycle, which makes it a
//! self-test as well.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as arch;
#[cfg(target_arch = "x86_64")]
use x86_64 as arch;

/// Instructions in one block, the unit in which loops are run; the block ends
/// with a decrement and a branch.
pub const OPERATIONS_PER_BLOCK: u32 = 512;

/// Which version of [`gate`] this is: what quiet is was learned with
/// one version and says nothing of another.
pub const VERSION: &str = arch::VERSION;

/// Runs `blocks` blocks of the loop by which samples are judged, since it feels
/// neighbours best.
///
/// On x86-64 these are additions in chains of 24 that depend on each other, each chain
/// independent of the others: as many in a cycle as there are integer units, but only
/// where the core may hold several chains in flight. A neighbour that waits for memory
/// takes hardly any unit, and so hardly slows [`Probe::Adds`]; what of the scheduler its
/// waiting instructions hold, this feels. On aarch64 it is [`Probe::Adds`].
#[inline]
pub fn gate(blocks: u32) {
    if blocks != 0 {
        arch::gate(blocks);
    }
}

/// A loop of independent instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Probe {
    /// 64-bit additions: the front end and the integer units.
    Adds,
    /// 64-bit multiplications by a constant: one unit on most cores, so that a
    /// neighbour must multiply, too, to be felt.
    Multiplies,
    /// Additions of vectors of 128 bits: the vector units.
    Vectors,
    /// Loads from the first-level cache, all from different lines.
    Loads,
}

impl Probe {
    /// Every kind.
    pub const ALL: [Probe; 4] = [Probe::Adds, Probe::Multiplies, Probe::Vectors, Probe::Loads];

    /// The loop's name, as in `loop-adds`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Probe::Adds => "adds",
            Probe::Multiplies => "multiplies",
            Probe::Vectors => "vectors",
            Probe::Loads => "loads",
        }
    }

    /// Runs `blocks` blocks of [`OPERATIONS_PER_BLOCK`] instructions each.
    #[inline]
    pub fn run(self, blocks: u32) {
        if blocks == 0 {
            return;
        }
        match self {
            Probe::Adds => arch::adds(blocks),
            Probe::Multiplies => arch::multiplies(blocks),
            Probe::Vectors => arch::vectors(blocks),
            Probe::Loads => arch::loads(blocks, &Lines([0; LINES])),
        }
    }
}

/// What [`Probe::Loads`] reads: eight cache lines of 64 bytes.
const LINES: usize = 64;
#[repr(align(64))]
struct Lines([u64; LINES]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_ends_and_has_a_name_of_its_own() {
        for (index, probe) in Probe::ALL.into_iter().enumerate() {
            for blocks in [0, 1, 3] {
                probe.run(blocks);
                gate(blocks);
            }
            assert!(Probe::ALL[..index].iter().all(|other| other.name() != probe.name()));
        }
    }
}
