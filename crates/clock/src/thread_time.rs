//! Where a thread's time goes, as the kernel counts it.

use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::mem::MaybeUninit;
use std::time::Duration;

/// What the kernel has counted of a thread since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadTime {
    /// On a CPU, in the kernel or not.
    pub on_cpu: Duration,
    /// Of that in the kernel: by which of both was found at each of its ticks, so that it
    /// says something of a hundred milliseconds and nothing of one.
    pub in_kernel: Duration,
    /// How often it went to sleep by itself, for a lock or a clock.
    pub sleeps: u64,
    /// Ready to run, and waiting for a CPU; `None` where the kernel does not count it
    /// (CONFIG_SCHED_INFO).
    pub waiting: Option<Duration>,
}

impl ThreadTime {
    /// Of the thread that asks.
    #[must_use]
    pub fn now() -> Self {
        // Asked first, since it brings what the kernel has counted up to date.
        let on_cpu = duration(clock_gettime(ClockId::ThreadCPUTime));
        let (in_kernel, sleeps) = usage();
        Self { on_cpu, in_kernel, sleeps, waiting: waiting() }
    }

    /// What was added since `earlier`, of the same thread.
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

fn duration(time: rustix::time::Timespec) -> Duration {
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Time in the kernel, and voluntary context switches.
fn usage() -> (Duration, u64) {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: there is room for the answer, whose fields may all be zero: they are where
    // the kernel should refuse, which it has no reason to.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = usage.ru_stime;
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    let in_kernel =
        Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(microseconds);
    (in_kernel, usage.ru_nvcsw.unsigned_abs())
}

/// The second number of `/proc/thread-self/schedstat`, in nanoseconds.
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
