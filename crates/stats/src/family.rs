//! Several ratios in one comparison: how they share the error that is allowed, and what they say.
//!
//! A comparison of nine lines at three lengths could call equal sides faster or slower in 37 places,
//! and each is looked at up to eight times. So a *difference* is a word only where the interval
//! excludes 1 at an error that all words and all looks share (Bonferroni's inequality: whatever
//! depends on whatever). *Intervals*, and *no difference* with them, hold each by itself at all of
//! its looks together: a reader looks at one line, and what is called equal by mistake differs by
//! hardly more than the precision.

use crate::looks::LOOKS;
use crate::{Comparison, Verdict};

/// What the ratios of a comparison have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Family {
    /// Costs that differ by less, relatively, are equal.
    pub precision: f64,
    /// What the intervals of one ratio, at all looks, and all words about differences are trusted
    /// with.
    pub confidence: f64,
    /// How many ratios may be called faster or slower.
    pub words: usize,
    /// How often each is looked at, at most.
    pub looks: usize,
}

/// A ratio and what may be said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The ratio and its interval.
    pub comparison: Comparison,
    /// What it says beside all others of its family.
    pub verdict: Verdict,
}

impl Family {
    /// Judges a ratio by what it is `at` a confidence. `None` where there is none at that of an
    /// interval.
    pub fn judge(&self, at: impl Fn(f64) -> Option<Comparison>) -> Option<Finding> {
        let comparison = at(self.of_an_interval())?;
        let verdict = match comparison.verdict(self.precision) {
            Verdict::Faster | Verdict::Slower if !self.is_sure(&at) => Verdict::CannotTell,
            verdict => verdict,
        };
        Some(Finding { comparison, verdict })
    }

    /// The fewest rounds after which a difference can be told.
    #[must_use]
    pub fn fewest_rounds(&self) -> usize {
        // n differences of the same sign reach a confidence of 1 - 2^(1 - n).
        let needed = 1.0 - (1.0 - self.of_a_difference()).log2();
        LOOKS[0].max(if needed.is_finite() { needed.ceil() as usize } else { LOOKS[0] })
    }

    fn is_sure(&self, at: impl Fn(f64) -> Option<Comparison>) -> bool {
        at(self.of_a_difference()).is_some_and(|it| !it.interval.contains(1.0))
    }

    fn of_an_interval(&self) -> f64 {
        1.0 - (1.0 - self.confidence) / self.looks as f64
    }

    fn of_a_difference(&self) -> f64 {
        1.0 - (1.0 - self.confidence) / (self.looks * self.words) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(words: usize) -> Family {
        Family { precision: 0.005, confidence: 0.95, words, looks: LOOKS.len() }
    }

    /// Sides of which the candidate costs 3 % more, but for a little.
    fn rounds(count: usize) -> Vec<[f64; 2]> {
        (0..count).map(|round| [100.0, 103.0 + 0.01 * (round % 5) as f64]).collect()
    }

    fn verdict(words: usize, count: usize) -> Option<Verdict> {
        let rounds = rounds(count);
        Some(family(words).judge(|confidence| Comparison::paired(&rounds, confidence))?.verdict)
    }

    #[test]
    fn a_difference_needs_more_rounds_the_more_words_there_are() {
        for (words, fewest) in [(1, 10), (3, 10), (4, 11), (37, 14), (273, 17), (10_000, 22)] {
            assert_eq!(family(words).fewest_rounds(), fewest, "{words}");
            assert_eq!(verdict(words, fewest), Some(Verdict::Slower), "{words}");
            let before = if fewest == LOOKS[0] { Verdict::Slower } else { Verdict::CannotTell };
            assert_eq!(verdict(words, fewest.max(LOOKS[0] + 1) - 1), Some(before), "{words}");
        }
    }

    #[test]
    fn equal_sides_are_equal_however_many_words_there_are() {
        let equal = [[100.0, 100.1]; LOOKS[0]];
        let finding = family(10_000).judge(|confidence| Comparison::paired(&equal, confidence));
        assert_eq!(finding.map(|it| it.verdict), Some(Verdict::NoDifference));
    }

    #[test]
    fn too_few_rounds_have_no_finding() {
        assert_eq!(verdict(1, 8), None);
    }
}
