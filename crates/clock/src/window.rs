//! Window loops: how many instructions the core holds in flight.
//!
//! A core that runs two hardware threads gives each of the active ones a part of what holds
//! instructions in flight, whatever these are, and all of it to one while the other halts. So a
//! loop that tells how many are in flight has two levels far apart, which no loop that is limited
//! by units has: half of six units looks like three.
//!
//! A block of a window loop is a chain of [`ROOTS`] square roots, of a latency that nothing else on
//! the core can shorten, and then instructions that wait for nothing. While a whole block is in
//! flight, the chain of the next one begins before that of this one has ended, and a block takes
//! less than a chain alone; where a block is longer than the window, it takes more.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as arch;
#[cfg(target_arch = "x86_64")]
use x86_64 as arch;

/// Square roots in the chain of a block.
pub const ROOTS: u32 = 6;
/// Instructions of a block beside its fillers: what begins the chain, the chain, and two that go
/// on to the next block.
const BESIDE_FILLERS: u32 = 1 + ROOTS + 2;
/// Fillers come in groups of so many.
const GROUP: u32 = 16;

/// What fills the window behind the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filler {
    /// Integer and vector instructions in turn: each needs a register of its own kind, so that what
    /// limits the window is what both share, or twice the smaller register file.
    Mixed,
    /// Integer instructions: as many as the integer register file takes.
    Integers,
    /// Vector instructions, likewise.
    Vectors,
}

impl Filler {
    /// Every kind.
    pub const ALL: [Filler; 3] = [Filler::Mixed, Filler::Integers, Filler::Vectors];

    /// The sizes of its loops, in instructions of a block, smallest first.
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
/// `size` is one of [`Filler::sizes`]; nothing runs for any other.
#[inline]
pub fn run(filler: Filler, size: u32, blocks: u32) {
    let groups = size.saturating_sub(BESIDE_FILLERS) / GROUP;
    let place = GROUPS.iter().position(|&known| known == groups);
    if let Some(place) = place.filter(|_| blocks != 0) {
        arch::forget_upper_halves();
        loops(filler)[place](blocks);
    }
}

/// Names the function of every size: `loops!(mixed)` is an array in the order of `GROUPS`.
macro_rules! loops {
    ($name:ident) => {
        [
            $name::<4>,
            $name::<5>,
            $name::<6>,
            $name::<7>,
            $name::<8>,
            $name::<9>,
            $name::<10>,
            $name::<11>,
            $name::<12>,
            $name::<13>,
            $name::<14>,
            $name::<15>,
            $name::<16>,
            $name::<17>,
            $name::<18>,
            $name::<20>,
            $name::<22>,
            $name::<24>,
            $name::<26>,
            $name::<28>,
            $name::<31>,
            $name::<34>,
            $name::<37>,
            $name::<40>,
        ]
    };
}
/// Groups of fillers of each size: at most a tenth apart where reorder buffers and their halves are,
/// from the register files of small cores to the largest window there is.
const GROUPS: [u32; 24] =
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 28, 31, 34, 37, 40];

/// What the chain begins with: so large that no root of the chain comes near one.
const START: f64 = 1.7e300;

/// A function for each of [`GROUPS`].
type Loops = [fn(u32); GROUPS.len()];

fn loops(filler: Filler) -> &'static Loops {
    use arch::{integers, mixed, vectors};
    const MIXED: Loops = loops!(mixed);
    const INTEGERS: Loops = loops!(integers);
    const VECTORS: Loops = loops!(vectors);
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
