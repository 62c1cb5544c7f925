//! Loads and stores at most 64 bytes in a vector register.

use std::arch::x86_64::*;

/// Returns a mask of the first `count` lanes.
#[inline]
pub(crate) fn lanes(count: usize) -> u64 {
    debug_assert!(count <= 64);
    u64::MAX.checked_shl(count as u32).map_or(u64::MAX, |above| !above)
}

/// Loads the first 64 bytes; where there are fewer, the other lanes hold `fill`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn load(bytes: &[u8], fill: u8) -> __m512i {
    let fill = _mm512_set1_epi8(fill.cast_signed());
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
    unsafe { _mm512_mask_loadu_epi8(fill, lanes(bytes.len().min(64)), bytes.as_ptr().cast()) }
}

/// Stores the first 64 bytes, or as many as the slice holds.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn store(out: &mut [u8], bytes: __m512i) {
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not written.
    unsafe { _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), lanes(out.len().min(64)), bytes) }
}

/// Hides a table for a byte permute from the compiler, which otherwise replaces the
/// permute by several instructions that look cheaper.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn table(lanes: &[u8; 64]) -> __m512i {
    // SAFETY: the array has 64 bytes.
    let mut table = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
    // SAFETY: no instruction at all; the value passes through unchanged.
    unsafe {
        std::arch::asm!("/* {0} */", inout(zmm_reg) table, options(pure, nomem, nostack, preserves_flags));
    }
    table
}

/// Computes the lanes of a table, each from its index.
macro_rules! lanes_of {
    (|$lane:ident| $value:expr) => {{
        let mut lanes = [0; 64];
        let mut $lane = 0;
        while $lane < 64 {
            lanes[$lane] = $value;
            $lane += 1;
        }
        lanes
    }};
}
pub(crate) use lanes_of;
