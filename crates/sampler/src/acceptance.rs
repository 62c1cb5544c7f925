//! Which samples are kept: those whose brackets saw the same clock.

use cpb_clock::counter::IMPLAUSIBLE_INTERVAL;
use cpb_figures::agree_within;

/// Rejections that an accepted sample offsets.
const REJECTIONS_PER_SAMPLE: u32 = 20;

/// Accepts samples or not. A machine that hardly ever holds still is measured
/// too, if less well: the more rejections, the more is tolerated.
#[derive(Debug)]
pub struct Acceptance {
    /// The counter's step, in ticks.
    step: f64,
    /// Rejections after which twice as much is tolerated.
    per_doubling: u32,
    /// Rejections not yet offset by accepted samples.
    not_offset: u32,
    in_a_row: u32,
}

impl Acceptance {
    pub fn new(step: u64, per_doubling: u32) -> Self {
        Self { step: step as f64, per_doubling, not_offset: 0, in_a_row: 0 }
    }

    /// Whether a sample of `ticks` between these brackets counts.
    pub fn accepts(&mut self, before: u64, ticks: u64, after: u64) -> bool {
        let is_plausible = before.max(ticks).max(after) < IMPLAUSIBLE_INTERVAL;
        let tolerated = 2_f64.powf((self.not_offset / self.per_doubling).into());
        let accepted = is_plausible && agree_within(tolerated, self.step, (before, after));
        (self.not_offset, self.in_a_row) = if accepted {
            (self.not_offset.saturating_sub(REJECTIONS_PER_SAMPLE), 0)
        } else {
            (self.not_offset.saturating_add(1), self.in_a_row.saturating_add(1))
        };
        accepted
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
