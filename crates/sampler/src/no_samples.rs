//! Defines the reasons why a call has no samples, or only implausible ones.

use cpb_libraries::NoMemory;
use cpb_stats::median_of;

/// The minimum number of cycles of a call: no CPU takes more than two branches per
/// cycle, and a call that loads, stores or returns anything takes more.
const FEWEST_CYCLES: f64 = 0.5;

/// Says why there are no samples.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoSamples {
    /// The clock changed all the time.
    #[error("too few samples had brackets that agree; the machine is too disturbed")]
    Disturbed,
    /// The cycles are so few that the calls cannot have been made.
    #[error(
        "{calls} calls took {cycles:.1} cycles in all, and no call takes less than half a \
         cycle: the library did not make them"
    )]
    NoCallsMade {
        /// The number of calls requested.
        calls: u64,
        /// The cycles of all of them.
        cycles: f64,
    },
    /// The time is so short that the calls cannot have been made.
    #[error(
        "{calls} calls took {nanoseconds} ns in all, which no CPU does: the library did not \
         make them"
    )]
    NoTimeSpent {
        /// The number of calls requested.
        calls: u64,
        /// The time of all of them.
        nanoseconds: u128,
    },
    /// There is no memory with which to empty the caches.
    #[error("caches cannot be emptied: {0}")]
    NoMemory(#[from] NoMemory),
}

/// Checks whether `cycles`, the cycles per call of each sample, are plausible.
pub fn check_cycles(cycles: &[f64], calls: u64) -> Result<(), NoSamples> {
    match median_of(cycles) {
        Some(cycles) if cycles < FEWEST_CYCLES => {
            Err(NoSamples::NoCallsMade { calls, cycles: cycles * calls as f64 })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_no_call_can_have_are_none() {
        for cycles in [1.6e-23 * 16_384.0, 0.0, -3.0, 0.4] {
            let found = check_cycles(&[cycles; 5], 1000);
            assert!(matches!(found, Err(NoSamples::NoCallsMade { .. })), "{cycles}");
        }
        // A single disturbed sample does not decide.
        assert_eq!(check_cycles(&[0.0, 2.0, 2.0], 1), Ok(()));
    }
}
