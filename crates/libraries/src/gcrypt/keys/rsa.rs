//! Keys of RSA as expressions: PKCS #1 (RFC 8017 appendix A.1) has them as numbers in DER.

use super::sexp::{list, positive};

/// What is made of a digest before it is signed, or of a secret before it is encrypted: by
/// SHA-256, PSS with 32 bytes of salt, OAEP without a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gcrypt) enum Padding {
    Pkcs1,
    Pss,
    Oaep,
}

/// `RSAPrivateKey`; `None` where it is none.
pub(super) fn secret_key(der: &[u8]) -> Option<Vec<u8>> {
    let [_version, n, e, d, p, q, _, _, coefficient] = numbers(der)?;
    // libgcrypt's u is the inverse of its p by its q, the coefficient that of q by p.
    let items = [("n", n), ("e", e), ("d", d), ("p", q), ("q", p), ("u", coefficient)];
    Some(key("private-key", &items))
}

/// `RSAPublicKey`; `None` where it is none.
pub(super) fn public_key(der: &[u8]) -> Option<Vec<u8>> {
    let [n, e] = numbers(der)?;
    Some(key("public-key", &[("n", n), ("e", e)]))
}

fn key(name: &str, numbers: &[(&str, &[u8])]) -> Vec<u8> {
    let numbers: Vec<Vec<u8>> = numbers.iter().map(|(name, it)| positive(name, it)).collect();
    list(name, &[&list("rsa", &[&numbers.concat()])])
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;

/// A sequence of exactly so many numbers.
fn numbers<const COUNT: usize>(der: &[u8]) -> Option<[&[u8]; COUNT]> {
    let (mut rest, []) = element(der, SEQUENCE)? else { return None };
    let mut numbers = [&[][..]; COUNT];
    for number in &mut numbers {
        (*number, rest) = element(rest, INTEGER)?;
    }
    rest.is_empty().then_some(numbers)
}

/// The content of the first element, which has this tag, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (length, content): (&[u8], &[u8]) = match der {
        [found, ..] if *found != tag => return None,
        [_, length @ 0..=0x7f, content @ ..] => (std::slice::from_ref(length), content),
        [_, 0x81, rest @ ..] => rest.split_at_checked(1)?,
        [_, 0x82, rest @ ..] => rest.split_at_checked(2)?,
        _ => return None,
    };
    let length = length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    content.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_catalogue_are_read_and_nothing_shorter_is() {
        let secret = include_bytes!("../../../../../vectors/keys/rsa-2048-1.der");
        let public = include_bytes!("../../../../../vectors/keys/rsa-2048-1.pub.der");
        assert!(secret_key(secret).is_some() && public_key(public).is_some());
        assert!(secret_key(public).is_none() && public_key(secret).is_none());
        for end in 0..public.len() {
            assert_eq!(public_key(&public[..end]), None);
        }
        assert_eq!(public_key(&[&public[..], &[0]].concat()), None);
    }

    #[test]
    fn numbers_stand_where_libgcrypt_reads_them() {
        let found = public_key(&[0x30, 7, 2, 2, 0, 0x81, 2, 1, 3]).unwrap();
        assert_eq!(found, b"(10:public-key(3:rsa(1:n3:\0\0\x81)(1:e2:\0\x03)))");
    }
}
