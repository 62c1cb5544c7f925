//! Assembles the loops of chains and probes.

/// What ends a block: it counts `blocks` down, and begins the next unless there is none.
#[cfg(target_arch = "x86_64")]
macro_rules! next_block {
    () => {
        "dec {blocks:e}\njnz 2b"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! next_block {
    () => {
        "subs {blocks:w}, {blocks:w}, #1\nb.ne 2b"
    };
}

/// Runs `$blocks` blocks of these lines, which begin at a cache line. `$memory` is how they access
/// memory, as an option of `asm!`.
macro_rules! repeat {
    ($memory:ident, $blocks:ident: [$($line:literal),+ $(,)?], $($operands:tt)+) => {
        std::arch::asm!(
            ".p2align 6",
            "2:",
            $($line,)+
            next_block!(),
            $($operands)+,
            blocks = inout(reg) $blocks => _,
            options($memory, nostack),
        )
    };
}

/// Defines functions that run blocks of these lines, from a value to the next if one is named. The
/// lines compute in registers, each of which is an operand, and access no memory.
macro_rules! loops {
    ($($(#[$about:meta])+ $name:ident $(($value:ident))? {
        [$($line:literal),+ $(,)?], $($operands:tt)+
    })+) => {$(
        $(#[$about])+
        #[inline]
        pub(super) fn $name($(mut $value: u64,)? blocks: u32) $(-> loops!(@type $value))? {
            // SAFETY: register arithmetic only; `blocks` is not zero, so the loop ends.
            unsafe { repeat!(nomem, blocks: [$($line),+], $($operands)+) };
            $($value)?
        }
    )+};
    (@type $value:ident) => {
        u64
    };
}
