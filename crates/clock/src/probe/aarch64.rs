//! Implements the probes on aarch64.

use super::Lines;
use std::arch::asm;

/// Some of these CPUs execute in order, and would run the chains one after the other.
pub(super) use self::integers as chains;

/// `add x, x, x` from registers that are never written, so that no instruction waits for another.
#[inline]
pub(super) fn integers(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 512",
            "add {a}, {x}, {y}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            y = in(reg) 5_u64,
            a = out(reg) _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `mul x, x, x`, in the same way.
#[inline]
pub(super) fn multiplies(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 512",
            "mul {a}, {x}, {y}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            y = in(reg) 5_u64,
            a = out(reg) _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `mul x, x, x` in two independent chains.
#[inline]
pub(super) fn two_chains(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 256",
            "mul {a}, {a}, {x}",
            "mul {b}, {b}, {x}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            a = inout(reg) 1_u64 => _,
            b = inout(reg) 1_u64 => _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `mul x, x, x` in three independent chains.
#[inline]
pub(super) fn three_chains(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 170",
            "mul {a}, {a}, {x}",
            "mul {b}, {b}, {x}",
            "mul {c}, {c}, {x}",
            ".endr",
            "mul {a}, {a}, {x}",
            "mul {b}, {b}, {x}",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            a = inout(reg) 1_u64 => _,
            b = inout(reg) 1_u64 => _,
            c = inout(reg) 1_u64 => _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `add v.4s, v.4s, v.4s`, in the same way.
#[inline]
pub(super) fn vectors(blocks: u32) {
    // SAFETY: register arithmetic only, of Advanced SIMD, which every aarch64 Linux has;
    // `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 512",
            "add {a}.4s, {x:v}.4s, {x:v}.4s",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(vreg) 0.0_f64,
            a = out(vreg) _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `ldr x, [line]` from eight cache lines in turn.
#[inline]
pub(super) fn loads(blocks: u32, lines: &Lines) {
    // SAFETY: reads eight words that lie in `lines`, 64 bytes apart; `blocks` is not
    // zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "ldr {a}, [{lines}, #0]",
            "ldr {b}, [{lines}, #64]",
            "ldr {a}, [{lines}, #128]",
            "ldr {b}, [{lines}, #192]",
            "ldr {a}, [{lines}, #256]",
            "ldr {b}, [{lines}, #320]",
            "ldr {a}, [{lines}, #384]",
            "ldr {b}, [{lines}, #448]",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            lines = in(reg) lines.0.as_ptr(),
            a = out(reg) _,
            b = out(reg) _,
            blocks = inout(reg) blocks => _,
            options(readonly, nostack),
        );
    }
}
