//! Runs window loops, which measure how many instructions the core holds in flight.
//!
//! A core with two hardware threads gives each active one a part of what holds instructions in
//! flight, and all of it to one while the other halts. So the number of instructions in flight has
//! two levels far apart. A loop limited by units does not have that: half of six units looks like
//! three.
//!
//! A block of a window loop is a chain of [`ROOTS`] square roots, whose latency nothing else on the
//! core can shorten, followed by independent instructions. While a whole block is in flight, the
//! next block's chain begins before this one's has ended, so a block takes less time than a chain
//! alone; if a block is longer than the window, it takes more.

#[cfg_attr(target_arch = "aarch64", path = "window/aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "window/x86_64.rs")]
mod arch;

/// Square roots in the chain of a block.
pub const ROOTS: u32 = 6;
/// Instructions per block besides its fillers: one that begins the chain, the chain, and two that
/// lead to the next block.
const BESIDE_FILLERS: u32 = 1 + ROOTS + 2;
/// The number of fillers per group.
const GROUP: u32 = 16;

/// Names what fills the window behind the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filler {
    /// Alternating integer and vector instructions, each needing a register of its own kind, so
    /// that the limit is what both share, or twice the smaller register file.
    Mixed,
    /// Integer instructions: as many as the integer register file holds.
    Integers,
    /// Vector instructions: as many as the vector register file holds.
    Vectors,
}

impl Filler {
    pub const ALL: [Filler; 3] = [Filler::Mixed, Filler::Integers, Filler::Vectors];

    /// Returns the sizes of its loops, in instructions per block, in rising order.
    pub fn sizes(self) -> impl Iterator<Item = u32> {
        GROUPS.into_iter().map(|groups| GROUP * groups + BESIDE_FILLERS)
    }
}

/// Runs `blocks` blocks of the chain alone, each of which waits for the one before.
#[inline]
pub fn roots(blocks: u32) {
    if blocks != 0 {
        arch::forget_upper_halves();
        arch::roots(blocks);
    }
}

/// Runs `blocks` blocks of `size` instructions.
///
/// `size` is one of [`Filler::sizes`]; for any other, nothing runs.
#[inline]
pub fn run(filler: Filler, size: u32, blocks: u32) {
    let groups = size.saturating_sub(BESIDE_FILLERS) / GROUP;
    let place = GROUPS.iter().position(|&known| known == groups);
    if let Some(place) = place.filter(|_| blocks != 0) {
        arch::forget_upper_halves();
        loops(filler)[place](blocks);
    }
}

/// The start value of the chain, so large that no root of it comes near one.
const START: f64 = 1.7e300;

/// One function for each of [`GROUPS`].
type Loops = [fn(u32); GROUPS.len()];

/// Defines [`GROUPS`], and the functions of each kind.
macro_rules! groups {
    ($($groups:literal)+) => {
        /// The groups of fillers of each size.
        const GROUPS: [u32; 24] = [$($groups),+];
        const MIXED: Loops = [$(arch::mixed::<$groups>),+];
        const INTEGERS: Loops = [$(arch::integers::<$groups>),+];
        const VECTORS: Loops = [$(arch::vectors::<$groups>),+];
    };
}
// At most a tenth apart around reorder buffers and their halves, from the register files of small
// cores to the largest window that exists.
groups!(4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 20 22 24 26 28 31 34 37 40);

fn loops(filler: Filler) -> &'static Loops {
    match filler {
        Filler::Mixed => &MIXED,
        Filler::Integers => &INTEGERS,
        Filler::Vectors => &VECTORS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_ends_and_sizes_rise() {
        for filler in Filler::ALL {
            let sizes: Vec<u32> = filler.sizes().collect();
            assert!(sizes.is_sorted() && sizes.len() == GROUPS.len());
            for size in sizes.into_iter().chain([0, 1, 74, u32::MAX]) {
                for blocks in [0, 1, 3] {
                    run(filler, size, blocks);
                }
            }
        }
        (0..3).for_each(roots);
    }
}
