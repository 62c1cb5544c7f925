//! Judges operations with key pairs, whose outputs may differ from call to call, by showing one
//! library what another made.

use super::answers::wrong;
use super::{Checking, Group, Subject};
use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::workers::protocol::{Accept, AcceptanceReply, KeyProof};
use cpb_libraries::acceptance::accepting;
use cpb_libraries::seeds::RoleValues;
use cpb_model::{Failure, Offer, Operation, Proof, Role, Verification};
use std::collections::{BTreeMap, BTreeSet};

/// An upper limit of the keys of any scheme; a library that states more could exhaust memory.
const LARGEST_CASE: usize = 16 << 20;

/// The libraries that accepted a row's cases, or whose cases the row accepted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opinions {
    accepted: BTreeSet<String>,
    refused: BTreeSet<String>,
}

impl Opinions {
    fn add(&mut self, library: &str, opinion: &AcceptanceReply) {
        match opinion {
            AcceptanceReply::Accepts => drop(self.accepted.insert(library.to_owned())),
            AcceptanceReply::Refuses(_) => drop(self.refused.insert(library.to_owned())),
            AcceptanceReply::CannotSay => {}
        }
    }
}

/// Returns the largest size of a case without its message, according to the library with this label
/// for any operation with the same key pairs, up to the limit.
pub(super) fn case_bytes<'a>(
    offers: impl Iterator<Item = (&'a str, &'a Offer)>,
    label: &str,
    primitive: &str,
) -> usize {
    let mut longest: BTreeMap<Role, usize> = BTreeMap::new();
    let own = |(its, offer): &(&str, &Offer)| {
        *its == label && offer.primitive == primitive && offer.operation.is_public_key()
    };
    for (_, offer) in offers.filter(own) {
        for role in Role::ALL {
            let most = offer.lengths.of(role).map_or(0, |length| length.range().1);
            let longest = longest.entry(role).or_default();
            *longest = most.max(*longest);
        }
    }
    longest.values().sum::<usize>().min(LARGEST_CASE)
}

/// Returns the votes on what `subject` made, or on whether it accepts what others made; none if the
/// operation has a single output.
pub(super) fn opinions(
    checking: &mut Checking<'_>,
    group: &Group,
    subject: &Subject<'_>,
    subjects: &[Subject<'_>],
) -> Opinions {
    let mut opinions = Opinions::default();
    let is_other = |library: &str| library != subject.spec.library();
    if group.operation.row().proof == Proof::Accepts {
        let alike = |other: &&Subject<'_>| other.group == subject.group;
        for other in subjects.iter().filter(alike).filter(|other| is_other(other.spec.library())) {
            let Some(proof) = other.keys.first() else { continue };
            let asked = accept(&subject.implementation, &proof.case);
            opinions.add(other.spec.library(), &checking.accept(&subject.spec.label(), asked));
        }
        return opinions;
    }
    let Some(proof) = subject.keys.first() else { return opinions };
    let can_say = accepting(group.operation);
    let is_meant = |(_, offer): &(&str, &Offer)| {
        offer.primitive == group.primitive
            && can_say.contains(&offer.operation)
            && offer.unavailable.is_none()
    };
    let offers = checking.offers().filter(is_meant);
    let asked: Vec<(String, Implementation)> =
        offers.map(|(label, offer)| (label.to_owned(), Implementation::of_offer(offer))).collect();
    for (label, implementation) in asked {
        let Some(library) = checking.spec(&label).map(LibrarySpec::library) else { continue };
        if is_other(library) {
            let asked = accept(&implementation, &proof.case);
            opinions.add(library, &checking.accept(&label, asked));
        }
    }
    opinions
}

fn accept(implementation: &Implementation, case: &RoleValues) -> Accept {
    Accept {
        implementation: implementation.clone(),
        message_bytes: case.get(&Role::Message).map_or(0, Vec::len),
        case: case.clone(),
    }
}

/// Combines a row's `judged` outputs with the votes.
pub(super) fn verdict(
    operation: Operation,
    judged: Result<Verification, Failure>,
    proofs: &[KeyProof],
    opinions: &Opinions,
) -> Result<Verification, Failure> {
    let proof = operation.row().proof;
    let Opinions { accepted, refused } = opinions;
    let names =
        |libraries: &BTreeSet<String>| -> Vec<String> { libraries.iter().cloned().collect() };
    if !operation.is_public_key() || proof == Proof::SameOutput {
        return judged;
    }
    let comparable = proof != Proof::Accepts && proofs.iter().all(|it| it.has_one_output);
    if comparable && matches!(judged, Ok(Verification::Agreement { .. }) | Err(_)) {
        return judged;
    }
    let alone = names(refused).join(" and ");
    match (accepted.is_empty(), refused.len()) {
        (true, 2..) => Err(wrong(&match proof {
            Proof::Accepts => format!("it refuses what {alone} made"),
            _ => format!("{alone} refuse what it made"),
        })),
        (true, 1) => Ok(Verification::Unverified {
            reason: match proof {
                Proof::Accepts => format!("it refuses what {alone} made"),
                _ => format!("{alone} refuses what it made"),
            },
        }),
        (false, _) => Ok(Verification::Agreement { with: names(accepted) }),
        (true, 0) if proofs.iter().all(|proof| proof.is_accepted) => Ok(Verification::RoundTrip),
        (true, 0) => {
            Ok(Verification::Unverified { reason: "nothing here can verify it".to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::offer;
    use cpb_model::{LengthRange, Lengths};

    fn opinions(accepted: &[&str], refused: &[&str]) -> Opinions {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
        Opinions { accepted: names(accepted), refused: names(refused) }
    }

    fn proof(has_one_output: bool, is_accepted: bool) -> [KeyProof; 1] {
        [KeyProof { case: RoleValues::new(), has_one_output, is_accepted }]
    }

    fn differs() -> Result<Verification, Failure> {
        Err(wrong("others agree on another output"))
    }

    fn agrees() -> Result<Verification, Failure> {
        Ok(Verification::Agreement { with: vec!["b".to_owned()] })
    }

    #[test]
    fn who_has_many_outputs_is_judged_by_who_takes_them() {
        let of = |opinions: &Opinions| {
            verdict(Operation::Sign, differs(), &proof(false, true), opinions)
        };
        assert_eq!(of(&opinions(&[], &[])), Ok(Verification::RoundTrip));
        let with = vec!["b".to_owned(), "c".to_owned()];
        assert_eq!(of(&opinions(&["b", "c"], &[])), Ok(Verification::Agreement { with }));
        assert!(matches!(of(&opinions(&[], &["b"])), Ok(Verification::Unverified { .. })));
        assert!(of(&opinions(&[], &["b", "c"])).is_err());
        let alone = verdict(Operation::Sign, differs(), &proof(false, false), &opinions(&[], &[]));
        assert!(matches!(alone, Ok(Verification::Unverified { .. })));
    }

    #[test]
    fn who_has_one_output_is_judged_by_it() {
        let none = opinions(&[], &[]);
        assert!(verdict(Operation::Sign, differs(), &proof(true, true), &none).is_err());
        assert_eq!(verdict(Operation::Sign, agrees(), &proof(true, true), &none), agrees());
        assert_eq!(verdict(Operation::Agree, agrees(), &proof(true, false), &none), agrees());
    }

    #[test]
    fn a_case_is_as_long_as_its_library_says() {
        let (public_key, ciphertext) = (LengthRange::fixed(1_357_824), LengthRange::fixed(240));
        let keygen = Offer {
            operation: Operation::PublicKey,
            lengths: Lengths { public_key, ..Lengths::default() },
            ..offer()
        };
        let encapsulate = Offer {
            operation: Operation::Encapsulate,
            lengths: Lengths { public_key, ciphertext, ..Lengths::default() },
            ..offer()
        };
        // If it is treated as a hash, it takes a key of any length, which is not part of a case.
        let hash = Offer {
            lengths: Lengths { key: LengthRange::free(16), ..Lengths::default() },
            ..offer()
        };
        let of = |offers: &[Offer]| {
            let all = || offers.iter().map(|it| ("a", it));
            assert_eq!(case_bytes(all(), "b", &offer().primitive), 0);
            assert_eq!(case_bytes(all(), "a", "another"), 0);
            case_bytes(all(), "a", &offer().primitive)
        };
        assert_eq!(of(&[keygen.clone(), encapsulate, hash]), 1_357_824 + 240);
        let boasts = Lengths { secret_key: LengthRange::free(16), ..Lengths::default() };
        assert_eq!(of(&[Offer { lengths: boasts, ..keygen }]), LARGEST_CASE);
    }

    /// All verifications have an empty output, which proves nothing.
    #[test]
    fn nothing_is_no_output_to_agree_on() {
        let found = verdict(Operation::Verify, agrees(), &proof(true, true), &opinions(&[], &[]));
        assert_eq!(found, Ok(Verification::RoundTrip));
        let refuses = opinions(&[], &["b", "c"]);
        assert!(verdict(Operation::Verify, agrees(), &proof(true, true), &refuses).is_err());
    }
}
