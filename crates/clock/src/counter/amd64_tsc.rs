//! `amd64-tsc`: reads the time-stamp counter of x86-64.

use super::{Counter, Unavailable, Unit};
use std::arch::x86_64::{_mm_lfence, _rdtsc};

struct TimeStampCounter;

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    Ok(Box::new(TimeStampCounter))
}

impl Counter for TimeStampCounter {
    fn name(&self) -> &'static str {
        "amd64-tsc"
    }

    fn unit(&self) -> Unit {
        Unit::ConstantRate
    }

    fn read(&self) -> u64 {
        // SAFETY: both instructions exist on every x86-64 CPU; Linux leaves
        // rdtsc enabled for user space.
        unsafe {
            // What is timed must finish before the read …
            _mm_lfence();
            let ticks = _rdtsc();
            // … and nothing that follows may start before it.
            _mm_lfence();
            ticks
        }
    }
}
