//! Proves public-key operations: another operation must accept an output, and reject it with a
//! flipped bit.

use crate::Library;
pub use crate::artefacts::ProofError;
use crate::artefacts::put_out;
use crate::inputs::Inputs;
use crate::scheme;
use crate::seeds::{self, RoleValues};
use cpb_model::{CallSpec, Contract, Offer, Operation, Parameters, Proof, Role};

/// The result of proving a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// Its outputs, case by case.
    pub output: Vec<u8>,
    /// The known values of the first case, which another library may be shown.
    pub case: RoleValues,
    /// Whether another operation of the same library accepted the output, or the reverse.
    pub is_accepted: bool,
}

/// Runs each of the first `cases` of a public-key `workload` once, and proves the outputs as far as
/// its own library can.
///
/// # Errors
/// [`ProofError`], if it does not run, or its output is wrong.
pub fn prove(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> Result<Proved, ProofError> {
    let mut known =
        vec![RoleValues::new(); cases.clamp(1, seeds::cases(&offer.primitive, offer.operation))];
    let made = put_out(library, offer, workload, &mut known)?;
    let output = made.iter().flat_map(RoleValues::values).flatten().copied().collect();
    let proof = offer.operation.row().proof;
    if proof == Proof::Accepts {
        compare(&known, &made)?;
        refuses_flipped_bits(library, offer, workload, &known[0], &made[0])?;
    }
    for public in made.iter().filter_map(|made| made.get(&Role::PublicKey)) {
        let fault = scheme::fault_of_public_key(&offer.primitive, offer.operation, public);
        fault.map_or(Ok(()), |fault| Err(ProofError::Wrong(fault)))?;
    }
    for (known, made) in known.iter_mut().zip(made) {
        known.extend(made);
        // Every operation has randomness of its own.
        known.remove(&Role::Randomness);
    }
    // Checked by another operation of the same implementation.
    let acceptor = accepting(offer.operation)
        .iter()
        .find_map(|operation| library.counterpart(offer, *operation));
    if let Some(acceptor) = acceptor {
        accept(library, acceptor, workload.parameters.message_bytes, &mut known)?;
    }
    let is_accepted = proof == Proof::Accepts || acceptor.is_some();
    Ok(Proved { output, case: known.swap_remove(0), is_accepted })
}

/// Checks that `acceptor` accepts cases from any source: its output must be the known one.
///
/// # Errors
/// [`ProofError::Prepare`], if it cannot tell, for example because of other lengths;
/// [`ProofError::Wrong`], if it rejects.
pub fn accepts(
    library: &(impl Library + ?Sized),
    acceptor: &Offer,
    message_bytes: usize,
    known: &[RoleValues],
) -> Result<(), ProofError> {
    accept(library, acceptor, message_bytes, &mut known.to_vec())
}

/// Works like [`accepts`]; adds missing values to `known`, such as the public key of a signature.
fn accept(
    library: &(impl Library + ?Sized),
    acceptor: &Offer,
    message_bytes: usize,
    known: &mut [RoleValues],
) -> Result<(), ProofError> {
    let parameters = Parameters::of_message(message_bytes);
    let workload = acceptor.call(Contract::Keyed, parameters);
    let made = put_out(library, acceptor, &workload, known)?;
    compare(known, &made)
}

/// Checks that the made values equal the known ones.
fn compare(known: &[RoleValues], made: &[RoleValues]) -> Result<(), ProofError> {
    for (known, made) in known.iter().zip(made) {
        let differs =
            made.iter().find(|(role, bytes)| known.get(role).is_some_and(|it| it != *bytes));
        if let Some((role, _)) = differs {
            let role = role.name();
            return Err(ProofError::Wrong(format!("its {role} is not the right one")));
        }
    }
    Ok(())
}

/// Checks that a flipped bit in a value from outside changes the output.
fn refuses_flipped_bits(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    known: &RoleValues,
    made: &RoleValues,
) -> Result<(), ProofError> {
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
                return Err(ProofError::Wrong(format!(
                    "a bit flipped in byte {place} of the {role} changes nothing"
                )));
            }
        }
    }
    Ok(())
}

/// Returns the output of `offer` for a single case whose values are all known.
///
/// # Errors
/// [`ProofError`], if it does not run, or the call fails.
pub fn single(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    known: RoleValues,
) -> Result<Vec<u8>, ProofError> {
    let inputs = Inputs::of_known(offer, workload, &[known])?;
    let mut call = library.ready(offer, workload.contract, inputs)?;
    call.run(1);
    call.output().map_err(ProofError::Wrong)
}

/// Returns the operations that can accept the output of `operation`, also in other libraries.
pub fn accepting(operation: Operation) -> &'static [Operation] {
    match operation.row().proof {
        Proof::AcceptedBy(operations) => operations,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Identity, PrepareError, PrepareResult, call};
    use cpb_model::{LengthRange, Lengths};

    /// A toy scheme with forgeable signatures of four bytes: the sum of message and key, whose
    /// public half is its complement.
    struct Toy {
        offers: Vec<Offer>,
        /// Bytes of a signature that are checked.
        looked_at: usize,
        /// An error added to every signature.
        wrong: u8,
    }

    const OPERATIONS: [Operation; 3] = [Operation::PublicKey, Operation::Sign, Operation::Verify];
    const BYTES: usize = 4;

    fn signature(message: &[u8], secret: impl Iterator<Item = u8>) -> Vec<u8> {
        let sum = message.iter().fold(0_u8, |sum, byte| sum.rotate_left(1) ^ byte);
        secret.map(|byte| byte.wrapping_add(sum)).collect()
    }

    fn toy(looked_at: usize, wrong: u8) -> Toy {
        Toy { offers: OPERATIONS.map(offer).to_vec(), looked_at, wrong }
    }

    fn offer(operation: Operation) -> Offer {
        let row = operation.row();
        let of = |role| {
            let has = row.takes.contains(&role) || row.gives.contains(&role);
            if has { LengthRange::fixed(BYTES) } else { LengthRange::NONE }
        };
        let lengths = Lengths {
            public_key: of(Role::PublicKey),
            secret_key: of(Role::SecretKey),
            signature: of(Role::Signature),
            ..Lengths::default()
        };
        Offer::new("toy", operation, lengths)
    }

    impl Library for Toy {
        fn identity(&self) -> Identity {
            Identity::default()
        }

        fn offers(&self) -> &[Offer] {
            &self.offers
        }

        fn ready(&self, offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
            let Self { looked_at, wrong, .. } = *self;
            Ok(match offer.operation {
                Operation::PublicKey => call(inputs, |case, output| {
                    let secret = case.bytes(Role::SecretKey);
                    output.iter_mut().zip(secret).for_each(|(to, byte)| *to = !byte);
                    Ok(())
                }),
                Operation::Sign => call(inputs, move |case, output| {
                    let secret = case.bytes(Role::SecretKey).iter().copied();
                    output.copy_from_slice(&signature(case.message.bytes(), secret));
                    output[0] = output[0].wrapping_add(wrong);
                    Ok(())
                }),
                Operation::Verify => call(inputs, move |case, _| {
                    let secret = case.bytes(Role::PublicKey).iter().map(|byte| !byte);
                    let right = signature(case.message.bytes(), secret);
                    let found = case.bytes(Role::Signature);
                    let is_right = right[..looked_at] == found[..looked_at];
                    is_right.then_some(()).ok_or_else(|| "no such signature".to_owned())
                }),
                _ => return Err(PrepareError::Unavailable("the toy has none".to_owned())),
            })
        }
    }

    fn proved(toy: &Toy, operation: Operation) -> Result<Proved, ProofError> {
        let offer = offer(operation);
        let message_bytes = if operation.takes_message() { 9 } else { 0 };
        let parameters = Parameters::of_message(message_bytes);
        prove(toy, &offer, &offer.call(Contract::Keyed, parameters), 3)
    }

    #[test]
    fn what_is_right_is_proved_with_keys_of_its_own_for_each_case() {
        let toy = toy(BYTES, 0);
        for operation in OPERATIONS {
            let Proved { output, case, is_accepted } = proved(&toy, operation).unwrap();
            assert_eq!(is_accepted, operation != Operation::PublicKey);
            let gives = operation.row().gives.len();
            assert_eq!(
                (output.len(), case.contains_key(&Role::SecretKey)),
                (3 * BYTES * gives, true)
            );
            assert!(gives == 0 || output[..BYTES] != output[BYTES..2 * BYTES]);
        }
    }

    #[test]
    fn a_verification_that_looks_away_is_found_out() {
        for looked_at in [0, 1, BYTES - 1] {
            let found = proved(&toy(looked_at, 0), Operation::Verify);
            let words = found.unwrap_err().to_string();
            assert!(words.contains("changes nothing"), "{looked_at}: {words}");
        }
    }

    #[test]
    fn a_signature_that_does_not_verify_is_wrong() {
        let toy = toy(BYTES, 1);
        let wrong = Err(ProofError::Wrong("no such signature".to_owned()));
        assert_eq!(proved(&toy, Operation::Sign), wrong);
        assert!(proved(&toy, Operation::Verify).is_err());
    }

    #[test]
    fn another_library_is_shown_a_case() {
        let [right, other] = [0, 1].map(|wrong| toy(BYTES, wrong));
        let case = proved(&right, Operation::Sign).unwrap().case;
        let verify = offer(Operation::Verify);
        assert_eq!(accepts(&other, &verify, 9, std::slice::from_ref(&case)), Ok(()));
        let mut forged = case.clone();
        forged.get_mut(&Role::Signature).unwrap()[2] ^= 4;
        assert!(matches!(accepts(&other, &verify, 9, &[forged]), Err(ProofError::Wrong(_))));
        let mut longer = case;
        longer.get_mut(&Role::PublicKey).unwrap().push(0);
        let other_lengths = accepts(&other, &verify, 9, &[longer]);
        assert!(matches!(other_lengths, Err(ProofError::Prepare(PrepareError::DoesNotFit(_)))));
    }
}
