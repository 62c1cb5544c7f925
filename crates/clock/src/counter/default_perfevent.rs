//! `default-perfevent`: reads this thread's core cycles in user space with `read(2)` of a perf
//! event.
//!
//! A read is a system call, but its cycles in the kernel are not counted. It needs no user access
//! to the counter.

use super::losses::{Losses, Reading};
use super::perf::{self, Event};
use super::{Counter, Unavailable, Unit, barrier::barrier};
use std::os::fd::OwnedFd;

struct PerfEvent {
    event: OwnedFd,
    losses: Losses,
}

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    let event = perf::open(Event::CORE_CYCLES)?;
    Ok(Box::new(PerfEvent::new(event)?))
}

impl PerfEvent {
    fn new(event: OwnedFd) -> Result<Self, Unavailable> {
        let first = read_event(&event).ok_or(Unavailable::NotCounting)?;
        Ok(Self { event, losses: Losses::since(first) })
    }
}

impl Counter for PerfEvent {
    fn name(&self) -> &'static str {
        "default-perfevent"
    }

    fn unit(&self) -> Unit {
        Unit::CoreCycles
    }

    fn read(&self) -> u64 {
        barrier();
        let reading = read_event(&self.event);
        barrier();
        self.losses.count(reading)
    }
}

/// Returns the event's count; `None` if the call fails, or returns no bytes, as it does once the
/// kernel could not keep a pinned event on its counter.
pub(super) fn read_event(event: &OwnedFd) -> Option<Reading> {
    let mut bytes = [0; size_of::<[u64; 3]>()];
    let length = rustix::io::read(event, &mut bytes).ok()?;
    if length != bytes.len() {
        return None;
    }
    let word = |index: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[8 * index..][..8]);
        u64::from_ne_bytes(word)
    };
    Some(Reading { count: word(0), enabled: word(1), running: word(2) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::IMPLAUSIBLE_INTERVAL;
    use rustix::time::{ClockId, Timespec, clock_gettime};
    use std::io::Write;
    use std::time::Duration;

    /// Creates a pipe in place of the event: each write becomes the result of one read.
    fn fake() -> (PerfEvent, std::io::PipeWriter) {
        let (reader, mut writer) = std::io::pipe().unwrap();
        write(&mut writer, [0, 50, 50]);
        (PerfEvent::new(reader.into()).unwrap(), writer)
    }

    fn write(writer: &mut std::io::PipeWriter, words: [u64; 3]) {
        writer.write_all(&words.map(u64::to_ne_bytes).concat()).unwrap();
    }

    #[test]
    fn reads_the_count() {
        let (counter, mut writer) = fake();
        write(&mut writer, [1234, 60, 60]);
        write(&mut writer, [2000, 70, 70]);
        assert_eq!(counter.read(), 1234);
        assert_eq!(counter.read(), 2000);
    }

    #[test]
    fn a_failed_read_spoils_every_interval_it_ends() {
        let (counter, mut writer) = fake();
        write(&mut writer, [1000, 60, 60]);
        let before = counter.read();
        writer.write_all(&[0; 8]).unwrap();
        let short = counter.read();
        write(&mut writer, [2000, 70, 70]);
        let between = counter.read();
        write(&mut writer, [2500, 80, 80]);
        let after = counter.read();
        drop(writer);
        let (ended, ended_again) = (counter.read(), counter.read());

        assert_eq!(after.wrapping_sub(between), 500, "whole again after the failure");
        let counts = [before, short, between, ended, ended_again];
        for (index, start) in counts.iter().enumerate() {
            for end in &counts[index + 1..] {
                assert!(end.wrapping_sub(*start) > IMPLAUSIBLE_INTERVAL);
            }
        }
    }

    #[test]
    fn an_event_in_error_is_refused_at_once() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        assert_eq!(PerfEvent::new(reader.into()).err(), Some(Unavailable::NotCounting));
    }

    /// A software event takes the whole way through the kernel even without a PMU; its count is
    /// nanoseconds.
    #[test]
    fn reads_a_real_event() {
        let event = match perf::open(Event::TASK_CLOCK) {
            Ok(event) => event,
            Err(unavailable) => return println!("SKIPPED: 1 test, no perf events: {unavailable}"),
        };
        let counter = PerfEvent::new(event).unwrap();
        for pause in [0, 1, 2].map(Duration::from_millis).repeat(20) {
            // Sleeping switches the thread out, which is no loss; waiting for a CPU is none either.
            let on_cpu = || clock_gettime(ClockId::ThreadCPUTime);
            let a_millisecond = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
            let (before, start) = (counter.read(), on_cpu());
            std::thread::sleep(pause);
            while on_cpu() - start < a_millisecond {
                std::hint::spin_loop();
            }
            let passed = counter.read().wrapping_sub(before);
            assert!((50_000..10_000_000_000).contains(&passed), "{passed} ns");
        }
    }
}
