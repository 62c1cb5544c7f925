//! Defines operations as data: each has a row with everything that other code needs to know about
//! it.

use crate::role::Role::{self, *};
use serde::{Deserialize, Serialize};

/// Names what the cost of a call is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Bytes of the message.
    Bytes,
    Iterations,
    /// Neither: every call costs the same.
    Calls,
}

impl Axis {
    /// Returns the name of one unit along it: `byte`.
    pub fn one(self) -> &'static str {
        match self {
            Axis::Bytes => "byte",
            Axis::Iterations => "iteration",
            Axis::Calls => "call",
        }
    }

    /// Returns the unit of a figure along it: `c/B`.
    pub fn unit(self) -> &'static str {
        match self {
            Axis::Bytes => "c/B",
            Axis::Iterations => "c/iteration",
            Axis::Calls => "c/call",
        }
    }
}

/// Names how an output is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proof {
    /// Equal inputs have equal outputs, so known answers, the reference and other libraries must
    /// agree.
    SameOutput,
    /// It inverts that operation, so it must recover what that was given.
    InverseOf(Operation),
    /// Outputs may differ from call to call. The first of these operations that a library has must
    /// accept them, both its own and those of others.
    AcceptedBy(&'static [Operation]),
    /// It is an acceptor: it must accept valid input, and reject any with a flipped bit.
    Accepts,
    /// No two outputs may be equal, and together they must look random.
    LooksRandom,
}

/// Describes an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationRow {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its number in `cpb_provider.h`; none if libraries cannot offer it.
    pub number: Option<u32>,
    /// The group under which its rows are listed: `cipher`.
    pub group: &'static str,
    /// Its mode in rows of bench-slopes' form, unique in its group: `enc`.
    pub mode: &'static str,
    /// What its cost is a function of.
    pub axis: Axis,
    /// Its inputs. One that an implementation does not have has length 0.
    pub takes: &'static [Role],
    /// Its outputs, in order.
    pub gives: &'static [Role],
    /// The input whose length the message length counts, along bytes.
    pub message: Role,
    /// The input into which the previous call's output can be fed, so that each call waits for the
    /// one before; none if the call would be rejected, or only part of it would wait.
    pub feeds: Option<Role>,
    pub proof: Proof,
}

/// The fields that a row leaves out.
const USUAL: OperationRow = OperationRow {
    name: "",
    number: None,
    group: "",
    mode: "",
    axis: Axis::Bytes,
    takes: &[],
    gives: &[],
    message: Message,
    feeds: None,
    proof: Proof::SameOutput,
};

macro_rules! operations {
    ($($(#[$doc:meta])+ $operation:ident { $($row:tt)+ })+) => {
        /// Names what is done with a primitive.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Operation {
            $($(#[$doc])+ $operation,)+
        }

        impl Operation {
            pub const ALL: [Operation; [$(stringify!($operation)),+].len()] =
                [$(Operation::$operation),+];

            /// Returns the row that describes it.
            pub fn row(self) -> &'static OperationRow {
                match self {
                    $(Operation::$operation => const { &OperationRow { $($row)+ ..USUAL } },)+
                }
            }
        }
    };
}

operations! {
    /// Maps a message to a digest of fixed length.
    Hash {
        name: "hash", number: Some(1), group: "hash", axis: Axis::Bytes,
        takes: &[Message], gives: &[Digest], feeds: Some(Message),
    }
    /// Maps a message to an output of any length.
    Xof {
        name: "xof", number: Some(2), group: "hash", axis: Axis::Bytes,
        takes: &[Message], gives: &[Output], feeds: Some(Message),
    }
    /// Maps a key and a message to a tag.
    Mac {
        name: "mac", number: Some(3), group: "mac", axis: Axis::Bytes,
        takes: &[Key, Nonce, Message], gives: &[Tag], feeds: Some(Message),
    }
    /// Maps a plaintext to a ciphertext of the same length, without a tag.
    Encrypt {
        name: "encrypt", number: Some(4), group: "cipher", mode: "enc", axis: Axis::Bytes,
        takes: &[Key, Nonce, Message], gives: &[Ciphertext],
    }
    /// Maps a ciphertext to its plaintext, without a tag.
    Decrypt {
        name: "decrypt", number: Some(5), group: "cipher", mode: "dec", axis: Axis::Bytes,
        takes: &[Key, Nonce, Ciphertext], gives: &[Message], message: Ciphertext,
        proof: Proof::InverseOf(Operation::Encrypt),
    }
    /// Authenticated encryption: maps a plaintext to a ciphertext and a tag.
    Seal {
        name: "seal", number: Some(6), group: "cipher", mode: "enc", axis: Axis::Bytes,
        takes: &[Key, Nonce, Aad, Message], gives: &[Ciphertext, Tag], feeds: Some(Message),
    }
    /// Authenticated decryption: maps a ciphertext and its tag to the plaintext.
    Open {
        name: "open", number: Some(7), group: "cipher", mode: "dec", axis: Axis::Bytes,
        takes: &[Key, Nonce, Aad, Ciphertext, Tag], gives: &[Message], message: Ciphertext,
        proof: Proof::InverseOf(Operation::Seal),
    }
    /// Authenticated encryption of an empty message: only associated data.
    Auth {
        name: "auth", number: Some(8), group: "cipher", mode: "auth", axis: Axis::Bytes,
        takes: &[Key, Nonce, Aad], gives: &[Tag], message: Aad, feeds: Some(Aad),
    }
    /// Derives keys from a password or key, in iterations.
    Derive {
        name: "derive", number: Some(9), group: "kdf", axis: Axis::Iterations,
        takes: &[Password, Salt, Info], gives: &[Output],
    }
    /// Applies a step again and again to its own output.
    Iterate {
        name: "iterate", number: None, group: "iterated", axis: Axis::Bytes,
        takes: &[Message], gives: &[],
    }
    /// Encodes bytes as text.
    Encode {
        name: "encode", number: Some(11), group: "codec", mode: "enc", axis: Axis::Bytes,
        takes: &[Message], gives: &[Text],
    }
    /// Decodes text to bytes; lengths count the text.
    Decode {
        name: "decode", number: Some(12), group: "codec", mode: "dec", axis: Axis::Bytes,
        takes: &[Text], gives: &[Message], message: Text,
        proof: Proof::InverseOf(Operation::Encode),
    }
    /// Generates a key pair from randomness; if none is given, the library draws its own.
    Keygen {
        name: "keygen", number: Some(13), group: "keys", mode: "keygen", axis: Axis::Calls,
        takes: &[Randomness], gives: &[PublicKey, SecretKey],
        proof: Proof::AcceptedBy(&[
            Operation::PublicKey, Operation::Verify, Operation::Decapsulate, Operation::PrivateDecrypt,
        ]),
    }
    /// Computes the public key of a secret key.
    PublicKey {
        name: "public-key", number: Some(14), group: "keys", mode: "mult", axis: Axis::Calls,
        takes: &[SecretKey], gives: &[PublicKey], feeds: Some(SecretKey),
    }
    /// Agrees on a shared secret from one's own secret key and a peer's public key.
    Agree {
        name: "agree", number: Some(15), group: "keys", mode: "agree", axis: Axis::Calls,
        takes: &[PublicKey, SecretKey], gives: &[SharedSecret], feeds: Some(SecretKey),
    }
    /// Signs a message.
    Sign {
        name: "sign", number: Some(16), group: "signature", mode: "sign", axis: Axis::Calls,
        takes: &[SecretKey, Message, Randomness], gives: &[Signature], feeds: Some(Message),
        proof: Proof::AcceptedBy(&[Operation::Verify]),
    }
    /// Verifies a signature of a message; a wrong signature makes the call fail.
    Verify {
        name: "verify", number: Some(17), group: "signature", mode: "verify", axis: Axis::Calls,
        takes: &[PublicKey, Message, Signature], gives: &[], proof: Proof::Accepts,
    }
    /// Makes a shared secret, and its ciphertext for the owner of a public key.
    Encapsulate {
        name: "encapsulate", number: Some(18), group: "kem", mode: "encap", axis: Axis::Calls,
        takes: &[PublicKey, Randomness], gives: &[Ciphertext, SharedSecret],
        proof: Proof::AcceptedBy(&[Operation::Decapsulate]),
    }
    /// Recovers the shared secret from a ciphertext.
    Decapsulate {
        name: "decapsulate", number: Some(19), group: "kem", mode: "decap", axis: Axis::Calls,
        takes: &[SecretKey, Ciphertext], gives: &[SharedSecret], proof: Proof::Accepts,
    }
    /// Encrypts a secret chosen by the caller to the owner of a public key.
    PublicEncrypt {
        name: "public-encrypt", number: Some(20), group: "pke", mode: "encrypt", axis: Axis::Calls,
        takes: &[PublicKey, SharedSecret], gives: &[Ciphertext],
        proof: Proof::AcceptedBy(&[Operation::PrivateDecrypt]),
    }
    /// Decrypts such a ciphertext.
    PrivateDecrypt {
        name: "private-decrypt", number: Some(21), group: "pke", mode: "decrypt", axis: Axis::Calls,
        takes: &[SecretKey, Ciphertext], gives: &[SharedSecret], proof: Proof::Accepts,
    }
    /// Compares two secrets in a time that does not depend on where they differ.
    Compare {
        name: "compare", number: Some(22), group: PARTS, mode: "compare", axis: Axis::Calls,
        takes: &[Input], gives: &[Output],
    }
    /// Sorts an array of integers in ascending order.
    Sort {
        name: "sort", number: Some(23), group: PARTS, mode: "sort", axis: Axis::Bytes,
        takes: &[Message], gives: &[Message],
    }
    /// Computes the core function of a cipher or hash from an input, a key and a constant.
    Core {
        name: "core", number: Some(24), group: PARTS, mode: "core", axis: Axis::Calls,
        takes: &[Input, Key], gives: &[Output], feeds: Some(Input),
    }
    /// Encodes integers of given ranges as the bytes of a string, as in keys and ciphertexts.
    EncodeItems {
        name: "encode-items", number: Some(25), group: PARTS, mode: "encode", axis: Axis::Calls,
        takes: &[Input], gives: &[Output],
    }
    /// Decodes such a string to integers.
    DecodeItems {
        name: "decode-items", number: Some(26), group: PARTS, mode: "decode", axis: Axis::Calls,
        takes: &[Input], gives: &[Output],
    }
    /// Expands a key to random bytes, followed by the next key.
    Rng {
        name: "rng", number: Some(27), group: PARTS, mode: "rng", axis: Axis::Calls,
        takes: &[Key], gives: &[Output],
    }
    /// Returns unpredictable bytes.
    Random {
        name: "random", number: Some(28), group: PARTS, mode: "random", axis: Axis::Calls,
        takes: &[], gives: &[Output], proof: Proof::LooksRandom,
    }
}

/// The group of operations from which other primitives are built.
const PARTS: &str = "parts";

impl Operation {
    /// Returns the operation's name in JSON.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the operation of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Returns the operation of this number in `cpb_provider.h`.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.row().number == Some(number))
    }

    /// Returns the groups of wanted operations that libraries can offer, each once.
    pub fn groups(is_wanted: impl Fn(Self) -> bool) -> Vec<&'static str> {
        let mut groups = Vec::new();
        for operation in Self::ALL.into_iter().filter(|operation| is_wanted(*operation)) {
            let row = operation.row();
            if row.number.is_some() && !groups.contains(&row.group) {
                groups.push(row.group);
            }
        }
        groups
    }

    /// Returns the operation that it inverts.
    pub fn inverse(self) -> Option<Operation> {
        match self.row().proof {
            Proof::InverseOf(operation) => Some(operation),
            Proof::SameOutput | Proof::AcceptedBy(_) | Proof::Accepts | Proof::LooksRandom => None,
        }
    }

    /// Whether it works with key pairs. Its calls rotate through many cases, and its inputs come
    /// from other such operations.
    pub fn is_public_key(self) -> bool {
        let row = self.row();
        let mut roles = row.takes.iter().chain(row.gives);
        roles.any(|role| [PublicKey, SecretKey].contains(role))
    }

    /// Whether it is a building block of other operations, which few libraries offer.
    pub fn is_part(self) -> bool {
        self.row().group == PARTS
    }

    /// Splits a length into bytes of the message and iterations.
    pub fn counts(self, length: usize) -> (usize, Option<u64>) {
        match self.row().axis {
            Axis::Iterations => (0, Some(length as u64)),
            Axis::Calls if !self.takes_message() => (0, None),
            Axis::Bytes | Axis::Calls => (length, None),
        }
    }

    /// Whether it takes a message, under whatever role.
    pub fn takes_message(self) -> bool {
        let row = self.row();
        row.takes.contains(&row.message)
    }

    /// Whether it takes associated data besides the message.
    pub fn takes_aad(self) -> bool {
        let row = self.row();
        row.message != Aad && row.takes.contains(&Aad)
    }

    /// Returns what the cost of `primitive` is a function of; some derivations have no iterations.
    pub fn axis(self, primitive: &str) -> Axis {
        let is_iterated = || ITERATED.iter().any(|beginning| primitive.starts_with(beginning));
        match self.row().axis {
            Axis::Iterations if !is_iterated() => Axis::Calls,
            axis => axis,
        }
    }
}

/// Prefixes of derivations whose caller chooses the iterations.
const ITERATED: [&str; 2] = ["pbkdf2-", "argon2"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for operation in Operation::ALL {
            let json = serde_json::to_string(&operation).unwrap();
            assert_eq!(json, format!("\"{}\"", operation.name()));
            assert_eq!(Operation::of_name(operation.name()), Some(operation));
        }
    }

    #[test]
    fn rows_fit_together() {
        for operation in Operation::ALL {
            let row = operation.row();
            assert!(!operation.is_public_key() || row.axis == Axis::Calls, "{}", row.name);
            assert!(row.axis != Axis::Bytes || operation.takes_message(), "{}", row.name);
            assert!(row.feeds.is_none_or(|role| row.takes.contains(&role)), "{}", row.name);
            let Some(inverse) = operation.inverse().map(Operation::row) else { continue };
            // Each takes what the other gives.
            assert!(inverse.gives.iter().all(|role| row.takes.contains(role)), "{}", row.name);
            assert!(row.gives.iter().all(|role| inverse.takes.contains(role)), "{}", row.name);
            assert_eq!((row.gives, row.message), (&[inverse.message][..], inverse.gives[0]));
        }
    }

    #[test]
    fn what_works_with_key_pairs_is_given_what_others_put_out() {
        let all = || Operation::ALL.into_iter().filter(|operation| operation.is_public_key());
        assert_eq!(all().count(), 9);
        let own = [Message, Randomness];
        for operation in all() {
            for role in operation.row().takes.iter().filter(|role| !own.contains(role)) {
                let makes = |other: Operation| other.row().gives.contains(role);
                assert!(all().any(makes), "{}: {}", operation.name(), role.name());
            }
            let Proof::AcceptedBy(others) = operation.row().proof else { continue };
            assert!(others.iter().all(|other| other.is_public_key()));
        }
    }

    #[test]
    fn numbers_are_no_two_operations() {
        for operation in Operation::ALL.into_iter().filter(|it| it.row().number.is_some()) {
            assert_eq!(operation.row().number.and_then(Operation::of_number), Some(operation));
        }
        assert_eq!(Operation::of_number(0), None);
    }

    #[test]
    fn groups_are_in_order_and_some_derivations_have_no_iterations() {
        let groups =
            ["hash", "mac", "cipher", "kdf", "codec", "keys", "signature", "kem", "pke", "parts"];
        assert_eq!(Operation::groups(|_| true), groups);
        assert_eq!(Operation::groups(Operation::is_public_key), groups[5..9]);
        assert_eq!(Operation::groups(Operation::is_part), groups[9..]);
        assert_eq!(Operation::Derive.axis("pbkdf2-hmac-sha1"), Axis::Iterations);
        assert_eq!(Operation::Derive.axis("hkdf-sha256"), Axis::Calls);
        assert_eq!(Operation::Hash.axis("sha256"), Axis::Bytes);
    }
}
