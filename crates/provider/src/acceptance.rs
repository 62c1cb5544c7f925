//! Proof of public-key operations: what one puts out another accepts, and nothing in which
//! a bit was flipped is accepted.

use crate::Library;
pub use crate::artefacts::Unproved;
use crate::artefacts::put_out;
use crate::inputs::Inputs;
use crate::seeds::{self, Known};
use cpb_model::{Contract, Offer, Operation, Parameters, Proof, Role, Workload};

/// A workload that was proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// All that it put out, case by case.
    pub output: Vec<u8>,
    /// What is known of the first case, which another library may be shown.
    pub case: Known,
    /// Whether another operation of the same library accepted it, or it accepted such.
    pub is_accepted: bool,
}

/// Runs each of the first `cases` of a public-key `workload` once, and proves what it puts
/// out as far as its own library can.
///
/// # Errors
/// [`Unproved`], where it does not run, or what it puts out is wrong.
pub fn prove(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &Workload,
    cases: usize,
) -> Result<Proved, Unproved> {
    let mut known = vec![Known::new(); cases.clamp(1, seeds::cases(&offer.primitive))];
    let made = put_out(library, offer, workload, &mut known)?;
    let output = made.iter().flat_map(Known::values).flatten().copied().collect();
    let proof = offer.operation.row().proof;
    if proof == Proof::Accepts {
        compare(&known, &made)?;
        refuses_flipped_bits(library, offer, workload, &known[0], &made[0])?;
    }
    for (known, made) in known.iter_mut().zip(made) {
        known.extend(made);
        known.remove(&Role::Randomness);
    }
    let offers = library.offers();
    let acceptor = acceptor(&offers, offer);
    if let Some(acceptor) = acceptor {
        accepts(library, acceptor, workload.parameters.message_bytes, &known)?;
    }
    let is_accepted = proof == Proof::Accepts || acceptor.is_some();
    Ok(Proved { output, case: known.swap_remove(0), is_accepted })
}

/// The first of `offers` that can accept what `offer` puts out: by another operation of
/// the same implementation.
fn acceptor<'a>(offers: &'a [Offer], offer: &Offer) -> Option<&'a Offer> {
    let Proof::AcceptedBy(operations) = offer.operation.row().proof else { return None };
    operations.iter().find_map(|operation| {
        offers.iter().find(|other| {
            (&other.primitive, &other.spelling, &other.backend, other.operation)
                == (&offer.primitive, &offer.spelling, &offer.backend, *operation)
        })
    })
}

/// Whether `acceptor` accepts cases that were made by whomever: it puts out what is known.
///
/// # Errors
/// [`Unproved::Prepare`], where it cannot say, as with other lengths; [`Unproved::Wrong`],
/// where it refuses.
pub fn accepts(
    library: &(impl Library + ?Sized),
    acceptor: &Offer,
    message_bytes: usize,
    known: &[Known],
) -> Result<(), Unproved> {
    let workload = Workload {
        primitive: acceptor.primitive.clone(),
        operation: acceptor.operation,
        contract: Contract::Keyed,
        parameters: Parameters { message_bytes, ..Parameters::default() },
    };
    let mut known = known.to_vec();
    let made = put_out(library, acceptor, &workload, &mut known)?;
    compare(&known, &made)
}

/// Whether what was made is what is known.
fn compare(known: &[Known], made: &[Known]) -> Result<(), Unproved> {
    for (known, made) in known.iter().zip(made) {
        let differs =
            made.iter().find(|(role, bytes)| known.get(role).is_some_and(|it| it != *bytes));
        if let Some((role, _)) = differs {
            let role = role.name();
            return Err(Unproved::Wrong(format!("its {role} is not the right one")));
        }
    }
    Ok(())
}

/// Whether a bit flipped in what was made by others changes what is put out.
fn refuses_flipped_bits(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &Workload,
    known: &Known,
    made: &Known,
) -> Result<(), Unproved> {
    let right: Vec<u8> = made.values().flatten().copied().collect();
    let own = [Role::SecretKey, Role::Randomness];
    for role in offer.operation.row().takes.iter().filter(|role| !own.contains(role)) {
        let bytes = known.get(role).map_or(0, Vec::len);
        for place in [0, bytes / 2, bytes.saturating_sub(1)].into_iter().filter(|it| *it < bytes) {
            let mut flipped = known.clone();
            if let Some(byte) = flipped.get_mut(role).and_then(|it| it.get_mut(place)) {
                *byte ^= 1;
            }
            if single(library, offer, workload, flipped).is_ok_and(|found| found == right) {
                let role = role.name();
                return Err(Unproved::Wrong(format!(
                    "a bit flipped in byte {place} of the {role} changes nothing"
                )));
            }
        }
    }
    Ok(())
}

/// What `offer` puts out for a single case of which all is known.
///
/// # Errors
/// [`Unproved`], where it does not run, or the call fails.
pub fn single(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &Workload,
    known: Known,
) -> Result<Vec<u8>, Unproved> {
    let inputs = Inputs::of_known(offer, workload, &[known])?;
    let mut call = library.ready(offer, workload.contract, inputs)?;
    call.run(1);
    call.output().map_err(Unproved::Wrong)
}

/// What stands for the operations that accept what `operation` puts out: those of other
/// libraries, too.
#[must_use]
pub fn accepting(operation: Operation) -> &'static [Operation] {
    match operation.row().proof {
        Proof::AcceptedBy(operations) => operations,
        _ => &[],
    }
}
