//! What SUPERCOP counts, as what cpb calls it.

use cpb_model::{Contract, Operation};

/// A word of a line of an operation.
#[derive(Debug)]
pub(super) struct Measure {
    /// Without `crypto_`.
    of: &'static str,
    word: &'static str,
    pub(super) operation: Operation,
    pub(super) contract: Contract,
    pub(super) length: Length,
}

/// What the number behind the word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// None.
    Nothing,
    /// Of the message.
    Message,
    /// Of a message of which cpb shows one length alone: that of signatures.
    Signed,
    /// Of what is put out, times a million, and of the message.
    OutputAndMessage,
    /// Of associated data, times a million, and of the message.
    AadAndMessage,
    /// How many items there are.
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

/// Its functions take bytes and give bytes: whatever there is of a key schedule is part of a
/// call. That is cpb's contract for its folders, too, which have no other.
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

/// The measure of an operation such as `hash` that a word such as `cycles` is.
pub(super) fn of(operation: &str, word: &str) -> Option<usize> {
    MEASURES.iter().position(|measure| (measure.of, measure.word) == (operation, word))
}

/// The measure of this place in the table.
pub(super) fn at(place: usize) -> &'static Measure {
    &MEASURES[place]
}
