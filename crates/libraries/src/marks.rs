//! Marks calls for a tracer, which follows this process from one mark to the next.

use cpb_provider::Prepared;
use std::hint::black_box;

/// Makes `call` this many times between two marks. Without a tracer, SIGTRAP ends the process
/// there.
///
/// A single function, so that the instructions around zero calls and around one are the same.
#[inline(never)]
pub fn between_marks(call: &mut dyn Prepared, calls: u64) {
    mark();
    black_box(&mut *call).run(black_box(calls));
    mark();
}

/// Runs `make` between two marks.
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
