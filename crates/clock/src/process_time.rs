//! Measures the resources that a process used between two moments, as the kernel counts them.

use rustix::time::{ClockId, clock_gettime};
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// The resources used by a process, with all its threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// Wall-clock time.
    pub wall: Duration,
    /// Time on a CPU, in user space and in the kernel.
    pub on_cpu: Duration,
    /// Page faults served without disk access.
    pub minor_faults: u64,
    /// Page faults that needed disk access.
    pub major_faults: u64,
}

impl ProcessTime {
    /// Adds two of them.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            on_cpu: self.on_cpu + other.on_cpu,
            minor_faults: self.minor_faults + other.minor_faults,
            major_faults: self.major_faults + other.major_faults,
        }
    }
}

/// The end of one part of a process's work, and the beginning of the next. The cost of asking the
/// kernel is in neither, except for one read of a clock.
#[derive(Debug, Clone, Copy)]
pub struct Boundary {
    end: Instant,
    on_cpu: [Duration; 2],
    faults: [u64; 2],
    begin: Instant,
}

impl Boundary {
    /// Returns a boundary at this moment.
    pub fn now() -> Self {
        let end = Instant::now();
        let on_cpu_at_end = on_cpu(ClockId::ProcessCPUTime);
        let usage = usage(libc::RUSAGE_SELF);
        let faults = [usage.ru_minflt, usage.ru_majflt].map(i64::unsigned_abs);
        let on_cpu = [on_cpu_at_end, on_cpu(ClockId::ProcessCPUTime)];
        Self { end, on_cpu, faults, begin: Instant::now() }
    }

    /// Returns the resources used between `earlier` and this boundary.
    pub fn since(&self, earlier: &Self) -> ProcessTime {
        let faults = |kind: usize| self.faults[kind].saturating_sub(earlier.faults[kind]);
        ProcessTime {
            wall: self.end.saturating_duration_since(earlier.begin),
            on_cpu: self.on_cpu[0].saturating_sub(earlier.on_cpu[1]),
            minor_faults: faults(0),
            major_faults: faults(1),
        }
    }
}

pub(crate) fn on_cpu(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Returns the kernel's counts for the process, or for the calling thread.
pub(crate) fn usage(who: libc::c_int) -> libc::rusage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: there is room for the answer, whose fields may all be zero: they are where
    // the kernel should refuse, which it has no reason to.
    unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn work_takes_time_on_a_cpu_and_new_pages_fault() {
        const PAGES: usize = 256;
        const A_WHILE: Duration = Duration::from_millis(20);
        let before = Boundary::now();
        let start = Instant::now();
        while start.elapsed() < A_WHILE {}
        let worked = Boundary::now();
        let mut memory = vec![0_u8; PAGES * rustix::param::page_size()];
        memory.iter_mut().step_by(rustix::param::page_size()).for_each(|byte| *byte = 1);
        black_box(&memory);
        let touched = Boundary::now();
        assert!(worked.since(&before).wall >= A_WHILE);
        assert!(worked.since(&before).on_cpu > Duration::ZERO);
        // With huge pages there are fewer.
        assert!(touched.since(&worked).minor_faults >= 1);
    }
}
