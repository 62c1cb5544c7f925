//! Runs unit loops: independent instructions, limited by what the core can execute per cycle.
//!
//! A dependent [`chain`](crate::chain) keeps its latency beside a busy neighbour on the core's
//! other hardware thread; these loops do not, since both threads share the units. On most quiet
//! cores they execute a whole number of instructions per cycle, but not on all, so that number is
//! measured, and never assumed.

#[cfg_attr(target_arch = "aarch64", path = "probe/aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "probe/x86_64.rs")]
mod arch;

/// Instructions per block, the unit in which loops run; a block ends with a decrement and a branch.
pub const OPERATIONS_PER_BLOCK: u32 = 512;

/// Runs `blocks` blocks of a loop that is sensitive to neighbours, for cores on which no
/// [`window`](crate::window) can be read.
///
/// On x86-64 it consists of independent chains of 24 dependent additions each: it executes as many
/// per cycle as there are integer units, but only while the core holds several chains in flight. On
/// aarch64 it is [`Probe::Integers`].
#[inline]
pub fn chains(blocks: u32) {
    if blocks != 0 {
        arch::chains(blocks);
    }
}

cpb_model::named! {
    /// A loop of independent instructions, named as in `loop-integers`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Probe {
        /// 64-bit integer instructions, limited by the front end and the integer units.
        Integers = "integers",
        /// 64-bit multiplications.
        Multiplies = "multiplies",
        /// Additions of 128-bit vectors, limited by the vector units.
        Vectors = "vectors",
        /// Loads from the first-level cache, all from different lines.
        Loads = "loads",
        /// Two alternating chains of multiplications: on any core, an instruction takes at least
        /// half a link's latency.
        TwoChains = "two-chains",
        /// Three such chains: at least a third.
        ThreeChains = "three-chains",
    }
}

impl Probe {
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

/// The memory that [`Probe::Loads`] reads: eight cache lines of 64 bytes.
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
