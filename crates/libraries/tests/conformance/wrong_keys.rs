//! Tests that wrong inputs are rejected without a crash: keys of other cases, signatures of
//! other schemes, truncated inputs, and points that are on no curve or of small order.

use crate::keys::workload;
use crate::skipped::skipped;
use crate::{Subject, hexadecimal, none, subjects};
use cpb_libraries::acceptance;
use cpb_model::{Contract, Offer, Operation, Role};
use cpb_provider::inputs_of_cases;
use cpb_provider::seeds::RoleValues;
use std::collections::BTreeMap;

/// Hash-based signatures take too long for all these tests.
fn offers(subject: &Subject) -> Vec<Offer> {
    let is_meant =
        |offer: &Offer| offer.operation.is_public_key() && !offer.primitive.starts_with("slh-dsa-");
    subject.offers().filter(is_meant).collect()
}

/// Returns the first two measured cases of an offer; `None` if it has none here.
fn two_cases(subject: &Subject, offer: &Offer) -> Option<[RoleValues; 2]> {
    let workload = workload(offer, Contract::Keyed);
    let inputs = inputs_of_cases(&*subject.library, offer, &workload, 2).ok()?;
    let known = |case: &cpb_provider::Case| {
        let bytes = |role: &Role| match role {
            Role::Message => case.message.bytes().to_vec(),
            other => case.bytes(*other).to_vec(),
        };
        offer.operation.row().takes.iter().map(|role| (*role, bytes(role))).collect()
    };
    let [first, second, ..] = &inputs.cases[..] else { return None };
    Some([known(first), known(second)])
}

/// Returns the output of a call with these inputs, under the first contract that does not
/// reject them.
fn put_out(subject: &Subject, offer: &Offer, known: &RoleValues) -> Result<Vec<u8>, String> {
    let of = |contract| {
        let workload = workload(offer, contract);
        acceptance::single(&*subject.library, offer, &workload, known.clone())
            .map_err(|reason| reason.to_string())
    };
    of(Contract::Keyed).or_else(|_| of(Contract::Oneshot))
}

fn with(known: &RoleValues, role: Role, bytes: Vec<u8>) -> RoleValues {
    let mut known = known.clone();
    known.insert(role, bytes);
    known
}

/// Counts the tests and collects the problems.
#[derive(Default)]
struct Tries {
    tried: usize,
    problems: Vec<String>,
}

impl Tries {
    fn expect(&mut self, is_right: bool, otherwise: impl FnOnce() -> String) {
        self.tried += 1;
        if !is_right {
            self.problems.push(otherwise());
        }
    }

    fn end(self) {
        println!("{} tried", self.tried);
        none(&self.problems);
    }
}

/// Tries all selected offers, each with its first two cases, if it has them here.
fn try_all(
    is_meant: impl Fn(&Offer) -> bool,
    mut attempt: impl FnMut(&mut Tries, &Subject, &Offer, &[RoleValues; 2]),
) {
    let mut tries = Tries::default();
    for subject in subjects() {
        for offer in offers(&subject).iter().filter(|offer| is_meant(offer)) {
            if let Some(cases) = two_cases(&subject, offer) {
                attempt(&mut tries, &subject, offer, &cases);
            }
        }
    }
    tries.end();
}

/// Returns the key that the outcome depends on.
fn deciding_key(operation: Operation) -> Option<Role> {
    match operation {
        Operation::Verify => Some(Role::PublicKey),
        Operation::Decapsulate | Operation::PrivateDecrypt | Operation::Agree => {
            Some(Role::SecretKey)
        }
        _ => None,
    }
}

#[test]
fn the_key_of_another_case_is_another() {
    let has_one = |offer: &Offer| deciding_key(offer.operation).is_some();
    try_all(has_one, |tries, subject, offer, [first, second]| {
        let Some(role) = deciding_key(offer.operation) else { return };
        let right = put_out(subject, offer, first);
        let wrong = put_out(subject, offer, &with(first, role, second[&role].clone()));
        tries.expect(right.is_ok() && (wrong.is_err() || wrong != right), || {
            format!("{}: {right:02x?}, of another key {wrong:02x?}", subject.described(offer))
        });
    });
}

#[test]
fn signatures_of_other_schemes_are_refused() {
    let mut tries = Tries::default();
    for subject in subjects() {
        let all = offers(&subject);
        let of = |operation| all.iter().filter(move |offer: &&Offer| offer.operation == operation);
        for signer in of(Operation::Sign) {
            let Some([theirs, _]) = two_cases(&subject, signer) else { continue };
            for verifier in of(Operation::Verify) {
                let length = signer.lengths.signature.default_length();
                if signer.primitive == verifier.primitive
                    || !verifier.lengths.signature.contains(length)
                {
                    continue;
                }
                let Some([own, _]) = two_cases(&subject, verifier) else { continue };
                let theirs = with(&theirs, Role::Message, own[&Role::Message].clone());
                let Ok(signature) = put_out(&subject, signer, &theirs) else { continue };
                let forged = with(&own, Role::Signature, signature);
                tries.expect(put_out(&subject, verifier, &forged).is_err(), || {
                    format!("{}: accepts one of {}", subject.described(verifier), signer.primitive)
                });
            }
        }
    }
    tries.end();
}

/// Inputs that do not come from another operation.
const OWN: [Role; 2] = [Role::Message, Role::Randomness];

#[test]
fn what_is_cut_short_is_refused() {
    try_all(
        |_| true,
        |tries, subject, offer, [known, _]| {
            for (role, bytes) in known.iter().filter(|(role, _)| !OWN.contains(role)) {
                for length in [0, bytes.len() / 2, bytes.len() - 1] {
                    let short = with(known, *role, bytes[..length].to_vec());
                    tries.expect(put_out(subject, offer, &short).is_err(), || {
                        let (what, role) = (subject.described(offer), role.name());
                        format!("{what}: takes {length} bytes of its {role}")
                    });
                }
            }
        },
    );
}

/// Points of small order on the curve of X25519 (order 1, 2, 4 and 8, and one that is not
/// reduced), and of X448, without the zeros at their ends. With any key they agree on zeros, which
/// RFC 7748 section 6 allows to be rejected.
const SMALL_ORDER: [(&str, &str); 8] = [
    ("x25519", ""),
    ("x25519", "01"),
    ("x25519", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ("x25519", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b8"),
    ("x25519", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ("x448", ""),
    ("x448", "01"),
    ("x448", MINUS_ONE_OF_X448),
];
const MINUS_ONE_OF_X448: &str = "feffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                                 feffffffffffffffffffffffffffffffffffffffffffffffffffffff";

#[test]
fn points_of_small_order_agree_on_nothing() {
    let agrees = |offer: &Offer| offer.operation == Operation::Agree;
    try_all(agrees, |tries, subject, offer, [known, _]| {
        for (_, point) in SMALL_ORDER.iter().filter(|(name, _)| *name == offer.primitive) {
            let mut point = bytes(point);
            point.resize(known[&Role::PublicKey].len(), 0);
            let words = hexadecimal(&point);
            let known = with(known, Role::PublicKey, point);
            let found = put_out(subject, offer, &known);
            let is_nothing =
                found.as_ref().map_or(true, |secret| secret.iter().all(|byte| *byte == 0));
            tries.expect(is_nothing, || {
                format!("{}: {words}: {found:02x?}", subject.described(offer))
            });
        }
    });
}

fn is_on_named_curve(offer: &Offer) -> bool {
    ["ecdh-", "ecdsa-"].iter().any(|begin| offer.primitive.starts_with(begin))
}

/// Tries a point that is on no curve, and bytes that are no point at all.
#[test]
fn what_is_no_point_is_refused() {
    let is_meant = |offer: &Offer| {
        is_on_named_curve(offer) && matches!(offer.operation, Operation::Agree | Operation::Verify)
    };
    try_all(is_meant, |tries, subject, offer, [known, _]| {
        let point = &known[&Role::PublicKey];
        let mut off_curve = point.clone();
        *off_curve.last_mut().unwrap() ^= 1;
        let mut beyond_the_field = point.clone();
        beyond_the_field[1..].fill(0xff);
        // SEC 1 defines the forms 2, 3 and 4, and X9.62 also 6 and 7.
        let mut other_form = point.clone();
        other_form[0] = 5;
        let zeros = [&[4], &vec![0; point.len() - 1][..]].concat();
        for wrong in [off_curve, beyond_the_field, other_form, zeros, vec![0; point.len()]] {
            let begin = format!("{:02x?}", &wrong[..2]);
            let found = put_out(subject, offer, &with(known, Role::PublicKey, wrong));
            tries
                .expect(found.is_err(), || format!("{}: takes {begin}…", subject.described(offer)));
        }
    });
}

/// Zero has no public key and agrees with none, is no power of a group's generator, and is no
/// half of a signature. No library may crash on other values that are zero. OpenSSL and
/// libgcrypt sign with it.
#[test]
fn zeros_are_survived() {
    let mut aborting = BTreeMap::<String, usize>::new();
    try_all(
        |_| true,
        |tries, subject, offer, [known, _]| {
            for (role, bytes) in known.iter().filter(|(role, _)| !OWN.contains(role)) {
                if aborts(subject, offer, *role) {
                    *aborting.entry(subject.name.clone()).or_default() += 1;
                    continue;
                }
                let zeros = with(known, *role, vec![0; bytes.len()]);
                let found = put_out(subject, offer, &zeros);
                let is_multiplied =
                    matches!(offer.operation, Operation::PublicKey | Operation::Agree);
                let must_fail = match role {
                    Role::Signature => true,
                    Role::SecretKey => is_on_named_curve(offer) && is_multiplied,
                    Role::PublicKey => offer.primitive.starts_with("ffdh-"),
                    _ => false,
                };
                tries.expect(!must_fail || found.is_err(), || {
                    let (what, role) = (subject.described(offer), role.name());
                    format!("{what}: a {role} of zeros: {found:02x?}")
                });
            }
        },
    );
    for (library, calls) in aborting {
        skipped(format_args!("keys of zeros for {calls} calls of {library}: it aborts"));
    }
}

/// Whether the library ends its process: libgcrypt 1.10 does so if a coordinate is zero in a
/// field with optimized code, and Crypto++ 8.7 if a point is multiplied by zero. In cpb only a
/// worker ends, and the row reports it.
fn aborts(subject: &Subject, offer: &Offer, role: Role) -> bool {
    match subject.name.as_str() {
        "gcrypt" => offer.primitive.starts_with("ed") && role == Role::PublicKey,
        "cryptopp" => is_on_named_curve(offer) && role == Role::SecretKey,
        _ => false,
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..hexadecimal.len()).step_by(2).map(digit).collect()
}
