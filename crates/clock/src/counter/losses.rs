//! Makes losses visible in counts.

use std::cell::Cell;

/// An interval of at least this many ticks is invalid: a read failed in it, or the kernel took the
/// counter away for a while.
///
/// No real interval is as long (it would last days), and none with a loss is shorter.
pub const IMPLAUSIBLE_INTERVAL: u64 = 1 << 50;

/// The state of an event at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) count: u64,
    /// Nanoseconds in which the event was enabled.
    pub(super) enabled: u64,
    /// Nanoseconds in which it actually counted.
    pub(super) running: u64,
}

/// Converts readings to counts in which losses are visible, since `Counter::read` has no other way
/// to report them.
///
/// A failed reading, or time in which the event did not count (on a hybrid CPU's other cores, or
/// displaced by a more privileged event), shifts all later counts so far that an interval with up
/// to a thousand such losses is longer than [`IMPLAUSIBLE_INTERVAL`].
pub(super) struct Losses {
    shifts: Cell<u64>,
    idle: Cell<u64>,
}

/// 2⁶⁴ ÷ the golden ratio, whose multiples stay farthest from zero.
const SHIFT: u64 = 0x9e37_79b9_7f4a_7c15;

impl Losses {
    pub(super) fn since(first: Reading) -> Self {
        Self { shifts: Cell::new(0), idle: Cell::new(first.idle()) }
    }

    #[inline]
    pub(super) fn count(&self, reading: Option<Reading>) -> u64 {
        let shifts = self.shifts.get();
        let Some(reading) = reading else {
            // One shift before the failed count and one after, so that neither interval beside it
            // is valid.
            self.shifts.set(shifts.wrapping_add(2));
            return shifts.wrapping_add(1).wrapping_mul(SHIFT);
        };
        let lost = self.idle.replace(reading.idle()) != reading.idle();
        let shifts = shifts.wrapping_add(u64::from(lost));
        self.shifts.set(shifts);
        shifts.wrapping_mul(SHIFT).wrapping_add(reading.count)
    }
}

impl Reading {
    pub(super) fn idle(&self) -> u64 {
        self.enabled.wrapping_sub(self.running)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_make_an_interval_implausible() {
        let at = |count, idle: u64| Some(Reading { count, enabled: 500 + idle, running: 500 });
        let losses = Losses::since(at(0, 7).unwrap());
        let first = losses.count(at(1000, 7));
        let second = losses.count(at(1600, 7));
        assert_eq!(second.wrapping_sub(first), 600);
        let after_loss = losses.count(at(1700, 8));
        let later = losses.count(at(1900, 8));
        assert_eq!(later.wrapping_sub(after_loss), 200);
        let failed = losses.count(None);
        let whole_again = losses.count(at(2000, 8));
        let counts = [first, after_loss, failed, whole_again];
        for (index, start) in counts.iter().enumerate() {
            for end in &counts[index + 1..] {
                assert!(end.wrapping_sub(*start) > IMPLAUSIBLE_INTERVAL);
            }
        }
    }

    #[test]
    fn a_thousand_losses_in_one_interval_show() {
        for losses in 1..=1000_u64 {
            let shift = losses.wrapping_mul(SHIFT);
            // This holds with any real ticks added, and if the count falls back to zero.
            assert!(shift >= 2 * IMPLAUSIBLE_INTERVAL, "{losses}");
            assert!(shift.checked_add(IMPLAUSIBLE_INTERVAL).is_some(), "{losses}");
        }
    }
}
