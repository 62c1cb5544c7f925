//! Defines how the cost of calls depends on the library's position in memory.

use serde::{Deserialize, Serialize};

/// The cost of a call at each position at which workers placed their library. The figure is the
/// mean over positions; their differences are not part of its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The positions with rounds, in rising order.
    pub positions: Vec<Position>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Its number: [`RawRound::position`](crate::RawRound::position).
    pub position: u8,
    pub rounds: u32,
    /// Cycles per call there: the centre of the low rounds.
    pub cycles_per_call: f64,
    /// Whether that certainly differs from the cost at the other positions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

impl Layout {
    /// Iterates over the positions that differ.
    pub fn differing(&self) -> impl Iterator<Item = &Position> {
        self.positions.iter().filter(|position| position.differs)
    }

    /// Returns the mean cost at the other positions, in cycles; `None` if all positions differ.
    pub fn elsewhere(&self) -> Option<f64> {
        let costs = || self.positions.iter().filter(|it| !it.differs).map(|it| it.cycles_per_call);
        let count = costs().count();
        (count != 0).then(|| costs().sum::<f64>() / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_differ_are_apart_from_the_others() {
        let position = |position, cycles_per_call, differs| Position {
            position,
            rounds: 2,
            cycles_per_call,
            differs,
        };
        let mut layout = Layout {
            positions: vec![
                position(0, 99.0, false),
                position(1, 101.0, false),
                position(7, 109.0, true),
            ],
        };
        assert_eq!(layout.differing().map(|it| it.position).collect::<Vec<_>>(), [7]);
        assert_eq!(layout.elsewhere(), Some(100.0));
        layout.positions.drain(..2);
        assert_eq!(layout.elsewhere(), None);
    }
}
