//! Makes inputs from the outputs of other operations: public keys, signatures, ciphertexts. The same
//! library makes them, outside any timing.

use crate::inputs::Inputs;
use crate::seeds::{self, RoleValues};
use crate::{Library, PrepareError, Sizes};
use cpb_model::{CallSpec, Contract, Offer, Operation, Parameters, Role};

/// The reason why an output is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// It does not run.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// It ran, and failed or was wrong.
    #[error("{0}")]
    Wrong(String),
}

/// Makes the inputs of a public-key `workload` with at most this many cases, including everything
/// that other operations make.
pub(crate) fn inputs(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> Result<Inputs, PrepareError> {
    // Rejects lengths that do not fit before making anything.
    Sizes::of(offer, workload)?;
    let mut known =
        vec![RoleValues::new(); cases.clamp(1, seeds::cases(&offer.primitive, offer.operation))];
    complete(library, offer, workload, &mut known)?;
    Inputs::of_known(offer, workload, &known)
}

/// Returns all known values of the first case of a public-key `workload`.
pub(crate) fn first_case(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> Result<RoleValues, PrepareError> {
    let mut known = [RoleValues::new()];
    complete(library, offer, workload, &mut known)?;
    let [case] = known;
    Ok(case)
}

/// Returns the output of `offer` for each case, by role, and adds missing inputs to `known`.
///
/// # Errors
/// [`ProofError`], if something cannot be made, or a call fails.
pub fn put_out(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    known: &mut [RoleValues],
) -> Result<Vec<RoleValues>, ProofError> {
    complete(library, offer, workload, known)?;
    let inputs = Inputs::of_known(offer, workload, known)?;
    let (outputs, shorter_by) = (inputs.outputs.clone(), inputs.shorter_by);
    let mut call = library.ready(offer, workload.contract, inputs)?;
    let one = |_: &RoleValues| {
        call.run(1);
        by_role(&call.output()?, &outputs, shorter_by)
    };
    known.iter().map(one).collect::<Result<_, _>>().map_err(ProofError::Wrong)
}

/// Returns the output of the operation that `offer` inverts; `None` if it inverts none.
pub(crate) fn artefact_of(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> Result<Option<Vec<u8>>, PrepareError> {
    // Calls as in bench-slopes are given arbitrary bytes.
    let inverse = offer.operation.inverse().filter(|_| workload.contract != Contract::Compat);
    let Some(inverse) = inverse else { return Ok(None) };
    let result_bytes = Sizes::of(offer, workload)?.result;
    artefact(library, offer, inverse, workload, result_bytes).map(Some)
}

/// Splits an output by role; the last part may be up to `shorter_by` bytes shorter.
pub(crate) fn by_role(
    output: &[u8],
    outputs: &[(Role, usize)],
    shorter_by: usize,
) -> Result<RoleValues, String> {
    let mut rest = output;
    let mut put_out = RoleValues::new();
    for (role, bytes) in outputs {
        let is_shorter = rest.len() < *bytes && rest.len() + shorter_by >= *bytes;
        let bytes = if is_shorter { rest.len() } else { *bytes };
        let (this, behind) = rest.split_at_checked(bytes).ok_or_else(|| {
            format!("{} bytes were put out, too few for the {}", output.len(), role.name())
        })?;
        put_out.insert(*role, this.to_vec());
        rest = behind;
    }
    Ok(put_out)
}

/// Adds to each case the inputs of `offer` that are still missing.
fn complete(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    known: &mut [RoleValues],
) -> Result<(), PrepareError> {
    for (case, known) in known.iter_mut().enumerate() {
        seeds::fill(offer, workload.parameters.message_bytes, case, known);
    }
    // In the order of roles, so that key pairs precede what is made with them.
    let mut lacking: Vec<Role> = offer.operation.row().takes.to_vec();
    lacking.retain(|role| makers(*role).next().is_some() && !has(known, *role));
    lacking.sort_unstable();
    // Users of a secret key need no other public key than the peer's.
    let lacks_peer = lacking.contains(&Role::PublicKey)
        && offer.operation.row().takes.contains(&Role::SecretKey);
    for role in lacking {
        if !has(known, role) {
            make(library, offer, workload, known, role)?;
        }
    }
    if lacks_peer {
        take_turns(known);
    }
    Ok(())
}

fn has(known: &[RoleValues], role: Role) -> bool {
    known.iter().all(|known| known.contains_key(&role))
}

/// Returns the operations that make it. Key generation comes last, since it replaces an existing
/// secret key.
fn makers(role: Role) -> impl Iterator<Item = Operation> {
    let makes = move |operation: &Operation| {
        operation.is_public_key() && operation.row().gives.contains(&role)
    };
    Operation::ALL.into_iter().rev().filter(makes)
}

/// Gives each case the public key of the next case.
fn take_turns(known: &mut [RoleValues]) {
    let mut keys: Vec<Option<Vec<u8>>> =
        known.iter_mut().map(|known| known.remove(&Role::PublicKey)).collect();
    keys.rotate_left(1);
    for (known, key) in known.iter_mut().zip(keys) {
        known.extend(key.map(|key| (Role::PublicKey, key)));
    }
}

/// Adds `role` to each case, with everything made together with it.
fn make(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    known: &mut [RoleValues],
    role: Role,
) -> Result<(), PrepareError> {
    let maker = makers(role).find_map(|operation| library.counterpart(offer, operation));
    let Some(maker) = maker else {
        // A primitive without key generation accepts any bytes.
        if role == Role::SecretKey {
            for (case, known) in known.iter_mut().enumerate() {
                let length = offer.lengths.secret_key.default_length();
                let key = seeds::secret_key(&offer.primitive, length, case);
                known.insert(role, key);
            }
            return Ok(());
        }
        let (name, operation) = (&offer.spelling, offer.operation.name());
        let role = role.name();
        return Err(PrepareError::Unavailable(format!(
            "{name} makes no {role}, and so has nothing to {operation}"
        )));
    };
    let message_bytes = workload.parameters.message_bytes;
    let workload = CallSpec {
        operation: maker.operation,
        contract: Contract::Keyed,
        parameters: Parameters::of_message(message_bytes),
        ..workload.clone()
    };
    let mut given = known.to_vec();
    // Every operation has randomness of its own.
    given.iter_mut().for_each(|given| drop(given.remove(&Role::Randomness)));
    let made = put_out(library, maker, &workload, &mut given).map_err(|reason| match reason {
        ProofError::Prepare(reason) => reason,
        ProofError::Wrong(reason) => PrepareError::Unavailable(reason),
    })?;
    for ((known, given), made) in known.iter_mut().zip(given).zip(made) {
        // The maker's inputs belong to what it made.
        known.extend(given.into_iter().filter(|(role, _)| *role != Role::Randomness));
        known.extend(made);
    }
    Ok(())
}

/// Returns the output of `inverse`, of the same library, for a message of `message_bytes`.
fn artefact(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    inverse: Operation,
    workload: &CallSpec,
    message_bytes: usize,
) -> Result<Vec<u8>, PrepareError> {
    let maker = library.counterpart(offer, inverse).ok_or_else(|| {
        let (inverse, operation) = (inverse.name(), offer.operation.name());
        PrepareError::Unavailable(format!(
            "{} has no {inverse}, and so nothing to {operation}",
            offer.spelling
        ))
    })?;
    let workload = CallSpec {
        operation: inverse,
        contract: Contract::Keyed,
        parameters: Parameters { message_bytes, output_bytes: None, ..workload.parameters },
        ..workload.clone()
    };
    let mut call = library.ready(maker, Contract::Keyed, Inputs::new(maker, &workload)?)?;
    call.run(1);
    call.output().map_err(PrepareError::Unavailable)
}
