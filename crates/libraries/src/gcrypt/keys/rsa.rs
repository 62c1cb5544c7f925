//! Keys of RSA as expressions: PKCS #1 (RFC 8017 appendix A.1) has them as numbers in DER.

use super::sexp::{list, named, positive};

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

/// A request for a key pair, with further items.
pub(super) fn request(modulus_bits: usize, further: &[u8]) -> Vec<u8> {
    let bits = named("nbits", modulus_bits.to_string().as_bytes());
    list("rsa", &[&bits, &named("rsa-use-e", b"65537"), further])
}

/// `RSAPublicKey`, of numbers without zeros in front.
pub(super) fn public_der(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    sequence(&[modulus, exponent])
}

/// `RSAPrivateKey` of libgcrypt's numbers, and of what its d leaves divided by one less than
/// q and than p.
pub(super) fn secret_der([n, e, d, p, q, u]: [&[u8]; 6], [by_q, by_p]: [&[u8]; 2]) -> Vec<u8> {
    sequence(&[&[0], n, e, d, q, p, by_q, by_p, u])
}

fn sequence(numbers: &[&[u8]]) -> Vec<u8> {
    let integer = |number: &&[u8]| {
        let is_negative = number.first().is_none_or(|byte| byte & 0x80 != 0);
        let sign: &[u8] = if is_negative { &[0] } else { &[] };
        with_head(INTEGER, &[sign, number].concat())
    };
    with_head(SEQUENCE, &numbers.iter().map(integer).collect::<Vec<_>>().concat())
}

fn with_head(tag: u8, content: &[u8]) -> Vec<u8> {
    // No key has 64 KiB.
    let [high, low] = (content.len() as u16).to_be_bytes();
    let head: &[u8] = match (high, low) {
        (0, ..0x80) => &[tag, low],
        (0, _) => &[tag, 0x81, low],
        _ => &[tag, 0x82, high, low],
    };
    [head, content].concat()
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
    fn keys_come_back_as_they_were() {
        let secret = include_bytes!("../../../../../vectors/keys/rsa-3072-1.der");
        let public = include_bytes!("../../../../../vectors/keys/rsa-3072-1.pub.der");
        let unsigned = |number: &'static [u8]| match number {
            [0, rest @ ..] if !rest.is_empty() => rest,
            all => all,
        };
        let [n, e] = numbers(public).unwrap().map(unsigned);
        assert_eq!(public_der(n, e), public);
        let [_, n, e, d, q, p, by_q, by_p, u] = numbers(secret).unwrap().map(unsigned);
        assert_eq!(secret_der([n, e, d, p, q, u], [by_q, by_p]), secret);
    }

    #[test]
    fn numbers_stand_where_libgcrypt_reads_them() {
        let found = public_key(&[0x30, 7, 2, 2, 0, 0x81, 2, 1, 3]).unwrap();
        assert_eq!(found, b"(10:public-key(3:rsa(1:n3:\0\0\x81)(1:e2:\0\x03)))");
    }
}
