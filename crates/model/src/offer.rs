//! What libraries offer, and the parameters of a call.

use crate::lengths::LengthRange;
use crate::operation::{Axis, Operation};
use crate::role::Role;
use serde::{Deserialize, Serialize};

/// What one timed call does. METHODOLOGY says it for each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contract {
    /// Key schedule outside the timing; nonce, tag and finalisation inside;
    /// valid ciphertext; out of place. A hash: initialise, update once,
    /// finalise. With key pairs: key objects are parsed and ready.
    Keyed,
    /// As keyed, with making the context and keying it inside, too; with key pairs: from
    /// bytes to bytes. Its name was `cold`.
    #[serde(alias = "cold")]
    Oneshot,
    /// What bench-slopes times for the same row.
    Compat,
}

impl Contract {
    /// Every contract.
    pub const ALL: [Contract; 3] = [Contract::Keyed, Contract::Oneshot, Contract::Compat];

    /// The contract's name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Contract::Keyed => "keyed",
            Contract::Oneshot => "oneshot",
            Contract::Compat => "compat",
        }
    }

    /// The contract of this name, or of the one it had.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let name = if name == "cold" { "oneshot" } else { name };
        Self::ALL.into_iter().find(|contract| contract.name() == name)
    }
}

/// Where a buffer starts.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// At a page boundary.
    #[default]
    Page,
    /// One byte after a page boundary.
    Unaligned,
}

/// What is in the caches when a call begins.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Caches {
    /// What the call before left there.
    #[default]
    Warm,
    /// Nothing of the call: not its data, its keys, or its code.
    Evicted,
}

impl Caches {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Caches::Warm => "warm",
            Caches::Evicted => "evicted",
        }
    }

    fn are_warm(&self) -> bool {
        *self == Caches::Warm
    }
}

/// The lengths and placement of a workload, lengths in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameters {
    /// Length of the message; 0 where there is none.
    pub message_bytes: usize,
    /// Length of the associated data, or of the info of a derivation.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub aad_bytes: usize,
    /// Length of the key, password or key material, where it is free; that of
    /// [`Lengths`] where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<usize>,
    /// Length of the nonce or salt, where it is free; that of [`Lengths`] where
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce_bytes: Option<usize>,
    /// Iterations, where the primitive counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Length of the output, for a primitive whose output length is free. Of a
    /// decoding it says how much of the text is padding; none where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// Where the message starts in memory.
    #[serde(default)]
    pub alignment: Alignment,
    /// What is in the caches.
    #[serde(default, skip_serializing_if = "Caches::are_warm")]
    pub caches: Caches,
}

impl Parameters {
    /// Iterations, or bytes of the message where there are none.
    #[must_use]
    pub fn length(&self) -> usize {
        let iterations = self.iterations.and_then(|count| usize::try_from(count).ok());
        iterations.unwrap_or(self.message_bytes)
    }
}

/// One call: a primitive, what is done with it, and with which parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallSpec {
    /// The primitive's canonical name, such as `sha3-256`.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// What one timed call does.
    pub contract: Contract,
    /// Lengths and placement.
    pub parameters: Parameters,
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An implementation of a primitive that a library has, or would have on
/// another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The primitive's canonical name, such as `aes-128-gcm`.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// The library's own name for it; with operation and backend unique in
    /// its library.
    pub spelling: String,
    /// Which of the library's implementations.
    pub backend: String,
    /// Whether the library uses this backend when not told otherwise.
    pub default_backend: bool,
    /// Whether it is another way to call what is offered already: measured where its
    /// backend is asked for by name.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_variant: bool,
    /// Whether its time may depend on secrets; absent where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Its row in bench-slopes; absent where that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<BenchSlopesRow>,
    /// The lengths it works with.
    pub lengths: Lengths,
    /// Why it cannot run here, with the remedy; absent where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl Offer {
    /// What the cost of a call is a function of.
    #[must_use]
    pub fn axis(&self) -> Axis {
        self.operation.axis(&self.primitive)
    }

    /// Whether both do the same, at the lengths that each has.
    #[must_use]
    pub fn does_the_same_as(&self, other: &Self) -> bool {
        (&self.primitive, self.operation) == (&other.primitive, other.operation)
    }

    /// Whether both are of one implementation, whichever operations they are.
    #[must_use]
    pub fn is_of_the_same_as(&self, other: &Self) -> bool {
        (&self.primitive, &self.spelling, &self.backend)
            == (&other.primitive, &other.spelling, &other.backend)
    }
}

/// A row of bench-slopes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BenchSlopesRow {
    /// `hash`, `mac`, `cipher` or `kdf`.
    pub group: String,
    /// As the library's own tool prints it, such as `aes-128`.
    pub algorithm: String,
    /// Such as `CBC enc`; empty where the group has no modes.
    pub mode: String,
}

/// Whether an implementation's time may depend on secrets, as its author says; in SUPERCOP's
/// words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// Neither a branch nor an index depends on a secret, nor in what it calls.
    ConstBranchIndex,
    /// Nobody says so.
    TimingLeaks,
}

impl Security {
    /// As in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ConstBranchIndex => "constbranchindex",
            Self::TimingLeaks => "timingleaks",
        }
    }
}

/// The lengths an implementation works with, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// Of the key, or of a password; none where it has none.
    pub key: LengthRange,
    /// Of the nonce, initial value or salt.
    pub nonce: LengthRange,
    /// Of the associated data, or of the info of a derivation.
    #[serde(default)]
    pub aad: LengthRange,
    /// Of the tag; 0 without one.
    pub tag: usize,
    /// Messages must be a multiple of this; 1 where any length will do.
    pub granularity: usize,
    /// Bytes that one step takes in, where the cost rises in such steps.
    pub block: Option<usize>,
    /// Of the output, where that does not follow from the message.
    pub output: Option<LengthRange>,
    /// Of a public key; none where there are no key pairs.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub public_key: LengthRange,
    /// Of a secret key.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub secret_key: LengthRange,
    /// Of a signature.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub signature: LengthRange,
    /// Of the ciphertext that a secret is encapsulated in, or encrypted to.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub ciphertext: LengthRange,
    /// Of a shared secret.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub shared_secret: LengthRange,
    /// Of randomness that is given; none where the library draws its own.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub randomness: LengthRange,
    /// Of an input of a fixed length that has no other name.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub input: LengthRange,
}

impl Lengths {
    /// Of the role; `None` where it follows from the message's. Of a tag that is all of an
    /// output it is the output's.
    #[must_use]
    pub fn of(&self, role: Role) -> Option<LengthRange> {
        match role {
            Role::Message | Role::Text => None,
            Role::Key | Role::Password => Some(self.key),
            Role::Nonce | Role::Salt => Some(self.nonce),
            Role::Aad | Role::Info => Some(self.aad),
            Role::Tag => Some(self.output.unwrap_or(LengthRange::fixed(self.tag))),
            Role::Digest | Role::Output => self.output,
            Role::PublicKey => Some(self.public_key),
            Role::SecretKey => Some(self.secret_key),
            Role::Signature => Some(self.signature),
            Role::Ciphertext => Some(self.ciphertext),
            Role::SharedSecret => Some(self.shared_secret),
            Role::Randomness => Some(self.randomness),
            Role::Input => Some(self.input),
        }
    }
}

/// A library as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibraryBuild {
    /// How it was asked for: its name, with path and environment where those
    /// were given. Unique in a run.
    pub label: String,
    /// Its name, such as `openssl`.
    pub name: String,
    /// Its version, as it states it.
    pub version: String,
    /// Its version as its own programs print it.
    pub banner: String,
    /// The file it was loaded from; absent where it is part of cpb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The SHA-256 digest of that file, in hexadecimal: the same digest, the same
    /// build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The commit of its sources that was checked out where that file is; absent where it is in
    /// no working tree of git's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The code path it took, such as its view of the CPU's capabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_path: Option<String>,
}
