//! Loads and stores of at most 64 bytes in a vector register.

use std::arch::x86_64::*;

/// A mask of the first `count` lanes.
#[inline]
pub(crate) fn lanes(count: usize) -> u64 {
    debug_assert!(count <= 64);
    u64::MAX.checked_shl(count as u32).map_or(u64::MAX, |above| !above)
}

/// The first 64 bytes, or as many as there are and `fill` in the other lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn load(bytes: &[u8], fill: u8) -> __m512i {
    let fill = _mm512_set1_epi8(fill.cast_signed());
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
    unsafe { _mm512_mask_loadu_epi8(fill, lanes(bytes.len().min(64)), bytes.as_ptr().cast()) }
}

/// Fills the first 64 bytes, or as many as there are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn store(out: &mut [u8], bytes: __m512i) {
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not written.
    unsafe { _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), lanes(out.len().min(64)), bytes) }
}

/// A table for a byte permute, behind a barrier: of constant tables the compiler
/// makes several cheaper-looking instructions.
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
