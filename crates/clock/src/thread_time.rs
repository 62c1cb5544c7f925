//! Measures where a thread's time goes, as the kernel counts it.

use crate::process_time::{on_cpu, usage};
use rustix::time::ClockId;
use std::fs;
use std::time::Duration;

/// The kernel's counts for a thread since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadTime {
    /// Time on a CPU, in user space and in the kernel.
    pub on_cpu: Duration,
    /// The part of it in the kernel, sampled at the kernel's ticks, so that it is meaningful over a
    /// hundred milliseconds, but not over one.
    pub in_kernel: Duration,
    /// Voluntary context switches: how often it went to sleep, for a lock or a clock.
    pub sleeps: u64,
    /// Time runnable but waiting for a CPU; `None` if the kernel does not count it
    /// (CONFIG_SCHED_INFO).
    pub waiting: Option<Duration>,
}

impl ThreadTime {
    /// Returns the counts of the calling thread.
    pub fn now() -> Self {
        // Read first, since it updates the kernel's counts.
        let on_cpu = on_cpu(ClockId::ThreadCPUTime);
        let usage = usage(libc::RUSAGE_THREAD);
        let in_kernel = Duration::from_secs(usage.ru_stime.tv_sec.unsigned_abs())
            + Duration::from_micros(usage.ru_stime.tv_usec.unsigned_abs());
        Self { on_cpu, in_kernel, sleeps: usage.ru_nvcsw.unsigned_abs(), waiting: waiting() }
    }

    /// Returns what was added since `earlier`, for the same thread.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            on_cpu: self.on_cpu.saturating_sub(earlier.on_cpu),
            in_kernel: self.in_kernel.saturating_sub(earlier.in_kernel),
            sleeps: self.sleeps.saturating_sub(earlier.sleeps),
            waiting: self.waiting.zip(earlier.waiting).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// Reads the second number of `/proc/thread-self/schedstat`, in nanoseconds.
fn waiting() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A_WHILE: Duration = Duration::from_millis(30);

    fn work() -> ThreadTime {
        let before = ThreadTime::now();
        while ThreadTime::now().since(before).on_cpu < A_WHILE {}
        before
    }

    #[test]
    fn a_thread_has_time_on_a_cpu_while_it_works_and_none_while_it_sleeps() {
        let before = work();
        let worked = ThreadTime::now();
        std::thread::spawn(work).join().expect("it works");
        let slept = ThreadTime::now().since(worked);
        assert!(worked.since(before).on_cpu >= A_WHILE);
        assert!(slept.sleeps >= 1);
        assert!(slept.on_cpu < A_WHILE / 2, "{slept:?}");
    }
}
