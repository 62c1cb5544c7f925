//! Implements the chains on x86-64.

use std::arch::asm;

/// The constant of the multiply chain; odd, so that no product becomes zero.
pub(super) const FACTOR: u32 = 0x0100_0193;

/// Computes one link of the logic chain.
pub(super) fn logic_link(value: u64) -> u64 {
    value.rotate_right(13)
}

pub(super) fn has_checksum() -> bool {
    std::arch::is_x86_feature_detected!("sse4.2")
}

/// `imul r32, r32, constant`: 3 cycles on every Intel and AMD core since 2008.
#[inline]
pub(super) fn multiply(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "imul {value:e}, {value:e}, {factor}",
            ".endr",
            "dec {blocks:e}",
            "jnz 2b",
            value = inout(reg) value,
            factor = const FACTOR,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}

/// `ror r64, 13`: 1 cycle.
#[inline]
pub(super) fn logic(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "ror {value}, 13",
            ".endr",
            "dec {blocks:e}",
            "jnz 2b",
            value = inout(reg) value,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}

/// `crc32 r64, r64` into itself: 3 cycles.
#[inline]
pub(super) fn checksum(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only, `Chain::run` checked for SSE 4.2;
    // `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "crc32 {value}, {value}",
            ".endr",
            "dec {blocks:e}",
            "jnz 2b",
            value = inout(reg) value,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}
