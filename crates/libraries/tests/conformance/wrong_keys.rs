//! What is not right is refused and survived: keys of others, signatures of other schemes,
//! what was cut short, and points that are on no curve or of a small order.

use crate::keys::workload;
use crate::{Subject, none, subjects};
use cpb_libraries::acceptance;
use cpb_model::{Contract, Offer, Operation, Role};
use cpb_provider::inputs_of_cases;
use cpb_provider::seeds::Known;

/// Signatures made of hashes take too long for all that is tried here.
fn offers(subject: &Subject) -> Vec<Offer> {
    let is_meant =
        |offer: &Offer| offer.operation.is_public_key() && !offer.primitive.starts_with("slh-dsa-");
    subject.offers().filter(is_meant).collect()
}

/// The first two cases that an offer is measured with; `None` where it has none here.
fn two_cases(subject: &Subject, offer: &Offer) -> Option<[Known; 2]> {
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

/// What a call puts out that is given this, under either contract; the first that it is
/// not refused under.
fn put_out(subject: &Subject, offer: &Offer, known: &Known) -> Result<Vec<u8>, String> {
    let of = |contract| {
        let workload = workload(offer, contract);
        acceptance::single(&*subject.library, offer, &workload, known.clone())
            .map_err(|reason| reason.to_string())
    };
    of(Contract::Keyed).or_else(|_| of(Contract::Oneshot))
}

fn with(known: &Known, role: Role, bytes: Vec<u8>) -> Known {
    let mut known = known.clone();
    known.insert(role, bytes);
    known
}

#[test]
fn the_key_of_another_case_is_another() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        for offer in offers(&subject) {
            let role = match offer.operation {
                Operation::Verify => Role::PublicKey,
                Operation::Decapsulate | Operation::PrivateDecrypt | Operation::Agree => {
                    Role::SecretKey
                }
                _ => continue,
            };
            let Some([first, second]) = two_cases(&subject, &offer) else { continue };
            let right = put_out(&subject, &offer, &first);
            let wrong = put_out(&subject, &offer, &with(&first, role, second[&role].clone()));
            tried += 1;
            if right.is_err() || wrong.is_ok() && wrong == right {
                let what = subject.described(&offer);
                problems.push(format!("{what}: {right:02x?}, of another key {wrong:02x?}"));
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

#[test]
fn signatures_of_other_schemes_are_refused() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        let all = offers(&subject);
        let of = |operation| all.iter().filter(move |offer: &&Offer| offer.operation == operation);
        for signer in of(Operation::Sign) {
            let Some([theirs, _]) = two_cases(&subject, signer) else { continue };
            for verifier in of(Operation::Verify) {
                let length = signer.lengths.signature.usual();
                if signer.primitive == verifier.primitive
                    || !verifier.lengths.signature.takes(length)
                {
                    continue;
                }
                let Some([own, _]) = two_cases(&subject, verifier) else { continue };
                let theirs = with(&theirs, Role::Message, own[&Role::Message].clone());
                let Ok(signature) = put_out(&subject, signer, &theirs) else { continue };
                tried += 1;
                let forged = with(&own, Role::Signature, signature);
                if put_out(&subject, verifier, &forged).is_ok() {
                    let what = subject.described(verifier);
                    problems.push(format!("{what}: accepts one of {}", signer.primitive));
                }
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

#[test]
fn what_is_cut_short_is_refused() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        for offer in offers(&subject) {
            let Some([known, _]) = two_cases(&subject, &offer) else { continue };
            let own = [Role::Message, Role::Randomness];
            for (role, bytes) in known.iter().filter(|(role, _)| !own.contains(role)) {
                for length in [0, bytes.len() / 2, bytes.len() - 1] {
                    tried += 1;
                    let short = with(&known, *role, bytes[..length].to_vec());
                    if put_out(&subject, &offer, &short).is_ok() {
                        let (what, role) = (subject.described(&offer), role.name());
                        problems.push(format!("{what}: takes {length} bytes of its {role}"));
                    }
                }
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

/// Points of small order on the curve of X25519 (order 1, 2, 4 and 8, and one that is not
/// reduced), and of X448: with any key they agree on zeros, which RFC 7748 section 6 lets be
/// refused.
const SMALL_ORDER: [(&str, &str); 8] = [
    ("x25519", "0000000000000000000000000000000000000000000000000000000000000000"),
    ("x25519", "0100000000000000000000000000000000000000000000000000000000000000"),
    ("x25519", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ("x25519", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    ("x25519", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    (
        "x448",
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
         000000000000000000000000",
    ),
    (
        "x448",
        "0100000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
         000000000000000000000000",
    ),
    (
        "x448",
        "fefffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffffffffffffffffffffffffff\
         ffffffffffffffffffffffff",
    ),
];

#[test]
fn points_of_small_order_agree_on_nothing() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        for offer in offers(&subject).iter().filter(|it| it.operation == Operation::Agree) {
            let Some([known, _]) = two_cases(&subject, offer) else { continue };
            for (_, point) in SMALL_ORDER.iter().filter(|(name, _)| *name == offer.primitive) {
                tried += 1;
                let known = with(&known, Role::PublicKey, bytes(point));
                let found = put_out(&subject, offer, &known);
                if found.as_ref().is_ok_and(|secret| secret.iter().any(|byte| *byte != 0)) {
                    let what = subject.described(offer);
                    problems.push(format!("{what}: {point}: {found:02x?}"));
                }
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

/// A point that is on no curve, and bytes that are no point at all.
#[test]
fn what_is_no_point_is_refused() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        let is_on_curve = |offer: &&Offer| {
            ["ecdh-", "ecdsa-"].iter().any(|begin| offer.primitive.starts_with(begin))
                && matches!(offer.operation, Operation::Agree | Operation::Verify)
        };
        for offer in offers(&subject).iter().filter(is_on_curve) {
            let Some([known, _]) = two_cases(&subject, offer) else { continue };
            let point = &known[&Role::PublicKey];
            let mut off_curve = point.clone();
            *off_curve.last_mut().unwrap() ^= 1;
            let mut beyond_the_field = point.clone();
            beyond_the_field[1..].fill(0xff);
            // SEC 1 knows 2, 3 and 4, and X9.62 two more forms of 6 and 7.
            let mut other_form = point.clone();
            other_form[0] = 5;
            let zeros = [&[4], &vec![0; point.len() - 1][..]].concat();
            for wrong in [off_curve, beyond_the_field, other_form, zeros, vec![0; point.len()]] {
                tried += 1;
                let begin = format!("{:02x?}", &wrong[..2]);
                if put_out(&subject, offer, &with(&known, Role::PublicKey, wrong)).is_ok() {
                    problems.push(format!("{}: takes {begin}…", subject.described(offer)));
                }
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

/// Zero is no number that has a public key or agrees with one, no power of a group's base, and
/// no half of a signature;
/// of all else that is zero nobody may crash. OpenSSL and libgcrypt sign with it.
#[test]
fn zeros_are_survived() {
    let (mut problems, mut tried) = (Vec::new(), 0);
    for subject in subjects() {
        for offer in offers(&subject) {
            let Some([known, _]) = two_cases(&subject, &offer) else { continue };
            let own = [Role::Message, Role::Randomness];
            for (role, bytes) in known.iter().filter(|(role, _)| !own.contains(role)) {
                if aborts(&subject, &offer, *role) {
                    println!("skipped: {} aborts", subject.described(&offer));
                    continue;
                }
                tried += 1;
                let zeros = with(&known, *role, vec![0; bytes.len()]);
                let found = put_out(&subject, &offer, &zeros);
                let is_curve =
                    ["ecdh-", "ecdsa-"].iter().any(|begin| offer.primitive.starts_with(begin));
                let is_multiplied =
                    matches!(offer.operation, Operation::PublicKey | Operation::Agree);
                let is_power = offer.primitive.starts_with("ffdh-") && *role == Role::PublicKey;
                let must_fail = *role == Role::Signature
                    || is_power
                    || *role == Role::SecretKey && is_curve && is_multiplied;
                if must_fail && found.is_ok() {
                    let (what, role) = (subject.described(&offer), role.name());
                    problems.push(format!("{what}: a {role} of zeros: {found:02x?}"));
                }
            }
        }
    }
    println!("{tried} tried");
    none(&problems);
}

/// libgcrypt 1.10 ends its process where a coordinate is zero in a field of its own code, and
/// Crypto++ 8.7 where a point is multiplied by zero: a worker of cpb bears it, and the row
/// says so.
fn aborts(subject: &Subject, offer: &Offer, role: Role) -> bool {
    let is_curve = ["ecdh-", "ecdsa-"].iter().any(|begin| offer.primitive.starts_with(begin));
    match subject.name.as_str() {
        "gcrypt" => offer.primitive.starts_with("ed") && role == Role::PublicKey,
        "cryptopp" => is_curve && role == Role::SecretKey,
        _ => false,
    }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..hexadecimal.len()).step_by(2).map(digit).collect()
}
