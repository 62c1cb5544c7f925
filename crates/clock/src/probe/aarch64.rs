//! Implements the probes on aarch64.

use super::Lines;

/// Some of these CPUs execute in order, and would run the chains one after the other.
pub(super) use self::integers as chains;

loops! {
    /// `add x, x, x` from registers that are never written, so that no instruction waits for
    /// another.
    integers {
        [".rept 512", "add {a}, {x}, {y}", ".endr"],
        x = in(reg) 3_u64, y = in(reg) 5_u64, a = out(reg) _
    }
    /// `mul x, x, x`, in the same way.
    multiplies {
        [".rept 512", "mul {a}, {x}, {y}", ".endr"],
        x = in(reg) 3_u64, y = in(reg) 5_u64, a = out(reg) _
    }
    /// `mul x, x, x` in two independent chains.
    two_chains {
        [".rept 256", "mul {a}, {a}, {x}", "mul {b}, {b}, {x}", ".endr"],
        x = in(reg) 3_u64, a = inout(reg) 1_u64 => _, b = inout(reg) 1_u64 => _
    }
    /// `mul x, x, x` in three independent chains.
    three_chains {
        [".rept 170", "mul {a}, {a}, {x}", "mul {b}, {b}, {x}", "mul {c}, {c}, {x}", ".endr",
        "mul {a}, {a}, {x}", "mul {b}, {b}, {x}"],
        x = in(reg) 3_u64,
        a = inout(reg) 1_u64 => _, b = inout(reg) 1_u64 => _, c = inout(reg) 1_u64 => _
    }
    /// `add v.4s, v.4s, v.4s`, in the same way. Every aarch64 Linux has Advanced SIMD.
    vectors {
        [".rept 512", "add {a}.4s, {x:v}.4s, {x:v}.4s", ".endr"],
        x = in(vreg) 0.0_f64, a = out(vreg) _
    }
}

/// `ldr x, [line]` from eight cache lines in turn.
#[inline]
pub(super) fn loads(blocks: u32, lines: &Lines) {
    // SAFETY: reads eight words that lie in `lines`, 64 bytes apart; `blocks` is not
    // zero, so the loop ends.
    unsafe {
        repeat!(readonly, blocks: [
            ".rept 64",
            ".irp place, 0, 128, 256, 384",
            "ldr {a}, [{lines}, #\\place]",
            "ldr {b}, [{lines}, #\\place + 64]",
            ".endr",
            ".endr",
        ], lines = in(reg) lines.0.as_ptr(), a = out(reg) _, b = out(reg) _);
    }
}
