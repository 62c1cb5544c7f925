//! Evicts from the caches what calls left there.

use cpb_host::last_level_cache_bytes;
use cpb_libraries::NoMemory;
use cpb_libraries::buffer::zeros;
use std::hint::black_box;

/// The length of the data in bytes if the kernel does not report cache sizes.
const UNKNOWN_BYTES: usize = 64 << 20;
/// The length of the data relative to the last-level cache, because the lines used last may
/// be replaced last, and so that little of it fits in there.
const TIMES_THE_CACHE: usize = 2;
/// No cache has shorter lines.
const LINE_BYTES: usize = 64;

/// Returns the length of data that replaces what the caches hold.
pub fn more_than_the_caches() -> usize {
    last_level_cache_bytes().map_or(UNKNOWN_BYTES, |bytes| bytes.saturating_mul(TIMES_THE_CACHE))
}

/// Fills the caches with other data and code.
pub struct Eviction {
    data: Vec<u8>,
}

impl Eviction {
    /// Allocates twice the size of the last-level cache.
    pub fn new() -> Result<Self, NoMemory> {
        let mut data = zeros(more_than_the_caches())?;
        // All pages that were never written share one page of memory.
        data.iter_mut().step_by(LINE_BYTES).for_each(|byte| *byte = 1);
        Ok(Self { data })
    }

    /// Reads all of it, and runs more code than a core's first-level caches hold: the
    /// instruction cache need not lose the lines that the other caches lose.
    pub fn walk(&self) {
        let lines = self.data.iter().step_by(LINE_BYTES);
        let mut sum = lines.fold(0_u64, |sum, &byte| sum + u64::from(byte));
        for stretch in black_box(STRETCHES) {
            sum = stretch(sum);
        }
        black_box(sum);
    }
}

macro_rules! four_times {
    ($step:block) => {
        $step
        $step
        $step
        $step
    };
}

/// Runs some hundreds of instructions without a branch. Each `NUMBER` has code of its own, at
/// least 1.5 KiB.
#[inline(never)]
fn stretch<const NUMBER: u64>(start: u64) -> u64 {
    let mut value = start;
    four_times!({
        four_times!({
            four_times!({
                value = (value ^ (value >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ NUMBER);
                value = value.rotate_left(23).wrapping_add(0xd1b5_4a32_d192_ed03 ^ NUMBER);
            });
        });
    });
    value
}

macro_rules! stretches {
    ($($tens:literal)*) => {
        [$(
            stretch::<{ 10 * $tens }>, stretch::<{ 10 * $tens + 1 }>, stretch::<{ 10 * $tens + 2 }>,
            stretch::<{ 10 * $tens + 3 }>, stretch::<{ 10 * $tens + 4 }>,
            stretch::<{ 10 * $tens + 5 }>, stretch::<{ 10 * $tens + 6 }>,
            stretch::<{ 10 * $tens + 7 }>, stretch::<{ 10 * $tens + 8 }>,
            stretch::<{ 10 * $tens + 9 }>,
        )*]
    };
}

type Stretch = fn(u64) -> u64;
/// At least 140 KiB of code, more than twice any core's first-level instruction cache.
static STRETCHES: &[Stretch] = &stretches!(0 1 2 3 4 5 6 7 8 9);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_is_more_code_than_the_first_caches_hold() {
        let places: BTreeSet<usize> = STRETCHES.iter().map(|it| *it as usize).collect();
        assert_eq!(places.len(), 100, "no two are one");
        let (first, last) = (places.first().unwrap(), places.last().unwrap());
        assert!(last - first > 128 << 10, "{} bytes", last - first);
    }

    #[test]
    fn data_is_twice_what_the_kernel_tells() {
        let eviction = Eviction::new().unwrap();
        let expected = last_level_cache_bytes().map_or(UNKNOWN_BYTES, |bytes| 2 * bytes);
        assert_eq!(eviction.data.len(), expected);
        eviction.walk();
    }
}
