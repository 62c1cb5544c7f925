//! What calls cost by where their library lies in memory.

use serde::{Deserialize, Serialize};

/// What a call costs at each of the positions that workers placed their library at. The figure is
/// the mean over them, and what they differ by is in no interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Those that have rounds, lowest first.
    pub positions: Vec<Position>,
}

/// One position.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Which: [`RawRound::position`](crate::RawRound::position).
    pub position: u8,
    /// Rounds there.
    pub rounds: u32,
    /// What a call costs there, in cycles: the centre of the low rounds.
    pub cycles_per_call: f64,
    /// Whether that is surely another cost than at the other positions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

impl Layout {
    /// The positions that differ.
    pub fn differing(&self) -> impl Iterator<Item = &Position> {
        self.positions.iter().filter(|position| position.differs)
    }

    /// What a call costs at the others, in cycles: their mean. `None` where there is no other.
    #[must_use]
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
