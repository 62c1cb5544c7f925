//! Derives those inputs of public-key operations that are not outputs of another operation. They
//! are the same for every library and every run.
//!
//! Each is the beginning of SHAKE256 of `cpb public-key inputs 1`, the primitive's name, the kind
//! (`secret-key`, `message`, `shared-secret`, or the operation whose randomness it is) and the
//! index of the case from 0 as four bytes, big-endian, with a zero after each of the first three.

use crate::scheme::{self, Secrets};
use cpb_kernels::sha3::Shake256;
use cpb_model::{Lengths, Offer, Operation, Role};
use std::collections::BTreeMap;

/// The prefix of all hashing.
const DOMAIN: &str = "cpb public-key inputs 1";

/// The known values of a case, by role.
pub type RoleValues = BTreeMap<Role, Vec<u8>>;

/// Cases for a primitive outside the catalogue: few, since generating a key pair may be as slow as
/// in Classic McEliece.
const UNKNOWN_CASES: usize = 8;

/// Returns the number of cases of `operation` of `primitive`. Slow operations have one, since their
/// inputs do not vary.
pub fn cases(primitive: &str, operation: Operation) -> usize {
    if scheme::is_slow(primitive, operation) {
        return 1;
    }
    scheme::of(primitive).map_or(UNKNOWN_CASES, |scheme| scheme.cases)
}

/// Adds to a case of `offer` what the seeds provide and it lacks: message, randomness, a secret to
/// encrypt, and, if neither key is known, keys from the catalogue.
pub(crate) fn fill(offer: &Offer, message_bytes: usize, case: usize, known: &mut RoleValues) {
    let primitive = offer.primitive.as_str();
    let mut give = |role, what: &str, length| {
        known.entry(role).or_insert_with(|| bytes(primitive, what, case, length));
    };
    if offer.operation.takes_message() {
        give(Role::Message, "message", message_bytes);
    }
    let Lengths { randomness, shared_secret, .. } = offer.lengths;
    if !randomness.is_none() {
        give(Role::Randomness, offer.operation.name(), randomness.default_length());
    }
    if offer.operation.row().takes.contains(&Role::SharedSecret) {
        give(Role::SharedSecret, "shared-secret", shared_secret.default_length());
    }
    if known.contains_key(&Role::PublicKey) || known.contains_key(&Role::SecretKey) {
        return;
    }
    let Some(scheme) = scheme::of(primitive) else { return };
    match scheme.secrets {
        Secrets::Generated => {}
        Secrets::Bytes(length) => {
            known.insert(Role::SecretKey, secret_key(primitive, length, case));
        }
        Secrets::Below(order) => {
            let number = below(&from_hexadecimal(order), primitive, case);
            let mut key = vec![0; scheme.secret_key_bytes().saturating_sub(number.len())];
            key.extend(number);
            known.insert(Role::SecretKey, key);
        }
        Secrets::Pairs(pairs) => {
            let (secret, public) = pairs[case % pairs.len()];
            known.insert(Role::SecretKey, secret.to_vec());
            known.insert(Role::PublicKey, public.to_vec());
        }
    }
}

/// Returns the secret key of a primitive that accepts any bytes.
pub(crate) fn secret_key(primitive: &str, length: usize, case: usize) -> Vec<u8> {
    bytes(primitive, SECRET_KEY, case, length)
}

const SECRET_KEY: &str = "secret-key";

fn bytes(primitive: &str, what: &str, case: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Shake256::xof(&input(primitive, what, case), &mut bytes);
    bytes
}

fn input(primitive: &str, what: &str, case: usize) -> Vec<u8> {
    let mut input = [DOMAIN, primitive, what, ""].join("\0").into_bytes();
    // There are never too many cases for this type.
    input.extend((case as u32).to_be_bytes());
    input
}

/// Returns a number from 1 to below `order`, big-endian: the first valid one among pieces of
/// SHAKE256's output, each as long as `order`, with the excess bits cleared.
fn below(order: &[u8], primitive: &str, case: usize) -> Vec<u8> {
    let mut hash = Shake256::new();
    hash.update(&input(primitive, SECRET_KEY, case));
    let mut output = hash.finalize_xof();
    let mut number = vec![0; order.len()];
    loop {
        output.read(&mut number);
        number[0] &= u8::MAX >> order[0].leading_zeros();
        if number.iter().any(|byte| *byte != 0) && *number < *order {
            return number;
        }
    }
}

/// Parses a number of the catalogue, which consists of pairs of digits.
fn from_hexadecimal(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Operation;

    fn offer(primitive: &str, operation: Operation) -> Offer {
        Offer::new(primitive, operation, scheme::of(primitive).unwrap().lengths(operation))
    }

    fn known(offer: &Offer, message_bytes: usize) -> Vec<RoleValues> {
        let one = |case| {
            let mut known = RoleValues::new();
            fill(offer, message_bytes, case, &mut known);
            known
        };
        (0..cases(&offer.primitive, offer.operation)).map(one).collect()
    }

    #[test]
    fn every_case_has_a_secret_key_of_its_own_in_range() {
        for primitive in ["x25519", "ecdh-p256", "ecdsa-p521", "ecdsa-brainpoolp256r1"] {
            let offer = offer(primitive, Operation::PublicKey);
            let known = known(&offer, 0);
            assert_eq!(known.len(), scheme::CASES);
            let mut secrets: Vec<&Vec<u8>> = known.iter().map(|it| &it[&Role::SecretKey]).collect();
            let length = offer.lengths.secret_key.default_length();
            assert!(secrets.iter().all(|secret| secret.len() == length), "{primitive}");
            secrets.sort_unstable();
            secrets.dedup();
            assert_eq!(secrets.len(), scheme::CASES, "{primitive}");
        }
        let order = from_hexadecimal("0105");
        for case in 0..200 {
            let number = below(&order, "x", case);
            assert!(number < order && number > vec![0, 0], "{number:?}");
        }
    }

    /// Checks values that other libraries and later versions must reproduce; computed with Python's
    /// `hashlib`.
    #[test]
    fn seeds_never_change() {
        let known = known(&offer("x25519", Operation::Agree), 0);
        let secret = &known[1][&Role::SecretKey];
        assert_eq!(secret[..8], from_hexadecimal("83741dc1e4500a89"), "{secret:02x?}");
    }

    #[test]
    fn messages_and_randomness_are_of_the_operation() {
        let sign = &known(&offer("ed25519", Operation::Sign), 10)[3];
        assert_eq!((sign[&Role::Message].len(), sign.contains_key(&Role::Randomness)), (10, false));
        let verify = &known(&offer("ed25519", Operation::Verify), 10)[3];
        assert_eq!(sign[&Role::Message], verify[&Role::Message]);
        let keygen = &known(&offer("ml-kem-768", Operation::Keygen), 0)[0];
        assert_eq!(keygen.keys().collect::<Vec<_>>(), [&Role::Randomness]);
        let encapsulate = &known(&offer("ml-kem-768", Operation::Encapsulate), 0)[0];
        assert_ne!(keygen[&Role::Randomness][..32], encapsulate[&Role::Randomness]);
    }
}
