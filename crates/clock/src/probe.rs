//! Unit loops: instructions that do not wait for each other, limited by what the core can do in a
//! cycle.
//!
//! A dependent [`chain`](crate::chain) keeps its latency beside a busy neighbour on the core's
//! other hardware thread; these loops do not, since the two threads share what they fill. On a
//! quiet core most take a whole number of instructions a cycle, but not on every core: how many is
//! measured, and never assumed.

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

/// Runs `blocks` blocks of a loop that feels neighbours well where no
/// [`window`](crate::window) can be read.
///
/// On x86-64 these are additions in chains of 24 that depend on each other, each chain
/// independent of the others: as many in a cycle as there are integer units, but only
/// where the core may hold several chains in flight. On aarch64 it is [`Probe::Integers`].
#[inline]
pub fn chains(blocks: u32) {
    if blocks != 0 {
        arch::chains(blocks);
    }
}

/// A loop of instructions that do not wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Probe {
    /// 64-bit integer instructions: the front end and the integer units.
    Integers,
    /// 64-bit multiplications.
    Multiplies,
    /// Additions of vectors of 128 bits: the vector units.
    Vectors,
    /// Loads from the first-level cache, all from different lines.
    Loads,
    /// Two chains of multiplications, a link of each in turn: an instruction takes half a link's
    /// latency at least, on any core.
    TwoChains,
    /// Three of them: a third at least.
    ThreeChains,
}

impl Probe {
    /// Every kind.
    pub const ALL: [Probe; 6] = [
        Probe::Integers,
        Probe::Multiplies,
        Probe::Vectors,
        Probe::Loads,
        Probe::TwoChains,
        Probe::ThreeChains,
    ];

    /// The loop's name, as in `loop-integers`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Probe::Integers => "integers",
            Probe::Multiplies => "multiplies",
            Probe::Vectors => "vectors",
            Probe::Loads => "loads",
            Probe::TwoChains => "two-chains",
            Probe::ThreeChains => "three-chains",
        }
    }

    /// Runs `blocks` blocks of [`OPERATIONS_PER_BLOCK`] instructions each.
    #[inline]
    pub fn run(self, blocks: u32) {
        if blocks == 0 {
            return;
        }
        match self {
            Probe::Integers => arch::integers(blocks),
            Probe::Multiplies => arch::multiplies(blocks),
            Probe::Vectors => arch::vectors(blocks),
            Probe::Loads => arch::loads(blocks, &Lines([0; LINES])),
            Probe::TwoChains => arch::two_chains(blocks),
            Probe::ThreeChains => arch::three_chains(blocks),
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
                chains(blocks);
            }
            assert!(Probe::ALL[..index].iter().all(|other| other.name() != probe.name()));
        }
    }
}
