//! Looking at a comparison several times, and stopping when it can tell.
//!
//! Who looks after every round and stops at the first difference finds one between equal sides far
//! more often than the confidence says: each look is another chance to err. So there are at most
//! [`LOOKS`], after numbers of rounds that are fixed beforehand, and each takes an equal part of the
//! error that is allowed in all (Bonferroni's inequality; Jennison and Turnbull, "Group Sequential
//! Methods", 1999, chapter 2, for what one could gain over it). The intervals of all looks hold
//! together with the confidence asked for, whichever of them is the last. When time is up the next
//! look is taken early; the clock does not know what the data say.
//!
//! How often equal sides were called `Faster` or `Slower` at any look, at 95 % and precision 0, in
//! percent (`tests/looks.rs`), and what looking after every round from the tenth to the sixtieth at
//! 95 % would do:
//!
//! | ratios of rounds | at the looks | after every round |
//! |---|---|---|
//! | normal | 4.0 | 28 |
//! | a tenth of the processes up to 20 % slower | 2.8 | 21 |
//! | processes of two kinds, 2 % apart | 2.5 | 18 |

use crate::{Comparison, Verdict};

/// After how many rounds a comparison is looked at.
pub const LOOKS: [usize; 8] = [10, 15, 22, 33, 50, 75, 112, 168];

/// The confidence of a single look at which all of them together reach `confidence`.
#[must_use]
pub fn confidence_of_a_look(confidence: f64) -> f64 {
    1.0 - (1.0 - confidence) / LOOKS.len() as f64
}

/// Whether further rounds are not needed: there is a verdict at `precision`, and a difference is
/// known to half the precision or a tenth of itself. Without the latter a difference would be
/// reported as soon as it happens to look large.
#[must_use]
pub fn is_settled(comparison: &Comparison, precision: f64) -> bool {
    match comparison.verdict(precision) {
        Verdict::CannotTell => false,
        Verdict::NoDifference => true,
        Verdict::Faster | Verdict::Slower => {
            comparison.half_width() <= (precision / 2.0).max(comparison.ratio.ln().abs() / 10.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;

    #[test]
    fn the_first_look_has_rounds_enough() {
        let confidence = confidence_of_a_look(0.95);
        assert!((confidence - 0.993_75).abs() < 1e-12);
        assert!(Comparison::paired(&[[1.0, 1.0]; LOOKS[0]], confidence).is_some());
        assert!(LOOKS.is_sorted());
    }

    #[test]
    fn a_difference_must_be_known_well() {
        let with = |low, ratio, high| {
            let interval = Interval { low, high, confidence: 0.99 };
            is_settled(&Comparison { ratio, interval }, 0.005)
        };
        assert!(with(0.997, 1.0, 1.003) && with(1.008, 1.01, 1.012) && with(1.06, 1.07, 1.072));
        assert!(!with(1.002, 1.01, 1.018) && !with(0.99, 1.0, 1.01) && !with(0.9, 0.95, 0.99));
    }
}
