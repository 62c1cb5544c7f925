//! Defines libraries by a table with one line per implementation.

use crate::sizes::{FREE_OUTPUT, HMAC_KEY, SECRET};
use crate::{Identity, Inputs, Library, PrepareError, PrepareResult, scheme};
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation};

/// One line of the table.
pub struct Implementation {
    /// The primitive's canonical name.
    pub primitive: &'static str,
    /// The operation on the primitive.
    pub operation: Operation,
    /// The lengths it accepts. For operations with key pairs, the catalogue has them ([`scheme`]):
    /// use [`Implementation::SEEDED`] if it accepts randomness, otherwise [`Implementation::NONE`].
    pub lengths: Lengths,
    /// Prepares it under a contract other than compat.
    pub ready: fn(Contract, Inputs) -> PrepareResult,
}

impl Implementation {
    /// Lengths of an implementation with only a message.
    pub const NONE: Lengths = Lengths {
        key: LengthRange::NONE,
        nonce: LengthRange::NONE,
        aad: LengthRange::NONE,
        tag: 0,
        granularity: 1,
        block: None,
        output: None,
        public_key: LengthRange::NONE,
        secret_key: LengthRange::NONE,
        signature: LengthRange::NONE,
        ciphertext: LengthRange::NONE,
        shared_secret: LengthRange::NONE,
        randomness: LengthRange::NONE,
        input: LengthRange::NONE,
    };
    /// Lengths of an operation with key pairs that is given randomness.
    pub const SEEDED: Lengths = Lengths { randomness: LengthRange::free(0), ..Self::NONE };
    /// Lengths of random bytes.
    pub const RANDOM: Lengths = Lengths { output: Some(FREE_OUTPUT), ..Self::NONE };
    /// Lengths of a derivation from a password and a salt.
    pub const PASSWORD: Lengths =
        Lengths { key: SECRET, nonce: SECRET, output: Some(FREE_OUTPUT), ..Self::NONE };
    /// Lengths of a derivation that also takes an info.
    pub const KEY_MATERIAL: Lengths = Lengths { aad: LengthRange::free(0), ..Self::PASSWORD };

    /// Lengths of a hash.
    pub const fn hash(digest: usize) -> Lengths {
        Lengths { output: Some(LengthRange::fixed(digest)), ..Self::NONE }
    }

    /// Lengths of an HMAC.
    pub const fn hmac(tag: usize) -> Lengths {
        Lengths { key: HMAC_KEY, ..Self::hash(tag) }
    }

    /// Lengths of a stream cipher.
    pub const fn stream(key: usize, nonce: usize) -> Lengths {
        Lengths { key: LengthRange::fixed(key), nonce: LengthRange::fixed(nonce), ..Self::NONE }
    }

    /// Lengths of authenticated encryption with the usual nonce and tag.
    pub const fn aead(key: usize) -> Lengths {
        Lengths { aad: LengthRange::free(0), tag: 16, ..Self::stream(key, 12) }
    }

    /// Lengths of an implementation that takes groups of this many bytes.
    pub const fn groups_of(granularity: usize) -> Lengths {
        Lengths { granularity, ..Self::NONE }
    }

    fn offer(&self) -> Offer {
        let mut lengths = self.lengths;
        if let Some(scheme) = scheme::of(self.primitive) {
            lengths = scheme.lengths(self.operation);
            if self.lengths.randomness.is_none() {
                lengths.randomness = LengthRange::NONE;
            }
        }
        Offer::new(self.primitive, self.operation, lengths)
    }
}

/// Creates a line of the table.
pub const fn line(
    primitive: &'static str,
    operation: Operation,
    lengths: Lengths,
    ready: fn(Contract, Inputs) -> PrepareResult,
) -> Implementation {
    Implementation { primitive, operation, lengths, ready }
}

/// Creates a line of a public-key primitive that is given no randomness.
pub const fn key_line(
    primitive: &'static str,
    operation: Operation,
    ready: fn(Contract, Inputs) -> PrepareResult,
) -> Implementation {
    line(primitive, operation, Implementation::NONE, ready)
}

/// Creates the lines of RSA signatures with SHA-256, for moduli of 2048, 3072 and 4096 bits.
pub const fn rsa_lines(
    [sign_pkcs1, verify_pkcs1, sign_pss, verify_pss]: [fn(Contract, Inputs) -> PrepareResult; 4],
) -> [Implementation; 12] {
    use Operation::{Sign, Verify};
    [
        key_line("rsa-2048-pkcs1", Sign, sign_pkcs1),
        key_line("rsa-2048-pkcs1", Verify, verify_pkcs1),
        key_line("rsa-2048-pss", Sign, sign_pss),
        key_line("rsa-2048-pss", Verify, verify_pss),
        key_line("rsa-3072-pkcs1", Sign, sign_pkcs1),
        key_line("rsa-3072-pkcs1", Verify, verify_pkcs1),
        key_line("rsa-3072-pss", Sign, sign_pss),
        key_line("rsa-3072-pss", Verify, verify_pss),
        key_line("rsa-4096-pkcs1", Sign, sign_pkcs1),
        key_line("rsa-4096-pkcs1", Verify, verify_pkcs1),
        key_line("rsa-4096-pss", Sign, sign_pss),
        key_line("rsa-4096-pss", Verify, verify_pss),
    ]
}

/// The lines, with the offer of each.
pub struct Table {
    lines: Vec<&'static Implementation>,
    offers: Vec<Offer>,
}

impl Table {
    /// Creates the table from parts, such as one per file.
    pub fn new(parts: &[&'static [Implementation]]) -> Self {
        let lines: Vec<&'static Implementation> = parts.iter().copied().flatten().collect();
        let offers = lines.iter().map(|line| line.offer()).collect();
        Self { lines, offers }
    }
}

impl Library for Table {
    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        if contract == Contract::Compat {
            return Err(PrepareError::Unavailable("bench-slopes has no such row".to_owned()));
        }
        let is_it = |line: &&&'static Implementation| {
            (line.primitive, line.operation) == (offer.primitive.as_str(), offer.operation)
        };
        let line =
            self.lines.iter().find(is_it).ok_or_else(|| {
                PrepareError::Unavailable(format!("there is no {}", offer.primitive))
            })?;
        (line.ready)(contract, inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(primitive: &'static str, operation: Operation, lengths: Lengths) -> Lengths {
        let ready = |_, _| Err(PrepareError::Unavailable(String::new()));
        Implementation { primitive, operation, lengths, ready }.offer().lengths
    }

    #[test]
    fn lengths_of_key_pairs_are_the_catalogues() {
        let keygen = |lengths| offered("ml-kem-768", Operation::Keygen, lengths);
        let seeded = keygen(Implementation::SEEDED);
        assert_eq!(
            (seeded.public_key, seeded.randomness),
            (LengthRange::fixed(1184), LengthRange::fixed(64))
        );
        let drawn = keygen(Implementation::NONE);
        assert_eq!(drawn, Lengths { randomness: LengthRange::NONE, ..seeded });
        let hash = Implementation::hash(32);
        assert_eq!(offered("sha256", Operation::Hash, hash), hash);
    }
}
