//! Marks around calls, for who follows this process from one to the next.

use cpb_provider::Prepared;
use std::hint::black_box;

/// Makes `call` so many times between two marks. Who is not followed ends there, by SIGTRAP.
///
/// It is one function, so that around no call and around one the same instructions are run.
#[inline(never)]
pub fn between_marks(call: &mut dyn Prepared, calls: u64) {
    mark();
    black_box(&mut *call).run(black_box(calls));
    mark();
}

/// Makes something between two marks.
#[inline(never)]
pub fn made_between_marks<T>(make: impl FnOnce() -> T) -> T {
    mark();
    let made = black_box(make());
    mark();
    made
}

#[inline(always)]
fn mark() {
    // SAFETY: the instruction changes neither memory nor registers.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int3", options(nostack, preserves_flags));
    }
    // SAFETY: likewise.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("brk #0", options(nostack, preserves_flags));
    }
}
