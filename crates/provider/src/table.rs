//! A library that is a table: one line for each implementation.

use crate::sizes::{FREE_OUTPUT, HMAC_KEY, SECRET};
use crate::{Identity, Inputs, Library, PrepareError, PrepareResult, scheme};
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation};

/// One line.
pub struct Implementation {
    /// cpb's name for the primitive.
    pub primitive: &'static str,
    /// What is done with it.
    pub operation: Operation,
    /// The lengths it works with. Of what works with key pairs, the catalogue has them
    /// ([`scheme`]): [`Implementation::SEEDED`] where randomness is let in, else
    /// [`Implementation::NONE`].
    pub lengths: Lengths,
    /// Makes it ready to run under a contract that is not compat.
    pub ready: fn(Contract, Inputs) -> PrepareResult,
}

impl Implementation {
    /// Of what has no length but its message's.
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
    /// Of what works with key pairs, and with randomness that it is given.
    pub const SEEDED: Lengths = Lengths { randomness: LengthRange::free(0), ..Self::NONE };
    /// Of random bytes.
    pub const RANDOM: Lengths = Lengths { output: Some(FREE_OUTPUT), ..Self::NONE };
    /// Of a derivation from a password and a salt.
    pub const PASSWORD: Lengths =
        Lengths { key: SECRET, nonce: SECRET, output: Some(FREE_OUTPUT), ..Self::NONE };
    /// Of a derivation that takes an info, too.
    pub const KEY_MATERIAL: Lengths = Lengths { aad: LengthRange::free(0), ..Self::PASSWORD };

    /// Of a hash.
    #[must_use]
    pub const fn hash(digest: usize) -> Lengths {
        Lengths { output: Some(LengthRange::fixed(digest)), ..Self::NONE }
    }

    /// Of an HMAC.
    #[must_use]
    pub const fn hmac(tag: usize) -> Lengths {
        Lengths { key: HMAC_KEY, ..Self::hash(tag) }
    }

    /// Of a stream cipher.
    #[must_use]
    pub const fn stream(key: usize, nonce: usize) -> Lengths {
        Lengths { key: LengthRange::fixed(key), nonce: LengthRange::fixed(nonce), ..Self::NONE }
    }

    /// Of authenticated encryption with the usual nonce and tag.
    #[must_use]
    pub const fn aead(key: usize) -> Lengths {
        Lengths { aad: LengthRange::free(0), tag: 16, ..Self::stream(key, 12) }
    }

    /// Of what takes groups of so many bytes.
    #[must_use]
    pub const fn groups_of(granularity: usize) -> Lengths {
        Lengths { granularity, ..Self::NONE }
    }

    fn offered_lengths(&self) -> Lengths {
        let Some(scheme) = scheme::of(self.primitive) else { return self.lengths };
        let mut lengths = scheme.lengths(self.operation);
        if self.lengths.randomness.is_none() {
            lengths.randomness = LengthRange::NONE;
        }
        lengths
    }

    fn offer(&self) -> Offer {
        Offer {
            primitive: self.primitive.to_owned(),
            operation: self.operation,
            spelling: self.primitive.to_owned(),
            backend: "default".to_owned(),
            default_backend: true,
            is_variant: false,
            security: None,
            row: None,
            lengths: self.offered_lengths(),
            unavailable: None,
        }
    }
}

/// The lines, and the offer that each of them is.
pub struct Table {
    lines: Vec<&'static Implementation>,
    offers: Vec<Offer>,
}

impl Table {
    /// Of lines in as many parts as there are files of them.
    #[must_use]
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
