//! Implements the window loops on aarch64.

use super::START;
use std::arch::asm;

/// Does nothing: a write to part of a register clears the rest of it here.
#[inline]
pub(super) fn forget_upper_halves() {}

/// Six times `fsqrt`, and what ties a block to the one before.
#[inline]
pub(super) fn roots(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            "fmov v0.2d, #1.0",
            ".p2align 6",
            "2:",
            "and v0.16b, v0.16b, v13.16b",
            "orr v0.16b, v0.16b, v14.16b",
            ".rept 6",
            "fsqrt d0, d0",
            ".endr",
            next_block!(),
            blocks = inout(reg) blocks => _,
            in("v13") 0.0_f64,
            in("v14") START,
            out("v0") _,
            options(nomem, nostack),
        );
    }
}

/// A loop of groups of these sixteen instructions.
macro_rules! window {
    ($name:ident: $($filler:literal)+) => {
        pub(super) fn $name<const GROUPS: u32>(blocks: u32) {
            // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
            unsafe {
                asm!(
                    "add {a}, {x}, {y}",
                    ".p2align 6",
                    "2:",
                    "fmov d0, d14",
                    ".rept 6",
                    "fsqrt d0, d0",
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
                    in("v13") 0.0_f64,
                    in("v14") START,
                    out("v0") _,
                    out("v1") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

// The vector instructions are independent, so one register, renamed each time, is enough.
window!(mixed: ".rept 8" "add {a}, {x}, {y}" "add v1.4s, v13.4s, v14.4s" ".endr");

window!(integers: ".rept 16" "add {a}, {x}, {y}" ".endr");

window!(vectors: ".rept 16" "add v1.4s, v13.4s, v14.4s" ".endr");
