//! Contains RSA keys made only for cpb; `vectors/README.md` says how. They are public, and must
//! not be used as secrets.

/// A secret key and its public key.
type Pair = (&'static [u8], &'static [u8]);

macro_rules! pairs {
    ($bits:literal) => {
        &[pairs!($bits, "1"), pairs!($bits, "2"), pairs!($bits, "3"), pairs!($bits, "4")]
    };
    ($bits:literal, $number:literal) => {
        (
            include_bytes!(concat!("../../../../vectors/keys/rsa-", $bits, "-", $number, ".der")),
            include_bytes!(concat!(
                "../../../../vectors/keys/rsa-",
                $bits,
                "-",
                $number,
                ".pub.der"
            )),
        )
    };
}

pub(super) const PAIRS_2048: &[Pair] = pairs!("2048");
pub(super) const PAIRS_3072: &[Pair] = pairs!("3072");
pub(super) const PAIRS_4096: &[Pair] = pairs!("4096");

/// The bytes of an `RSAPublicKey` besides the modulus: headers, a zero before the modulus, and the
/// exponent.
const BESIDE_MODULUS: usize = 14;
/// 65537 in DER.
const EXPONENT: [u8; 5] = [2, 3, 1, 0, 1];

/// Whether `key` is an `RSAPublicKey` of this many bytes with a modulus of full length and the
/// exponent 65537.
pub(super) fn is_public_key(key: &[u8], bytes: usize) -> bool {
    let Some(modulus) = bytes.checked_sub(BESIDE_MODULUS) else { return false };
    let [high, low] = (modulus as u16 + 1).to_be_bytes();
    key.len() == bytes
        && key[4..9] == [2, 0x82, high, low, 0]
        && key[9] & 0x80 != 0
        && key.ends_with(&EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modulus_has_all_its_bits_and_the_exponent_is_the_one() {
        for (pairs, bytes) in [(PAIRS_2048, 256), (PAIRS_3072, 384), (PAIRS_4096, 512)] {
            for (_, public) in pairs {
                assert!(is_public_key(public, bytes + BESIDE_MODULUS));
            }
        }
        let right = PAIRS_2048[0].1;
        let wrong = |place: usize, byte: u8| {
            let mut key = right.to_vec();
            key[place] = byte;
            !is_public_key(&key, right.len())
        };
        assert!(wrong(9, 0x7f), "2047 bits");
        assert!(wrong(right.len() - 1, 3), "exponent 65539");
        assert!(wrong(7, 2), "a modulus of another length");
        assert!(!is_public_key(&right[..right.len() - 1], right.len()));
        assert!(!is_public_key(right, right.len() + 128));
    }
}
