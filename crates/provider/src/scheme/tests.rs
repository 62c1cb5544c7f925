//! Tests the consistency of the table.

use super::*;

#[test]
fn lengths_are_of_the_roles_of_the_operation() {
    let x25519 = of("x25519").unwrap();
    let agree = x25519.lengths(Operation::Agree);
    assert_eq!(
        (agree.public_key, agree.shared_secret),
        (LengthRange::fixed(32), LengthRange::fixed(32))
    );
    assert!(agree.signature.is_none() && agree.randomness.is_none());
    let keygen = of("ml-kem-768").unwrap().lengths(Operation::Keygen);
    assert_eq!(
        (keygen.secret_key, keygen.randomness),
        (LengthRange::fixed(2400), LengthRange::fixed(64))
    );
    let encapsulate = of("ml-kem-768").unwrap().lengths(Operation::Encapsulate);
    assert!(encapsulate.secret_key.is_none() && !encapsulate.ciphertext.is_none());
    assert_eq!(encapsulate.randomness, LengthRange::fixed(32));
    let p521 = of("ecdsa-p521").unwrap().lengths(Operation::Verify);
    assert_eq!(
        (p521.public_key, p521.signature),
        (LengthRange::fixed(133), LengthRange::fixed(132))
    );
}

#[test]
fn lists_of_keys_have_keys_of_their_size() {
    for (primitive, bytes) in
        [("rsa-2048-pss", 256), ("rsa-3072-pss", 384), ("rsa-4096-pkcs1", 512)]
    {
        let scheme = of(primitive).unwrap();
        let Secrets::Pairs(pairs) = scheme.secrets else { panic!("{primitive}") };
        assert!(pairs.len() >= 4);
        for (secret, public) in pairs {
            // Modulus, exponent 65537, and what DER puts around them.
            assert_eq!(public.len(), bytes + 14, "{primitive}");
            assert!(public.ends_with(&[2, 3, 1, 0, 1]) && secret.len() > 4 * bytes);
            let modulus = &public[9..9 + bytes];
            assert!(secret.windows(bytes).any(|window| window == modulus), "{primitive}");
        }
        assert!(scheme.lengths(Operation::Sign).secret_key.contains(pairs[0].0.len()));
    }
}

#[test]
fn randomness_decides_whether_there_is_one_output() {
    let offer = |primitive: &str, operation, draws: bool| {
        let mut lengths = of(primitive).unwrap().lengths(operation);
        if draws {
            lengths.randomness = LengthRange::NONE;
        }
        Offer::new(primitive, operation, lengths)
    };
    use Operation::{Agree, Encapsulate, Keygen, Sign, Verify};
    for (primitive, operation, draws, expected) in [
        ("x25519", Agree, false, true),
        ("x25519", Keygen, true, false),
        ("ml-kem-768", Keygen, false, true),
        ("ml-kem-768", Encapsulate, true, false),
        ("ed25519", Sign, false, true),
        ("ecdsa-p256", Sign, false, false),
        ("ecdsa-p256", Verify, false, true),
    ] {
        let found = has_one_output(&offer(primitive, operation, draws));
        assert_eq!(found, expected, "{primitive} {}", operation.name());
    }
}
