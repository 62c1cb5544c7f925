//! Counts other events than cycles, if the kernel lets the core's counters be read: a few perf
//! events around a piece of work, each on a counter of its own.
//!
//! Like the cycles of [`super::perf`], they are of this thread in user space, so that the system
//! calls that read them hardly contribute; the rest is measured with an empty piece of work.

use super::Unavailable;
use super::default_perfevent::read_event;
use super::losses::Reading;
use super::perf::{self, Event};
use cpb_model::EventCounts;
use std::os::fd::OwnedFd;

/// `PERF_TYPE_HARDWARE`: `PERF_COUNT_HW_INSTRUCTIONS`, `PERF_COUNT_HW_BRANCH_MISSES`.
const INSTRUCTIONS: Event = Event { kind: 0, config: 1, config1: 0 };
const BRANCH_MISSES: Event = Event { kind: 0, config: 5, config1: 0 };
/// `PERF_TYPE_HW_CACHE`: `L1D`, `OP_READ` (bits 8 to 15), `RESULT_MISS` (16 to 23).
const L1_DATA_READ_MISSES: Event = Event { kind: 3, config: 1 << 16, config1: 0 };

/// The events counted for this thread.
pub struct Events {
    cycles: OwnedFd,
    instructions: OwnedFd,
    /// `None` if the core has no such event, or no free counter for it.
    branch_misses: Option<OwnedFd>,
    l1_misses: Option<OwnedFd>,
}

/// The values of the events at one moment; `None` for missing events.
type Readings = [Option<Reading>; 4];

impl Events {
    /// Opens the events; the kernel counts from now on.
    ///
    /// # Errors
    /// Why instructions or cycles cannot be counted.
    pub fn open() -> Result<Self, Unavailable> {
        let events = Self {
            cycles: perf::open(Event::CORE_CYCLES)?,
            instructions: perf::open(INSTRUCTIONS)?,
            branch_misses: perf::open(BRANCH_MISSES).ok(),
            l1_misses: perf::open(L1_DATA_READ_MISSES).ok(),
        };
        let is_counting = events.count(|| {}).is_some();
        is_counting.then_some(events).ok_or(Unavailable::NotCounting)
    }

    /// Counts the events of `work`; `None` if cycles or instructions were not counted all the time.
    pub fn count(&self, work: impl FnOnce()) -> Option<EventCounts> {
        let start = self.read();
        let before = self.read();
        work();
        let after = self.read();
        difference([start, before, after])
    }

    fn read(&self) -> Readings {
        let Self { cycles, instructions, branch_misses, l1_misses } = self;
        let optional = |event: &Option<OwnedFd>| event.as_ref().and_then(read_event);
        let [cycles, instructions] = [cycles, instructions].map(read_event);
        [cycles, instructions, optional(branch_misses), optional(l1_misses)]
    }
}

/// Returns the counts between the last two of three readings, minus those between the first two,
/// where nothing happens.
fn difference([start, before, after]: [Readings; 3]) -> Option<EventCounts> {
    let of = |event: usize| {
        let empty = passed(start[event]?, before[event]?)?;
        let all = passed(before[event]?, after[event]?)?;
        Some(all as f64 - empty as f64)
    };
    Some(EventCounts {
        cycles: of(0)?,
        instructions: of(1)?,
        branch_misses: of(2),
        l1_data_misses: of(3),
    })
}

/// Returns the count between two readings, if the event counted all the time.
fn passed(from: Reading, to: Reading) -> Option<u64> {
    let is_whole = to.idle() == from.idle() && to.running > from.running;
    to.count.checked_sub(from.count).filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(count: u64, enabled: u64, running: u64) -> Option<Reading> {
        Some(Reading { count, enabled, running })
    }

    #[test]
    fn what_reading_itself_takes_is_taken_off() {
        let start = [at(1000, 10, 10), at(500, 10, 10), at(7, 10, 10), None];
        let before = [at(1200, 20, 20), at(600, 20, 20), at(7, 20, 20), None];
        let after = [at(5400, 30, 30), at(6700, 30, 30), at(9, 30, 30), None];
        let counts = difference([start, before, after]).unwrap();
        assert_eq!((counts.cycles, counts.instructions), (4000.0, 6000.0));
        assert_eq!((counts.branch_misses, counts.l1_data_misses), (Some(2.0), None));
        assert!((counts.instructions_per_cycle() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn an_event_that_did_not_count_all_the_while_says_nothing() {
        let whole = |count, time| at(count, time, time);
        let others = |time| [whole(time, time), None, None];
        let with = |cycles, time| {
            let [instructions, branches, misses] = others(time);
            [cycles, instructions, branches, misses]
        };
        let (start, before) = (with(whole(1, 10), 10), with(whole(2, 20), 20));
        assert!(difference([start, before, with(whole(9, 30), 30)]).is_some());
        // The event was off its counter for a while, failed to read, or went backwards.
        for cycles in [at(9, 30, 25), at(9, 20, 20), None, whole(1, 30)] {
            assert_eq!(difference([start, before, with(cycles, 30)]), None, "{cycles:?}");
        }
    }

    #[test]
    fn a_machine_without_counters_says_why() {
        match Events::open() {
            Ok(events) => {
                let counts = events.count(|| {
                    for number in 0..10_000 {
                        std::hint::black_box(number);
                    }
                });
                assert!(counts.is_none_or(|counts| counts.instructions > 10_000.0));
            }
            Err(reason) => assert!(reason.to_string().contains(';'), "{reason}"),
        }
    }
}
