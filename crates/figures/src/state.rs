//! Flags what a reader must know about a row besides its figures.

use cpb_model::{Certainty, Record, Verification};

cpb_model::named! {
    /// Names something that a reader of a row must know.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RowFlag {
        /// It has no figure.
        Failed = "failed",
        /// One of its figures is only an upper bound.
        Bound = "bound",
        /// Its core is not proven quiet: a neighbour that is always there and always alike cannot
        /// be excluded.
        QuietUnproven = "quiet not proven",
        /// Its cost is not linear, so its slope is that of the longest messages, and it has no
        /// intercept.
        NotLinear = "not linear",
        /// Its intervals are wider than requested.
        NotPrecise = "not precise",
        /// Nothing could confirm its output.
        Unverified = "unverified",
    }
}

impl RowFlag {
    /// Returns all flags of `record`; empty if there are none.
    #[must_use]
    pub fn of(record: &Record) -> Vec<RowFlag> {
        if record.failure.is_some() {
            return vec![RowFlag::Failed];
        }
        let verified = record.verification.as_ref();
        let is_verified = verified.is_some_and(|it| !matches!(it, Verification::Unverified { .. }));
        let not_precise = record.precise == Some(false) && !record.is_bound();
        let not_linear = record.line.as_ref().is_some_and(|line| line.misfit.is_some());
        let is_unproven = record.quiet == Some(Certainty::Unknown) && !record.is_bound();
        let all = [
            (record.is_bound(), RowFlag::Bound),
            (is_unproven, RowFlag::QuietUnproven),
            (not_linear, RowFlag::NotLinear),
            (not_precise, RowFlag::NotPrecise),
            (!is_verified, RowFlag::Unverified),
        ];
        all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, state)| state).collect()
    }

    /// Describes the flags of `record`; "ok" if there are none.
    #[must_use]
    pub fn describe(record: &Record) -> String {
        let states = Self::of(record);
        if states.is_empty() {
            return "ok".to_owned();
        }
        states.into_iter().map(RowFlag::name).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bounded, failed, record};

    #[test]
    fn a_row_says_all_that_is_to_be_known_of_it() {
        let verification = Some(Verification::KnownAnswer);
        let fine = Record { verification: verification.clone(), ..record("md5", "a", 5.0) };
        assert_eq!(RowFlag::describe(&fine), "ok");
        let wide = Record { precise: Some(false), verification: None, ..fine.clone() };
        assert_eq!(RowFlag::describe(&wide), "not precise; unverified");
        let bound = Record { precise: Some(false), verification, ..bounded("md5", "a", 5.0) };
        assert_eq!(RowFlag::of(&bound), [RowFlag::Bound]);
        let unproven =
            |record: &Record| Record { quiet: Some(Certainty::Unknown), ..record.clone() };
        assert_eq!(RowFlag::describe(&unproven(&fine)), "quiet not proven");
        assert_eq!(RowFlag::of(&unproven(&bound)), [RowFlag::Bound]);
        assert_eq!(RowFlag::describe(&failed("md5", "a", "SIGILL")), "failed");
    }
}
