//! Implements the chains on aarch64. Latencies are from Arm's software optimisation guides;
//! calibration checks the assumption of one cycle for `eor`.

use std::arch::asm;

/// The factor of the multiply chain; odd, so that no product becomes zero.
pub(super) const FACTOR: u32 = 0x0100_0193;
const MASK: u64 = 0x9e37_79b9_7f4a_7c15;

/// Computes one link of the logic chain.
pub(super) fn logic_link(value: u64) -> u64 {
    value ^ MASK
}

pub(super) fn has_checksum() -> bool {
    std::arch::is_aarch64_feature_detected!("crc")
}

/// `mul w, w, w`: 2 cycles on Neoverse and Cortex-A76 and later, 3 or 4 elsewhere.
#[inline]
pub(super) fn multiply(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "mul {value:w}, {value:w}, {factor:w}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            value = inout(reg) value,
            factor = in(reg) u64::from(FACTOR),
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}

/// `eor x, x, x`: 1 cycle. (`ror` is an alias of `extr`, which some cores split.)
#[inline]
pub(super) fn logic(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "eor {value}, {value}, {mask}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            value = inout(reg) value,
            mask = in(reg) MASK,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}

/// `crc32cx` into itself: 2 cycles on Arm's cores, 3 on Apple's.
#[inline]
pub(super) fn checksum(mut value: u64, blocks: u32) -> u64 {
    // SAFETY: register arithmetic only, `Chain::run` checked for the CRC extension;
    // `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".arch_extension crc",
            ".p2align 6",
            "2:",
            ".rept 64",
            "crc32cx {value:w}, {value:w}, {value}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            value = inout(reg) value,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
    value
}
