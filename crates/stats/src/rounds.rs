//! The rounds of a line of a comparison.

use crate::geometric_mean;

/// The rounds of one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rounds {
    /// Which rounds of the comparison these are, in order: lines of one round share its processes.
    pub numbers: Vec<usize>,
    /// The baseline's and the candidate's cost in each of them, by length.
    pub by_length: Vec<Vec<[f64; 2]>>,
}

impl Rounds {
    /// The cost of both sides in each round: the geometric mean over lengths.
    #[must_use]
    pub fn costs(&self) -> Vec<[f64; 2]> {
        let count = self.by_length.iter().map(Vec::len).min().unwrap_or(0);
        let mean = |round: usize, side: usize| {
            let costs: Vec<f64> = self.by_length.iter().map(|rounds| rounds[round][side]).collect();
            // Costs that are not positive have no such mean, and no comparison.
            geometric_mean(&costs).unwrap_or(f64::NAN)
        };
        (0..count).map(|round| [mean(round, 0), mean(round, 1)]).collect()
    }
}
