//! RSA keys of cpb's own, made for this once: `vectors/README.md` says how. No one else's
//! secret is among them, and nobody may use them for any.

/// Secret key and public key.
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
