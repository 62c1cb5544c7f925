//! Emptying the caches of what calls left there.

use cpb_host::last_level_cache_bytes;
use cpb_libraries::NoMemory;
use cpb_libraries::buffer::zeros;
use std::hint::black_box;

/// The walk's length where the kernel does not tell how large caches are.
const UNKNOWN_BYTES: usize = 64 << 20;
/// Against the last-level cache: what was used last may be replaced last.
const TIMES_THE_CACHE: usize = 2;
/// No cache has shorter lines.
const LINE_BYTES: usize = 64;

/// What takes the place of everything else in the caches.
pub struct Eviction {
    data: Vec<u8>,
}

impl Eviction {
    /// Data of twice the last-level cache.
    pub fn new() -> Result<Self, NoMemory> {
        let bytes = last_level_cache_bytes()
            .map_or(UNKNOWN_BYTES, |bytes| bytes.saturating_mul(TIMES_THE_CACHE));
        let mut data = zeros(bytes)?;
        // Pages that were never written are one page.
        data.iter_mut().step_by(LINE_BYTES).for_each(|byte| *byte = 1);
        Ok(Self { data })
    }

    /// Walks over all of it, and over more code than a core's first caches hold: unlike the
    /// others, that of instructions need not lose what these lose.
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

/// Some hundreds of instructions without a branch, which no other number has: 1.5 KiB and more.
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
/// 140 KiB and more: no core's first cache of instructions has half of it.
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
