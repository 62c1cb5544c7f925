//! x86-64 with BMI1 and BMI2: the state stays in memory, and one row at a time is in
//! general registers. `andn` makes chi two instructions per lane, and `rorx` leaves
//! the flags alone.
//!
//! The five new lanes of a row replace the five old lanes they are computed from, each
//! within its column x. So no lane is ever moved and no second state is needed; the
//! positions repeat after four rounds.
//!
//! The rounds are assembly because a compiler needs a second state, with copies and
//! spills that cost 14 % (Zen 5: 940 cycles against 825). Chi handles lanes in pairs,
//! because an instruction that depends on the one directly before it costs Zen 5 part
//! of an issue slot.

use std::arch::asm;

use super::ROUND_CONSTANTS;
use super::entries::entries;
use super::state::State;
use crate::cpu::Bmi2;

entries!(Bmi2, "bmi1,bmi2");

/// Gives the lane at index `lane` as an operand.
macro_rules! lane {
    ($lane:literal) => {
        concat!("qword ptr [rdi + 8 * ", $lane, "]")
    };
}

/// Emits the end of theta, and rho: `b` = rotate(lane ^ `d`, `left`).
#[rustfmt::skip]
macro_rules! add_and_rotate {
    ($b:literal = $lane:literal ^ $d:literal, $left:literal) => {
        concat!(
            "mov ", $b, ", ", lane!($lane), "\n",
            "xor ", $b, ", ", $d, "\n",
            "rorx ", $b, ", ", $b, ", 64 - ", $left, "\n",
        )
    };
}

/// Emits the same for the last row, where `d` is no longer needed and becomes the
/// lane.
macro_rules! add_and_rotate_last {
    ($d:literal ^ $lane:literal, $left:literal) => {
        concat!(
            "xor ", $d, ", ", lane!($lane), "\n",
            "rorx ", $d, ", ", $d, ", 64 - ", $left, "\n",
        )
    };
}

/// Emits chi for two lanes: `to` = `a` ^ (!`b` & `c`).
#[rustfmt::skip]
macro_rules! chi {
    (
        $to:literal = $a:literal $b:literal $c:literal,
        $to2:literal = $a2:literal $b2:literal $c2:literal
    ) => {
        concat!(
            "andn ", $to, ", ", $b, ", ", $c, "\n",
            "andn ", $to2, ", ", $b2, ", ", $c2, "\n",
            "xor ", $to, ", ", $a, "\n",
            "xor ", $to2, ", ", $a2, "\n",
        )
    };
}

/// Stores a new lane, and adds it to the parity of its column if a register holds one.
macro_rules! store {
    ($lane:literal = $from:literal) => {
        concat!("mov ", lane!($lane), ", ", $from, "\n")
    };
    ($lane:literal = $from:literal, $parity:literal) => {
        concat!(store!($lane = $from), "xor ", $parity, ", ", $from, "\n")
    };
}

/// Emits chi of the first row, whose new lanes start the parities of columns 0 and 1.
/// The round's constant is `offset` bytes from the pointer on top of the stack.
macro_rules! chi_first {
    ($x0:literal $x1:literal $x2:literal $x3:literal $x4:literal, $offset:literal) => {
        concat!(
            chi!("rax" = "rdx" "r8" "r9", "rcx" = "r8" "r9" "r15"),
            "mov rbp, qword ptr [rsp]\n",
            "xor rax, qword ptr [rbp + ", $offset, "]\n",
            store!($x0 = "rax"),
            store!($x1 = "rcx"),
            chi!("rbx" = "r9" "r15" "rsi", "rbp" = "r15" "rsi" "rdx"),
            store!($x2 = "rbx"),
            store!($x3 = "rbp"),
            "andn rbx, rdx, r8\n",
            "xor rbx, rsi\n",
            store!($x4 = "rbx"),
        )
    };
}

macro_rules! chi_middle {
    ($x0:literal $x1:literal $x2:literal $x3:literal $x4:literal) => {
        concat!(
            chi!("rbx" = "rdx" "r8" "r9", "rbp" = "r8" "r9" "r15"),
            store!($x0 = "rbx", "rax"),
            store!($x1 = "rbp", "rcx"),
            chi!("rbx" = "r9" "r15" "rsi", "rbp" = "r15" "rsi" "rdx"),
            store!($x2 = "rbx"),
            store!($x3 = "rbp"),
            "andn rbx, rdx, r8\n",
            "xor rbx, rsi\n",
            store!($x4 = "rbx"),
        )
    };
}

/// Emits chi of the last row, on lanes in r12 r13 r14 r10 r11.
macro_rules! chi_last {
    ($x0:literal $x1:literal $x2:literal $x3:literal $x4:literal) => {
        concat!(
            chi!("r15" = "r12" "r13" "r14", "rsi" = "r13" "r14" "r10"),
            store!($x0 = "r15", "rax"),
            store!($x1 = "rsi", "rcx"),
            chi!("r15" = "r14" "r10" "r11", "rsi" = "r10" "r11" "r12"),
            store!($x2 = "r15", "rdx"),
            store!($x3 = "rsi", "r8"),
            "andn r15, r12, r13\n",
            "xor r15, r11\n",
            store!($x4 = "r15", "r9"),
        )
    };
}

/// Emits the sum of some lanes.
macro_rules! sum {
    ($to:literal = $first:literal $($more:literal)+) => {
        concat!(
            "mov ", $to, ", ", lane!($first), "\n",
            $("xor ", $to, ", ", lane!($more), "\n",)+
        )
    };
}

/// Emits one round, given the indices of pi's sources for the five rows, row by row.
/// The parities of columns 0 to 4 are in rax, rcx, rdx, r8, r9 before and after it.
macro_rules! round {
    (
        $offset:literal,
        $a0:literal $a1:literal $a2:literal $a3:literal $a4:literal,
        $b0:literal $b1:literal $b2:literal $b3:literal $b4:literal,
        $c0:literal $c1:literal $c2:literal $c3:literal $c4:literal,
        $d0:literal $d1:literal $d2:literal $d3:literal $d4:literal,
        $e0:literal $e1:literal $e2:literal $e3:literal $e4:literal
    ) => {
        concat!(
            // D[0] to D[4] of theta in r10 to r14.
            "rorx r10, rcx, 63\n",
            "rorx r11, rdx, 63\n",
            "rorx r12, r8, 63\n",
            "rorx r13, r9, 63\n",
            "rorx r14, rax, 63\n",
            "xor r10, r9\n",
            "xor r11, rax\n",
            "xor r12, rcx\n",
            "xor r13, rdx\n",
            "xor r14, r8\n",
            // Row 0, whose first lane is not rotated.
            "mov rdx, ", lane!($a0), "\n",
            "xor rdx, r10\n",
            add_and_rotate!("r8" = $a1 ^ "r11", 44),
            add_and_rotate!("r9" = $a2 ^ "r12", 43),
            add_and_rotate!("r15" = $a3 ^ "r13", 21),
            add_and_rotate!("rsi" = $a4 ^ "r14", 14),
            chi_first!($a0 $a1 $a2 $a3 $a4, $offset),
            // Row 1.
            add_and_rotate!("rdx" = $b0 ^ "r13", 28),
            add_and_rotate!("r8" = $b1 ^ "r14", 20),
            add_and_rotate!("r9" = $b2 ^ "r10", 3),
            add_and_rotate!("r15" = $b3 ^ "r11", 45),
            add_and_rotate!("rsi" = $b4 ^ "r12", 61),
            chi_middle!($b2 $b3 $b4 $b0 $b1),
            // Row 2.
            add_and_rotate!("rdx" = $c0 ^ "r11", 1),
            add_and_rotate!("r8" = $c1 ^ "r12", 6),
            add_and_rotate!("r9" = $c2 ^ "r13", 25),
            add_and_rotate!("r15" = $c3 ^ "r14", 8),
            add_and_rotate!("rsi" = $c4 ^ "r10", 18),
            chi_middle!($c4 $c0 $c1 $c2 $c3),
            // Row 3.
            add_and_rotate!("rdx" = $d0 ^ "r14", 27),
            add_and_rotate!("r8" = $d1 ^ "r10", 36),
            add_and_rotate!("r9" = $d2 ^ "r11", 10),
            add_and_rotate!("r15" = $d3 ^ "r12", 15),
            add_and_rotate!("rsi" = $d4 ^ "r13", 56),
            chi_middle!($d1 $d2 $d3 $d4 $d0),
            // Row 4.
            add_and_rotate_last!("r12" ^ $e0, 62),
            add_and_rotate_last!("r13" ^ $e1, 55),
            add_and_rotate_last!("r14" ^ $e2, 39),
            add_and_rotate_last!("r10" ^ $e3, 41),
            add_and_rotate_last!("r11" ^ $e4, 2),
            sum!("rdx" = $a2 $b4 $c1 $d3),
            sum!("r8" = $a3 $b0 $c2 $d4),
            sum!("r9" = $a4 $b1 $c3 $d0),
            chi_last!($e3 $e4 $e0 $e1 $e2),
        )
    };
}

#[inline]
#[target_feature(enable = "bmi1,bmi2")]
#[rustfmt::skip]
fn permute_lanes(state: &mut State) {
    let constants = ROUND_CONSTANTS.as_ptr_range();
    // SAFETY: the instructions are among the features of this function. Memory is
    // read and written within `state`, read from the first round constant to the last,
    // and the stack is left as found, as are rbx and rbp.
    unsafe {
        asm!(
            // Rust reserves these two registers, so they are saved.
            "push rbx",
            "push rbp",
            "push rcx",
            "push rax",
            sum!("rax" = 0 5 10 15 20),
            sum!("rcx" = 1 6 11 16 21),
            sum!("rdx" = 2 7 12 17 22),
            sum!("r8" = 3 8 13 18 23),
            sum!("r9" = 4 9 14 19 24),
            ".p2align 6",
            "2:",
            round!(0,
                0 6 12 18 24,  3 9 10 16 22,  1 7 13 19 20,  4 5 11 17 23,  2 8 14 15 21),
            round!(8,
                0 16 7 23 14,  18 9 20 11 2,  6 22 13 4 15,  24 10 1 17 8,  12 3 19 5 21),
            round!(16,
                0 11 22 8 19,  23 9 15 1 12,  16 2 13 24 5,  14 20 6 17 3,  7 18 4 10 21),
            round!(24,
                0 1 2 3 4,  8 9 5 6 7,  11 12 13 14 10,  19 15 16 17 18,  22 23 24 20 21),
            "mov rbp, qword ptr [rsp]",
            "add rbp, 32",
            "mov qword ptr [rsp], rbp",
            "cmp rbp, qword ptr [rsp + 8]",
            "jne 2b",
            "pop rax",
            "pop rcx",
            "pop rbp",
            "pop rbx",
            in("rdi") state.0.as_mut_ptr(),
            inout("rax") constants.start => _,
            inout("rcx") constants.end => _,
            out("rdx") _, out("rsi") _, out("r8") _, out("r9") _,
            out("r10") _, out("r11") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
        );
    }
}
