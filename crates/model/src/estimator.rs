//! How rounds become figures.

use serde::{Deserialize, Serialize};

/// How the rounds of a record became its figures. Figures that were made in different ways are
/// never compared: of the same rounds one lies below the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// The mean of the middle half of the rounds, with an interval of what they leave open; that
    /// of records from before there was another.
    #[default]
    MiddleRounds,
    /// The mean of the low rounds, each as if at all positions of its library, with an interval
    /// of what another run would find.
    LowRounds,
    /// The same, where a round is the mean around the mode of its samples; before, it was that of their
    /// middle half, or their median.
    ModalRounds,
    /// Of what many did at once: the mean of the middle half of the rounds, where a round is the
    /// mean over threads, and a thread the mean around the mode of its samples; before, it was
    /// `MiddleRounds`, of their middle half.
    ModalThreads,
}

impl Estimator {
    /// That of the figures that this program makes.
    pub const CURRENT: Self = Estimator::ModalRounds;

    /// The same of what many do at once.
    pub const OF_MANY: Self = Estimator::ModalThreads;

    const ALL: [Self; 4] = [
        Estimator::MiddleRounds,
        Estimator::LowRounds,
        Estimator::ModalRounds,
        Estimator::ModalThreads,
    ];

    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Estimator::MiddleRounds => "middle-rounds",
            Estimator::LowRounds => "low-rounds",
            Estimator::ModalRounds => "modal-rounds",
            Estimator::ModalThreads => "modal-threads",
        }
    }

    /// In words: what the figure is.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Estimator::MiddleRounds => "the mean of the middle half of the rounds",
            Estimator::LowRounds => "the mean of the low rounds",
            Estimator::ModalRounds => "the mean of the low rounds, each around its mode",
            Estimator::ModalThreads => {
                "the mean of the middle half of the rounds, each thread around its mode"
            }
        }
    }

    /// The estimator called that.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    pub(crate) fn is_earlier(&self) -> bool {
        *self == Estimator::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for estimator in Estimator::ALL {
            let json = serde_json::to_string(&estimator).unwrap();
            assert_eq!(json, format!("\"{}\"", estimator.name()));
            assert_eq!(Estimator::of_name(estimator.name()), Some(estimator));
        }
        assert_eq!(Estimator::of_name("median"), None);
    }
}
