//! The probes on aarch64.

use super::Lines;
use std::arch::asm;

/// Hardly any of these CPUs have two hardware threads a core, and some run in
/// order, which takes chains one after the other.
pub(super) use self::adds as gate;
pub(super) const VERSION: &str = "adds-512";

/// `add x, x, x` into eight registers in turn.
#[inline]
pub(super) fn adds(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "add {a}, {a}, {x}",
            "add {b}, {b}, {x}",
            "add {c}, {c}, {x}",
            "add {d}, {d}, {x}",
            "add {e}, {e}, {x}",
            "add {f}, {f}, {x}",
            "add {g}, {g}, {x}",
            "add {h}, {h}, {x}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            a = inout(reg) 0_u64 => _,
            b = inout(reg) 0_u64 => _,
            c = inout(reg) 0_u64 => _,
            d = inout(reg) 0_u64 => _,
            e = inout(reg) 0_u64 => _,
            f = inout(reg) 0_u64 => _,
            g = inout(reg) 0_u64 => _,
            h = inout(reg) 0_u64 => _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `mul x, x, x` on eight registers in turn.
#[inline]
pub(super) fn multiplies(blocks: u32) {
    // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "mul {a}, {a}, {x}",
            "mul {b}, {b}, {x}",
            "mul {c}, {c}, {x}",
            "mul {d}, {d}, {x}",
            "mul {e}, {e}, {x}",
            "mul {f}, {f}, {x}",
            "mul {g}, {g}, {x}",
            "mul {h}, {h}, {x}",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            x = in(reg) 3_u64,
            a = inout(reg) 1_u64 => _,
            b = inout(reg) 1_u64 => _,
            c = inout(reg) 1_u64 => _,
            d = inout(reg) 1_u64 => _,
            e = inout(reg) 1_u64 => _,
            f = inout(reg) 1_u64 => _,
            g = inout(reg) 1_u64 => _,
            h = inout(reg) 1_u64 => _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `add v.4s, v.4s, v.4s` into eight registers in turn.
#[inline]
pub(super) fn vectors(blocks: u32) {
    // SAFETY: register arithmetic only, of Advanced SIMD, which every aarch64 Linux has;
    // `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 64",
            "add {a}.4s, {a}.4s, {a}.4s",
            "add {b}.4s, {b}.4s, {b}.4s",
            "add {c}.4s, {c}.4s, {c}.4s",
            "add {d}.4s, {d}.4s, {d}.4s",
            "add {e}.4s, {e}.4s, {e}.4s",
            "add {f}.4s, {f}.4s, {f}.4s",
            "add {g}.4s, {g}.4s, {g}.4s",
            "add {h}.4s, {h}.4s, {h}.4s",
            ".endr",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.ne 2b",
            a = out(vreg) _,
            b = out(vreg) _,
            c = out(vreg) _,
            d = out(vreg) _,
            e = out(vreg) _,
            f = out(vreg) _,
            g = out(vreg) _,
            h = out(vreg) _,
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
