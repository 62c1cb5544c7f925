//! Decides which samples are kept: those whose brackets saw the same clock, and saw all of it.
//!
//! A stalled core makes a bracket longer, never shorter. Two brackets that were stalled equally
//! agree, and make the sample between them seem cheaper than it was: by 8 % on a virtual machine
//! whose hypervisor takes half a microsecond. So a bracket counts only if it is about as short as
//! the shortest around the last few samples.

use cpb_clock::counter::IMPLAUSIBLE_INTERVAL;
use cpb_figures::agree_within;

/// The number of rejections that an accepted sample offsets.
const REJECTIONS_PER_SAMPLE: u32 = 20;

/// The number of samples among whose brackets the shortest counts as not stalled. A clock that
/// slows down makes all brackets longer, and is accepted after this many samples.
const RECENT: usize = 4;

/// Accepts or rejects samples. A machine that is hardly ever undisturbed is measured too, but less
/// precisely: the more rejections, the larger the tolerance.
#[derive(Debug)]
pub struct Acceptance {
    /// The counter's step, in ticks.
    step: f64,
    /// The number of rejections after which the tolerance doubles.
    per_doubling: u32,
    /// The shorter bracket of each of the last samples, as a ring.
    recent: [u64; RECENT],
    next: usize,
    /// Rejections not yet offset by accepted samples.
    not_offset: u32,
    in_a_row: u32,
}

impl Acceptance {
    pub fn new(step: u64, per_doubling: u32) -> Self {
        let recent = [u64::MAX; RECENT];
        Self { step: step as f64, per_doubling, recent, next: 0, not_offset: 0, in_a_row: 0 }
    }

    /// Whether a sample of `ticks` between these brackets counts.
    pub fn accepts(&mut self, before: u64, ticks: u64, after: u64) -> bool {
        let is_plausible = before.max(ticks).max(after) < IMPLAUSIBLE_INTERVAL;
        self.recent[self.next] = before.min(after);
        self.next = (self.next + 1) % RECENT;
        let accepted = is_plausible && self.believes(before.max(after));
        (self.not_offset, self.in_a_row) = if accepted {
            (self.not_offset.saturating_sub(REJECTIONS_PER_SAMPLE), 0)
        } else {
            (self.not_offset.saturating_add(1), self.in_a_row.saturating_add(1))
        };
        accepted
    }

    /// Whether `bracket` is about as short as the shortest of the last ones.
    pub fn believes(&self, bracket: u64) -> bool {
        let tolerated = 2_f64.powf((self.not_offset / self.per_doubling).into());
        let shortest = self.recent.iter().copied().fold(bracket, u64::min);
        agree_within(tolerated, self.step, (shortest, bracket))
    }

    /// Returns the shortest bracket of the last samples, if there are any.
    pub fn shortest(&self) -> Option<u64> {
        self.recent.iter().copied().min().filter(|&bracket| bracket != u64::MAX)
    }

    /// Starts again on another CPU, whose clock may be slower.
    pub fn forget_clock(&mut self) {
        self.recent = [u64::MAX; RECENT];
    }

    /// Rejections since the last accepted sample.
    pub fn rejected_in_a_row(&self) -> u32 {
        self.in_a_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_agree_within_a_percent_or_a_few_steps() {
        let accepts = |before, after| Acceptance::new(26, 100).accepts(before, 9000, after);
        assert!(accepts(18_000, 18_150));
        assert!(!accepts(18_000, 18_250));
        assert!(accepts(1_000, 1_060));
        assert!(!accepts(1_000, 1_070));
        assert!(!Acceptance::new(26, 100).accepts(18_000, IMPLAUSIBLE_INTERVAL, 18_000));
    }

    #[test]
    fn brackets_that_were_stalled_alike_are_not_believed_but_a_slower_clock_is() {
        let mut acceptance = Acceptance::new(2, 100);
        let mut accepts = |before, after| acceptance.accepts(before, 26_000, after);
        assert!(accepts(15_900, 15_950));
        assert!(!accepts(17_250, 17_260), "both were stalled");
        assert!(accepts(15_940, 15_910));
        let until_believed = (1..).find(|_| accepts(17_250, 17_260)).unwrap();
        assert_eq!(until_believed, RECENT, "the clock became slower");
        assert!(accepts(15_900, 15_950), "and fast again");
        assert!(!acceptance.accepts(17_250, 26_000, 17_260));
        acceptance.forget_clock();
        assert!(acceptance.accepts(17_250, 26_000, 17_260), "another CPU");
    }

    #[test]
    fn where_few_samples_agree_more_is_tolerated_but_one_in_twenty_suffices() {
        let restless = |every: u32| {
            let mut acceptance = Acceptance::new(26, 100);
            let agrees = |turn: u32| turn.is_multiple_of(every);
            (1..=4000_u32)
                .map(|turn| if agrees(turn) { (18_000, 18_000) } else { (18_000, 18_500) })
                .filter(|&(before, after)| acceptance.accepts(before, 9000, after))
                .filter(|&(before, after)| before != after)
                .count()
        };
        assert_eq!(restless(20), 0);
        assert!(restless(50) > 100);
    }
}
