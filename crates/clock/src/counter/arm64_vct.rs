//! `arm64-vct`: reads the virtual count of aarch64's generic timer.
//!
//! A system-wide timer of constant rate, 24 MHz to 1 GHz: coarse on many
//! machines, but readable everywhere.

use super::{Counter, Unavailable, Unit, barrier::barrier};
use std::arch::asm;

struct VirtualCount;

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    Ok(Box::new(VirtualCount))
}

impl Counter for VirtualCount {
    fn name(&self) -> &'static str {
        "arm64-vct"
    }

    fn unit(&self) -> Unit {
        Unit::ConstantRate
    }

    fn read(&self) -> u64 {
        let ticks: u64;
        barrier();
        // SAFETY: the register is read-only; Linux lets user space read it
        // (where a CPU erratum forbids that, it emulates the read).
        unsafe {
            asm!("mrs {ticks}, cntvct_el0", ticks = out(reg) ticks, options(nostack, preserves_flags));
        }
        barrier();
        ticks
    }
}
