//! Which public-key primitives are looked for, by libcrypto's names.

use super::{Form, Keys, Manner, Recipe, c_text};
use crate::openssl::functions::{Digest, Functions};
use crate::openssl::{self, found::FoundDigest, wanted::Wanted};
use crate::runtime::{Entry, Owned, offer};
use cpb_model::{Length, Operation};
use cpb_provider::scheme;
use std::ptr;

/// A primitive and libcrypto's names: of what is offered, and of its type or curve.
struct Named(&'static str, &'static str, &'static str, Form, Manner);

use Form::{Curve, Group, Raw, Rsa};
use Manner::{Agreement, Hashed, Kem, Oaep, Pkcs1, Pss, Whole, WholeWithChance};

#[rustfmt::skip]
const NAMED: &[Named] = &[
    Named("x25519", "X25519", "X25519", Raw, Agreement),
    Named("x448", "X448", "X448", Raw, Agreement),
    Named("ecdh-p256", "ECDH-P-256", "prime256v1", Curve, Agreement),
    Named("ecdh-p384", "ECDH-P-384", "secp384r1", Curve, Agreement),
    Named("ecdh-p521", "ECDH-P-521", "secp521r1", Curve, Agreement),
    Named("ecdh-secp256k1", "ECDH-secp256k1", "secp256k1", Curve, Agreement),
    Named("ecdh-brainpoolp256r1", "ECDH-brainpoolP256r1", "brainpoolP256r1", Curve, Agreement),
    Named("ecdh-brainpoolp384r1", "ECDH-brainpoolP384r1", "brainpoolP384r1", Curve, Agreement),
    Named("ecdh-brainpoolp512r1", "ECDH-brainpoolP512r1", "brainpoolP512r1", Curve, Agreement),
    Named("ffdh-2048", "FFDHE-2048", "ffdhe2048", Group, Agreement),
    Named("ffdh-3072", "FFDHE-3072", "ffdhe3072", Group, Agreement),
    Named("ed25519", "ED25519", "ED25519", Raw, Whole),
    Named("ed448", "ED448", "ED448", Raw, Whole),
    Named("ecdsa-p256", "ECDSA-P-256", "prime256v1", Curve, Hashed("sha256")),
    Named("ecdsa-p384", "ECDSA-P-384", "secp384r1", Curve, Hashed("sha384")),
    Named("ecdsa-p521", "ECDSA-P-521", "secp521r1", Curve, Hashed("sha512")),
    Named("ecdsa-secp256k1", "ECDSA-secp256k1", "secp256k1", Curve, Hashed("sha256")),
    Named("ecdsa-brainpoolp256r1", "ECDSA-brainpoolP256r1", "brainpoolP256r1", Curve, Hashed("sha256")),
    Named("ecdsa-brainpoolp384r1", "ECDSA-brainpoolP384r1", "brainpoolP384r1", Curve, Hashed("sha384")),
    Named("ecdsa-brainpoolp512r1", "ECDSA-brainpoolP512r1", "brainpoolP512r1", Curve, Hashed("sha512")),
    Named("rsa-2048-pkcs1", "RSA-2048-PKCS1", "RSA", Rsa, Pkcs1),
    Named("rsa-3072-pkcs1", "RSA-3072-PKCS1", "RSA", Rsa, Pkcs1),
    Named("rsa-4096-pkcs1", "RSA-4096-PKCS1", "RSA", Rsa, Pkcs1),
    Named("rsa-2048-pss", "RSA-2048-PSS", "RSA", Rsa, Pss),
    Named("rsa-3072-pss", "RSA-3072-PSS", "RSA", Rsa, Pss),
    Named("rsa-4096-pss", "RSA-4096-PSS", "RSA", Rsa, Pss),
    Named("rsa-2048-oaep", "RSA-2048-OAEP", "RSA", Rsa, Oaep),
    Named("rsa-3072-oaep", "RSA-3072-OAEP", "RSA", Rsa, Oaep),
    Named("rsa-4096-oaep", "RSA-4096-OAEP", "RSA", Rsa, Oaep),
    Named("ml-kem-512", "ML-KEM-512", "ML-KEM-512", Raw, Kem),
    Named("ml-kem-768", "ML-KEM-768", "ML-KEM-768", Raw, Kem),
    Named("ml-kem-1024", "ML-KEM-1024", "ML-KEM-1024", Raw, Kem),
    Named("x25519mlkem768", "X25519MLKEM768", "X25519MLKEM768", Raw, Kem),
    Named("x448mlkem1024", "X448MLKEM1024", "X448MLKEM1024", Raw, Kem),
    Named("secp256r1mlkem768", "SecP256r1MLKEM768", "SecP256r1MLKEM768", Raw, Kem),
    Named("secp384r1mlkem1024", "SecP384r1MLKEM1024", "SecP384r1MLKEM1024", Raw, Kem),
    Named("ml-dsa-44", "ML-DSA-44", "ML-DSA-44", Raw, WholeWithChance),
    Named("ml-dsa-65", "ML-DSA-65", "ML-DSA-65", Raw, WholeWithChance),
    Named("ml-dsa-87", "ML-DSA-87", "ML-DSA-87", Raw, WholeWithChance),
    Named("slh-dsa-sha2-128s", "SLH-DSA-SHA2-128s", "SLH-DSA-SHA2-128s", Raw, WholeWithChance),
    Named("slh-dsa-sha2-128f", "SLH-DSA-SHA2-128f", "SLH-DSA-SHA2-128f", Raw, WholeWithChance),
    Named("slh-dsa-sha2-192s", "SLH-DSA-SHA2-192s", "SLH-DSA-SHA2-192s", Raw, WholeWithChance),
    Named("slh-dsa-sha2-192f", "SLH-DSA-SHA2-192f", "SLH-DSA-SHA2-192f", Raw, WholeWithChance),
    Named("slh-dsa-sha2-256s", "SLH-DSA-SHA2-256s", "SLH-DSA-SHA2-256s", Raw, WholeWithChance),
    Named("slh-dsa-sha2-256f", "SLH-DSA-SHA2-256f", "SLH-DSA-SHA2-256f", Raw, WholeWithChance),
    Named("slh-dsa-shake-128s", "SLH-DSA-SHAKE-128s", "SLH-DSA-SHAKE-128s", Raw, WholeWithChance),
    Named("slh-dsa-shake-128f", "SLH-DSA-SHAKE-128f", "SLH-DSA-SHAKE-128f", Raw, WholeWithChance),
    Named("slh-dsa-shake-192s", "SLH-DSA-SHAKE-192s", "SLH-DSA-SHAKE-192s", Raw, WholeWithChance),
    Named("slh-dsa-shake-192f", "SLH-DSA-SHAKE-192f", "SLH-DSA-SHAKE-192f", Raw, WholeWithChance),
    Named("slh-dsa-shake-256s", "SLH-DSA-SHAKE-256s", "SLH-DSA-SHAKE-256s", Raw, WholeWithChance),
    Named("slh-dsa-shake-256f", "SLH-DSA-SHAKE-256f", "SLH-DSA-SHAKE-256f", Raw, WholeWithChance),
];

/// Everything that works with key pairs and is there.
pub(in crate::openssl) fn entries(
    functions: &Functions,
    keys: &Keys,
    digests: &[FoundDigest],
    wanted: Wanted<'_>,
) -> Vec<Entry<openssl::Recipe>> {
    let digest = |primitive: &str| {
        let is_it = |found: &&FoundDigest| found.entry.offer.primitive == primitive;
        digests.iter().find(is_it).map(|found| found.digest)
    };
    let named = NAMED.iter().filter(|Named(primitive, ..)| wanted.is(primitive));
    let there = named.filter(|named| is_there(keys, named));
    let entries = there.flat_map(|named| named.entries(digest).unwrap_or_default()).collect();
    // What was looked for in vain left words of it.
    functions.core.clear_errors();
    entries
}

/// The hash that signatures with this primitive need, by its canonical name.
pub(in crate::openssl) fn digest(primitive: &str) -> Option<&'static str> {
    let named = NAMED.iter().find(|Named(name, ..)| *name == primitive);
    named.and_then(|Named(.., manner)| hash(*manner))
}

fn hash(manner: Manner) -> Option<&'static str> {
    match manner {
        Hashed(hash) => Some(hash),
        Pkcs1 | Pss => Some("sha256"),
        _ => None,
    }
}

fn is_there(keys: &Keys, Named(_, _, name, form, _): &Named) -> bool {
    match form {
        Rsa => true,
        // SAFETY: the name ends in a zero; what is returned is ours to free.
        Group => unsafe {
            let group = (keys.dh)((keys.object)(c_text(name).as_ptr()));
            Owned::new(group, keys.free_dh).is_some()
        },
        Raw => keys.context_by_name(&c_text(name)).is_ok(),
        Curve => {
            let name = c_text(name);
            // SAFETY: the name ends in a zero; what is returned is ours to free.
            let group = unsafe {
                let group = (keys.group)((keys.object)(name.as_ptr()));
                Owned::new(group, keys.free_group)
            };
            group.is_some()
        }
    }
}

impl Named {
    /// `None` where its digest is not there.
    fn entries(
        &self,
        digest: impl Fn(&str) -> Option<*const Digest>,
    ) -> Option<Vec<Entry<openssl::Recipe>>> {
        let Self(primitive, spelling, name, form, manner) = *self;
        let digest = hash(manner).map_or(Some(ptr::null()), digest)?;
        let catalogued = scheme::of(primitive)?;
        let entry = |operation: &Operation| {
            let mut lengths = catalogued.lengths(*operation);
            if !takes_seeds(primitive) {
                lengths.randomness = Length::NONE;
            }
            let mut offer = offer(primitive.to_owned(), *operation, spelling.to_owned(), lengths);
            offer.unavailable = SEALED.contains(&primitive).then(|| {
                "OpenSSL can neither write nor read its secret keys, so that no key outlives the \
                 process that made it"
                    .to_owned()
            });
            let recipe = Recipe { name, form, manner, operation: *operation, digest };
            Entry { offer, recipe: openssl::Recipe::Key(recipe) }
        };
        Some(operations(form, manner).iter().map(entry).collect())
    }
}

/// Of these the curve's half of a secret key is handed on as bytes where a number is wanted, and
/// the other way round (OpenSSL 3.5 to 4.0).
const SEALED: [&str; 2] = ["secp256r1mlkem768", "secp384r1mlkem1024"];

/// What draws its own randomness takes none.
fn takes_seeds(primitive: &str) -> bool {
    ["ml-kem-", "ml-dsa-", "slh-dsa-"].iter().any(|begin| primitive.starts_with(begin))
}

fn operations(form: Form, manner: Manner) -> &'static [Operation] {
    use Operation::{
        Agree, Decapsulate, Encapsulate, Keygen, PrivateDecrypt, PublicEncrypt, PublicKey, Sign,
        Verify,
    };
    match (manner, form) {
        (Agreement, _) => &[Keygen, PublicKey, Agree],
        (Kem, _) => &[Keygen, Encapsulate, Decapsulate],
        // What a key is for makes no difference to making one.
        (Oaep, _) => &[PublicEncrypt, PrivateDecrypt],
        (Pkcs1, _) => &[Keygen, Sign, Verify],
        (_, Rsa) => &[Sign, Verify],
        (WholeWithChance, _) => &[Keygen, Sign, Verify],
        _ => &[Keygen, PublicKey, Sign, Verify],
    }
}
