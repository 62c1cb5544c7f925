//! Shares the accepted error among several ratios of a comparison, and judges them.
//!
//! A comparison of nine lines at three lengths could falsely call equal sides faster or slower in
//! 37 places, and each is looked at up to eight times. So a *difference* is reported only if the
//! interval excludes 1 at an error shared by all verdicts and looks (Bonferroni's inequality, which
//! needs no independence). *Intervals*, and *no difference* with them, hold for each line alone
//! over all of its looks: a reader looks at one line, and sides wrongly called equal differ by
//! hardly more than the precision.
//!
//! A gate asks a different question ([`Question::CostsMore`]): *slower* then means that the
//! candidate certainly costs more than is tolerated, at an error shared by all verdicts and looks;
//! *within the tolerance* holds as *no difference* does.

use crate::looks::LOOKS;
use crate::{Comparison, Verdict};

/// The question about each ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the sides differ: of each line over all its lengths, and of all lines together.
    Difference,
    /// Whether the candidate costs more than the precision allows: of each length of each line.
    CostsMore,
}

/// What the ratios of a comparison have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Family {
    pub question: Question,
    /// The margin: costs that differ by less, relatively, are equal, or tolerated.
    pub precision: f64,
    /// The confidence of the intervals of one ratio over all looks, and of all verdicts about
    /// differences.
    pub confidence: f64,
    /// The number of ratios that may be called faster or slower.
    pub verdicts: usize,
    /// The most looks at each ratio.
    pub looks: usize,
}

/// A ratio with its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The ratio and its interval.
    pub comparison: Comparison,
    /// The verdict, at the confidence of its family.
    pub verdict: Verdict,
}

impl Family {
    /// Judges a ratio, given as a function of the confidence. `None` if there is none at the
    /// confidence of an interval.
    pub fn judge(&self, at: impl Fn(f64) -> Option<Comparison>) -> Option<Finding> {
        let comparison = at(self.of_an_interval())?;
        let verdict = match self.question {
            Question::Difference => match comparison.verdict(self.precision) {
                Verdict::Faster | Verdict::Slower if !self.is_sure(&at) => Verdict::CannotTell,
                verdict => verdict,
            },
            Question::CostsMore => self.costs_more(&comparison, &at),
        };
        Some(Finding { comparison, verdict })
    }

    fn costs_more(
        &self,
        comparison: &Comparison,
        at: &impl Fn(f64) -> Option<Comparison>,
    ) -> Verdict {
        let most = 1.0 + self.precision;
        let is_sure = |at: Comparison| at.interval.low > most;
        match comparison.interval {
            it if it.high < 1.0 / most => Verdict::Faster,
            it if it.high <= most => Verdict::NoDifference,
            _ if at(self.of_a_difference()).is_some_and(is_sure) => Verdict::Slower,
            _ => Verdict::CannotTell,
        }
    }

    /// Returns the fewest rounds after which a difference can be detected.
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
        1.0 - (1.0 - self.confidence) / (self.looks * self.verdicts) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(verdicts: usize) -> Family {
        Family {
            question: Question::Difference,
            precision: 0.005,
            confidence: 0.95,
            verdicts,
            looks: LOOKS.len(),
        }
    }

    /// Makes rounds in which the candidate costs about 3 % more.
    fn rounds(count: usize) -> Vec<[f64; 2]> {
        (0..count).map(|round| [100.0, 103.0 + 0.01 * (round % 5) as f64]).collect()
    }

    fn verdict(verdicts: usize, count: usize) -> Option<Verdict> {
        let rounds = rounds(count);
        Some(family(verdicts).judge(|confidence| Comparison::paired(&rounds, confidence))?.verdict)
    }

    #[test]
    fn a_difference_needs_more_rounds_the_more_words_there_are() {
        for (verdicts, fewest) in [(1, 10), (3, 10), (4, 11), (37, 14), (273, 17), (10_000, 22)] {
            assert_eq!(family(verdicts).fewest_rounds(), fewest, "{verdicts}");
            assert_eq!(verdict(verdicts, fewest), Some(Verdict::Slower), "{verdicts}");
            let before = if fewest == LOOKS[0] { Verdict::Slower } else { Verdict::CannotTell };
            assert_eq!(verdict(verdicts, fewest.max(LOOKS[0] + 1) - 1), Some(before), "{verdicts}");
        }
    }

    #[test]
    fn equal_sides_are_equal_however_many_words_there_are() {
        let equal = [[100.0, 100.1]; LOOKS[0]];
        let finding = family(10_000).judge(|confidence| Comparison::paired(&equal, confidence));
        assert_eq!(finding.map(|it| it.verdict), Some(Verdict::NoDifference));
    }

    #[test]
    fn a_gate_asks_whether_a_cost_is_surely_above_what_is_tolerated() {
        let gate = Family { question: Question::CostsMore, precision: 0.02, ..family(3) };
        let verdict = |factor: f64, spread: f64| {
            let costs = |round: usize| {
                let around = factor * (1.0 + spread * (round % 5) as f64 - 2.0 * spread);
                [100.0, 100.0 * around]
            };
            let rounds: Vec<[f64; 2]> = (0..15).map(costs).collect();
            gate.judge(|confidence| Comparison::paired(&rounds, confidence)).unwrap().verdict
        };
        assert_eq!(verdict(1.0, 0.001), Verdict::NoDifference);
        assert_eq!(verdict(1.015, 0.001), Verdict::NoDifference, "it is tolerated");
        assert_eq!(verdict(1.02, 0.001), Verdict::CannotTell);
        assert_eq!(verdict(1.03, 0.001), Verdict::Slower);
        assert_eq!(verdict(1.03, 0.02), Verdict::CannotTell);
        assert_eq!(verdict(0.9, 0.001), Verdict::Faster);
        assert_eq!(verdict(0.9, 0.02), Verdict::Faster, "by how much is not asked");
    }

    #[test]
    fn too_few_rounds_have_no_finding() {
        assert_eq!(verdict(1, 8), None);
    }
}
