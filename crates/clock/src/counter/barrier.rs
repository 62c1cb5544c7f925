//! Orders a read among the instructions around it.

/// Waits until everything before has finished, and lets nothing after it start earlier.
///
/// A counter read between two of these counts exactly what came before it.
#[inline(always)]
pub(super) fn barrier() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has lfence.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: isb changes no register and no memory.
    unsafe {
        std::arch::asm!("isb", options(nostack, preserves_flags));
    }
}
