//! Implements the probes on x86-64.

use super::Lines;
use std::arch::asm;

loops! {
    /// `test r64, r64` reads registers that are never written, and writes only flags, so that no
    /// instruction waits for another and only units and the front end limit it.
    integers { [".rept 512", "test {x}, {y}", ".endr"], x = in(reg) 3_u64, y = in(reg) 5_u64 }
    /// Each chain begins with `lea r64, [r64 + 1]`, since an instruction eliminated at rename would
    /// use no unit, and continues with `add r64, r64`. With U units, chains of 24 need 12 · U
    /// scheduler entries: 48 of 96 on Zen 4, 72 of 88 on Zen 5, 48 of 97 on Ice Lake. The last
    /// chain of a block has 8.
    chains {
        [".rept 21", "lea {a}, [{x} + 1]", ".rept 23", "add {a}, {x}", ".endr", ".endr",
        "lea {a}, [{x} + 1]", ".rept 7", "add {a}, {x}", ".endr"],
        a = out(reg) _, x = in(reg) 3_u64
    }
    /// `imul r64, r64, 3` from a register that is never written, so that no instruction waits.
    multiplies { [".rept 512", "imul {a}, {x}, 3", ".endr"], x = in(reg) 7_u64, a = out(reg) _ }
    /// `imul r64, r64, 3` in two independent chains.
    two_chains {
        [".rept 256", "imul {a}, {a}, 3", "imul {b}, {b}, 3", ".endr"],
        a = inout(reg) 1_u64 => _, b = inout(reg) 1_u64 => _
    }
    /// `imul r64, r64, 3` in three independent chains.
    three_chains {
        [".rept 170", "imul {a}, {a}, 3", "imul {b}, {b}, 3", "imul {c}, {c}, 3", ".endr",
        "imul {a}, {a}, 3", "imul {b}, {b}, 3"],
        a = inout(reg) 1_u64 => _, b = inout(reg) 1_u64 => _, c = inout(reg) 1_u64 => _
    }
}

/// `paddd xmm, xmm` into twelve registers in turn: a core with four vector units whose additions
/// take two cycles needs eight.
#[inline]
pub(super) fn vectors(blocks: u32) {
    // SAFETY: register arithmetic only, of SSE2, which every x86-64 has;
    // `blocks` is not zero, so the loop ends.
    unsafe {
        asm!(
            "pxor {x}, {x}",
            ".p2align 6",
            "2:",
            ".rept 42",
            ".irp y, {a}, {b}, {c}, {d}, {e}, {f}, {g}, {h}, {i}, {j}, {k}, {l}",
            "paddd \\y, {x}",
            ".endr",
            ".endr",
            ".irp y, {a}, {b}, {c}, {d}, {e}, {f}, {g}, {h}",
            "paddd \\y, {x}",
            ".endr",
            next_block!(),
            x = out(xmm_reg) _,
            a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
            e = out(xmm_reg) _, f = out(xmm_reg) _, g = out(xmm_reg) _, h = out(xmm_reg) _,
            i = out(xmm_reg) _, j = out(xmm_reg) _, k = out(xmm_reg) _, l = out(xmm_reg) _,
            blocks = inout(reg) blocks => _,
            options(nomem, nostack),
        );
    }
}

/// `mov r64, [line]` from eight cache lines in turn.
#[inline]
pub(super) fn loads(blocks: u32, lines: &Lines) {
    // SAFETY: reads eight words that lie in `lines`, 64 bytes apart; `blocks`
    // is not zero, so the loop ends.
    unsafe {
        repeat!(readonly, blocks: [
            ".rept 64",
            ".irp place, 0, 128, 256, 384",
            "mov {a}, [{lines} + \\place]",
            "mov {b}, [{lines} + \\place + 64]",
            ".endr",
            ".endr",
        ], lines = in(reg) lines.0.as_ptr(), a = out(reg) _, b = out(reg) _);
    }
}
