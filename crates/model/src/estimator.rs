//! Defines how rounds become figures.

use serde::{Deserialize, Serialize};

crate::named! {
    /// Names how a record's rounds became its figures. Figures of different estimators are never
    /// compared, because they differ systematically for the same rounds.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Estimator {
        /// The mean of the middle half of the rounds, with an interval for what they leave open.
        /// The only estimator of older records.
        #[default]
        MiddleRounds = "middle-rounds",
        /// The mean of the low rounds, each adjusted for its library's position, with an interval
        /// for what another run would find.
        LowRounds = "low-rounds",
        /// Like `LowRounds`, but a round is the mean around the mode of its samples instead of the
        /// mean of their middle half, or their median.
        ModalRounds = "modal-rounds",
        /// Like `ModalRounds`, but of samples of one call each, a round is the mean of those that
        /// lie apart below the others, if there are some.
        ClusterRounds = "cluster-rounds",
        /// For concurrent calls: the mean of the middle half of the rounds, where a round is the
        /// mean over threads, and a thread the mean around the mode of its samples. It replaced
        /// `MiddleRounds`, which took the samples' middle half.
        ModalThreads = "modal-threads",
    }
}

impl Estimator {
    /// The estimator of the figures that this program makes.
    pub const CURRENT: Self = Estimator::ClusterRounds;

    /// The estimator for concurrent calls.
    pub const OF_MANY: Self = Estimator::ModalThreads;

    /// Describes what the figure is.
    pub fn describe(self) -> &'static str {
        match self {
            Estimator::MiddleRounds => "the mean of the middle half of the rounds",
            Estimator::LowRounds => "the mean of the low rounds",
            Estimator::ModalRounds => "the mean of the low rounds, each around its mode",
            Estimator::ClusterRounds => {
                "the mean of the low rounds, each around its mode or lowest cluster"
            }
            Estimator::ModalThreads => {
                "the mean of the middle half of the rounds, each thread around its mode"
            }
        }
    }

    /// Returns the estimator of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
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
