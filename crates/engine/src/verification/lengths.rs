//! Explains wrong answers by lengths that no other library has.

use super::answers::Evidence;
use super::{Checking, Subject};
use crate::implementation::Implementation;
use cpb_model::{Failure, FailureKind, LengthRange, Offer, Role};

/// Returns the `failure` of `subject`; for a wrong answer, adds the lengths in which all others
/// differ.
pub(super) fn explained(
    checking: &mut Checking<'_>,
    subject: &Subject<'_>,
    mut failure: Failure,
) -> Failure {
    if failure.kind != FailureKind::WrongAnswer || subject.is_self_test() {
        return failure;
    }
    // All libraries, as for agreement.
    checking.look_for(Evidence::Agreement);
    let label = subject.spec.label();
    let is_ours = |(of, offer): &(&str, &Offer)| {
        *of == label && Implementation::of_offer(offer) == subject.implementation
    };
    let Some((_, ours)) = checking.offers().find(is_ours) else { return failure };
    let is_other =
        |of: &str| checking.spec(of).is_some_and(|it| it.library() != subject.spec.library());
    let same = checking.offers().filter(|(of, offer)| offer.does_the_same_as(ours) && is_other(of));
    let others: Vec<&Offer> = same.map(|(_, offer)| offer).collect();
    for words in differences(ours, &others) {
        failure.reason.push_str("; ");
        failure.reason.push_str(&words);
    }
    failure
}

/// Describes the inputs for which no default length of `others` equals that of `ours`.
fn differences(ours: &Offer, others: &[&Offer]) -> Vec<String> {
    let row = ours.operation.row();
    let difference = |role: &Role| {
        let length = ours.lengths.of(*role)?;
        let usual = others.iter().filter_map(|other| other.lengths.of(*role));
        let mut usual: Vec<usize> = usual.map(LengthRange::default_length).collect();
        usual.sort_unstable();
        usual.dedup();
        let is_alone = !usual.is_empty() && !usual.iter().any(|usual| length.contains(*usual));
        let theirs = usual.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
        let (name, ours) = (role.name(), length.default_length());
        is_alone.then(|| {
            format!(
                "its {name} has {ours} bytes where other libraries' have {theirs}: is it another algorithm, which needs another name?"
            )
        })
    };
    row.takes.iter().chain(row.gives).filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Lengths, Operation};

    fn offer(nonce: LengthRange) -> Offer {
        let lengths = Lengths { key: LengthRange::fixed(32), nonce, ..Lengths::default() };
        Offer::new("chacha20", Operation::Encrypt, lengths)
    }

    #[test]
    fn only_lengths_that_nobody_else_has_are_told() {
        let (eight, twelve) = (offer(LengthRange::fixed(8)), offer(LengthRange::fixed(12)));
        let sixteen = offer(LengthRange::fixed(16));
        let told = differences(&eight, &[&twelve, &sixteen, &twelve]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("its nonce has 8 bytes where other libraries' have 12 or 16:"));
        assert!(differences(&eight, &[&twelve, &eight]).is_empty());
        assert!(differences(&offer(LengthRange::free(8)), &[&twelve]).is_empty());
        assert!(differences(&eight, &[]).is_empty());
    }
}
