//! Decides when a row is given up because of lost rounds.

use crate::failures::is_passing;
use cpb_model::Failure;

/// Counts rounds lost to disturbance. A row is given up once it has lost more rounds than it has
/// measured.
#[derive(Debug, Default)]
pub(crate) struct LostRounds {
    rounds: u32,
    last: Option<Failure>,
}

impl LostRounds {
    /// Counts a lost round. Returns the failure if the row is to be given up: the failure is not a
    /// passing disturbance, or more rounds are lost than `measured`.
    pub(crate) fn count(&mut self, failure: Failure, measured: u32) -> Option<Failure> {
        self.rounds += 1;
        if !is_passing(&failure) || self.rounds > measured + 1 {
            return Some(failure);
        }
        self.last = Some(failure);
        None
    }

    /// Returns the last failure, for a row that lost all its rounds.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::FailureKind;

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, reason: "x".to_owned() }
    }

    #[test]
    fn a_row_is_given_up_once_most_of_its_rounds_are_lost() {
        let mut losses = LostRounds::default();
        let disturbed = || failure(FailureKind::NotMeasured);
        assert_eq!(losses.count(disturbed(), 0), None);
        assert_eq!(losses.count(disturbed(), 4), None);
        assert_eq!(losses.count(disturbed(), 2), None);
        assert_eq!(losses.count(disturbed(), 2), Some(disturbed()));
        let crashed = failure(FailureKind::Crashed);
        assert_eq!(LostRounds::default().count(crashed.clone(), 9), Some(crashed));
    }

    #[test]
    fn a_row_without_rounds_tells_what_took_them() {
        let mut losses = LostRounds::default();
        losses.count(failure(FailureKind::NotMeasured), 0);
        assert_eq!(losses.failure(), Some(failure(FailureKind::NotMeasured)));
    }
}
