//! Why a call has no samples, or none that can be believed.

use cpb_libraries::NoMemory;
use cpb_stats::median_of;

/// Cycles that a call takes at least: no CPU takes more than two branches in a cycle,
/// and a call that loads, stores or returns anything takes more.
const FEWEST_CYCLES: f64 = 0.5;

/// Why there are no samples.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoSamples {
    /// The clock moved all the time.
    #[error("too few samples had brackets that agree; the machine is too disturbed")]
    Disturbed,
    /// By their cycles, the calls were not made.
    #[error(
        "{calls} calls took {cycles:.1} cycles in all, and no call takes less than half a \
         cycle: the library did not make them"
    )]
    NoCallsMade {
        /// How many were asked for.
        calls: u64,
        /// What all of them took.
        cycles: f64,
    },
    /// By the time that passed, they were not made either.
    #[error(
        "{calls} calls took {nanoseconds} ns in all, which no CPU does: the library did not \
         make them"
    )]
    NoTimeSpent {
        /// How many were asked for.
        calls: u64,
        /// What all of them took.
        nanoseconds: u128,
    },
    /// There is none to empty the caches with.
    #[error("caches cannot be emptied: {0}")]
    NoMemory(#[from] NoMemory),
}

/// Whether `cycles`, of one call in each sample, can be a call's.
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
