//! `default-monotonic`: reads the kernel's raw monotonic clock, in nanoseconds.

use super::barrier::barrier;
use super::{Counter, Unavailable, Unit};
use rustix::time::{ClockId, clock_gettime};

struct Monotonic;

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    Ok(Box::new(Monotonic))
}

/// Returns the raw monotonic clock in nanoseconds, which NTP does not slew.
pub fn monotonic_nanoseconds() -> u64 {
    let now = clock_gettime(ClockId::MonotonicRaw);
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

impl Counter for Monotonic {
    fn name(&self) -> &'static str {
        "default-monotonic"
    }

    fn unit(&self) -> Unit {
        Unit::ConstantRate
    }

    fn read(&self) -> u64 {
        barrier();
        let now = monotonic_nanoseconds();
        barrier();
        now
    }
}
