//! Prepares calls: makes their inputs, and hands these to the library.

use crate::artefacts::artefact_of;
use crate::first_use::Given;
use crate::{Inputs, Library, PrepareError, PrepareResult, artefacts, attempts};
use cpb_model::{CallSpec, Offer};

/// Prepares `offer`, one of [`Library::offers`], for `workload`.
///
/// # Errors
/// [`PrepareError`], if the library lacks the offer, does not accept these lengths, or cannot run
/// it here.
pub fn prepare(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> PrepareResult {
    let contract = library.contract(offer, workload.contract)?;
    prepare_cases(library, offer, &CallSpec { contract, ..workload.clone() }, usize::MAX)
}

/// Works like [`prepare`], with only the first cases of an operation with key pairs, when it does
/// not matter how long a call takes.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_cases(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> PrepareResult {
    let inputs = inputs_of_cases(library, offer, workload, cases)?;
    let masks = attempts::masks(offer, &inputs);
    let call = library.ready(offer, workload.contract, inputs)?;
    Ok(if masks.is_empty() { call } else { attempts::counting(call, masks) })
}

/// Makes the inputs of a call, including outputs of other operations of the same library, for an
/// operation that inverts another or uses key pairs; of the latter, with only the first cases.
///
/// # Errors
/// As [`prepare`].
pub fn inputs_of_cases(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> Result<Inputs, PrepareError> {
    if let Some(reason) = &offer.unavailable {
        return Err(PrepareError::Unavailable(reason.clone()));
    }
    if offer.operation.is_public_key() {
        return artefacts::inputs(library, offer, workload, cases);
    }
    let artefact = artefact_of(library, offer, workload)?;
    Given { case: None, artefact }.inputs(offer, workload)
}
