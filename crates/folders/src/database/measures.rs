//! Maps SUPERCOP's measurements to cpb's operations.

use cpb_model::{Contract, Operation};

/// A keyword in lines of an operation.
#[derive(Debug)]
pub(super) struct Measure {
    /// Without `crypto_`.
    of: &'static str,
    word: &'static str,
    pub(super) operation: Operation,
    pub(super) contract: Contract,
    pub(super) length: Length,
}

/// States what the number after the keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// There is none.
    Nothing,
    /// The message length.
    Message,
    /// A message length of which cpb shows only one: that of signatures.
    Signed,
    /// The output length times a million, plus the message length.
    OutputAndMessage,
    /// The length of associated data times a million, plus the message length.
    AadAndMessage,
    /// The number of items.
    Items,
}

const fn keyed(
    of: &'static str,
    word: &'static str,
    operation: Operation,
    length: Length,
) -> Measure {
    Measure { of, word, operation, contract: Contract::Keyed, length }
}

const fn oneshot(
    of: &'static str,
    word: &'static str,
    operation: Operation,
    length: Length,
) -> Measure {
    Measure { of, word, operation, contract: Contract::Oneshot, length }
}

/// SUPERCOP's functions work from bytes to bytes, so a key schedule is part of a call. That is also
/// the only contract of cpb's own folders.
static MEASURES: [Measure; 32] = [
    keyed("hash", "cycles", Operation::Hash, Length::Message),
    keyed("hashblocks", "cycles", Operation::Hash, Length::Message),
    keyed("xof", "cycles", Operation::Xof, Length::OutputAndMessage),
    keyed("stream", "xor_cycles", Operation::Encrypt, Length::Message),
    keyed("auth", "cycles", Operation::Mac, Length::Message),
    keyed("onetimeauth", "cycles", Operation::Mac, Length::Message),
    keyed("secretbox", "cycles", Operation::Seal, Length::Message),
    keyed("secretbox", "open_cycles", Operation::Open, Length::Message),
    keyed("aead", "encrypt_cycles", Operation::Seal, Length::AadAndMessage),
    keyed("aead", "decrypt_cycles", Operation::Open, Length::AadAndMessage),
    keyed("rng", "cycles", Operation::Rng, Length::Nothing),
    keyed("scalarmult", "cycles", Operation::Agree, Length::Nothing),
    keyed("scalarmult", "base_cycles", Operation::PublicKey, Length::Nothing),
    keyed("box", "keypair_cycles", Operation::Keygen, Length::Nothing),
    keyed("box", "beforenm_cycles", Operation::Agree, Length::Nothing),
    oneshot("box", "cycles", Operation::Seal, Length::Message),
    oneshot("box", "open_cycles", Operation::Open, Length::Message),
    keyed("box", "afternm_cycles", Operation::Seal, Length::Message),
    keyed("box", "open_afternm_cycles", Operation::Open, Length::Message),
    keyed("dh", "keypair_cycles", Operation::Keygen, Length::Nothing),
    keyed("dh", "cycles", Operation::Agree, Length::Nothing),
    keyed("sign", "keypair_cycles", Operation::Keygen, Length::Nothing),
    keyed("sign", "cycles", Operation::Sign, Length::Signed),
    keyed("sign", "open_cycles", Operation::Verify, Length::Signed),
    keyed("kem", "keypair_cycles", Operation::Keygen, Length::Nothing),
    keyed("kem", "enc_cycles", Operation::Encapsulate, Length::Nothing),
    keyed("kem", "dec_cycles", Operation::Decapsulate, Length::Nothing),
    keyed("encrypt", "keypair_cycles", Operation::Keygen, Length::Nothing),
    keyed("sort", "cycles", Operation::Sort, Length::Items),
    keyed("encode", "cycles", Operation::EncodeItems, Length::Nothing),
    keyed("decode", "cycles", Operation::DecodeItems, Length::Nothing),
    keyed("core", "cycles", Operation::Core, Length::Nothing),
];

/// Returns the index of the measure for an operation such as `hash` and a keyword such as `cycles`.
pub(super) fn of(operation: &str, word: &str) -> Option<usize> {
    MEASURES.iter().position(|measure| (measure.of, measure.word) == (operation, word))
}

/// Returns the measure with this index.
pub(super) fn at(place: usize) -> &'static Measure {
    &MEASURES[place]
}
