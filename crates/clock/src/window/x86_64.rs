//! Implements the window loops on x86-64.

use super::START;
use std::arch::asm;

/// Clears what wider instructions left in the upper halves of vector registers. These loops write
/// only the lower halves, so each write would otherwise wait for the one before, and no block would
/// overlap with the next. OpenSSL's AVX-512 ChaCha20 leaves such data.
#[inline]
pub(super) fn forget_upper_halves() {
    if is_x86_feature_detected!("avx") {
        // SAFETY: the CPU has the instruction, and it changes what the ABI lets functions change.
        unsafe { asm!("vzeroupper", clobber_abi("C"), options(nomem, nostack)) };
    }
}

/// Six times `sqrtsd`, and what ties a block to the one before.
#[inline]
pub(super) fn roots(blocks: u32) {
    // SAFETY: register arithmetic only, of SSE2, which every x86-64 has; `blocks` is not zero, so
    // the loop ends.
    unsafe {
        asm!(
            "movaps {value}, {start}",
            "xorps {zero}, {zero}",
            ".p2align 6",
            "2:",
            "andpd {value}, {zero}",
            "orpd {value}, {start}",
            ".rept 6",
            "sqrtsd {value}, {value}",
            ".endr",
            next_block!(),
            start = in(xmm_reg) START,
            value = out(xmm_reg) _,
            zero = out(xmm_reg) _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// A loop of groups of these sixteen instructions. A two-register address needs a unit and a new
/// register, and no core eliminates it at rename, as recent ones do with small constants.
macro_rules! window {
    ($name:ident: $($filler:literal)+) => {
        pub(super) fn $name<const GROUPS: u32>(blocks: u32) {
            // SAFETY: register arithmetic only, of SSE2, which every x86-64 has; `blocks` is not
            // zero, so the loop ends.
            unsafe {
                asm!(
                    "pxor xmm13, xmm13",
                    "lea {a}, [{x} + {y}]",
                    ".p2align 6",
                    "2:",
                    "movaps xmm0, xmm14",
                    ".rept 6",
                    "sqrtsd xmm0, xmm0",
                    ".endr",
                    ".rept {groups}",
                    $($filler,)+
                    ".endr",
                    next_block!(),
                    groups = const GROUPS,
                    x = in(reg) 3_u64,
                    y = in(reg) 5_u64,
                    a = out(reg) _,
                    blocks = inout(reg) blocks => _,
                    in("xmm14") START,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm13") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

window!(mixed: ".irp register, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8"
    "lea {a}, [{x} + {y}]" "paddd \\register, xmm13" ".endr");

window!(integers: ".rept 16" "lea {a}, [{x} + {y}]" ".endr");

window!(vectors: ".rept 2" ".irp register, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8"
    "paddd \\register, xmm13" ".endr" ".endr");
