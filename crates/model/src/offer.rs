//! Defines what libraries offer, and the parameters of a call.

use crate::lengths::LengthRange;
use crate::operation::{Axis, Operation};
use crate::role::Role;
use serde::{Deserialize, Serialize};

crate::named! {
    /// Names what one timed call includes. METHODOLOGY has the details for each operation.
    #[derive(
        Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Contract {
        /// The key schedule is outside the timing; nonce, tag and finalisation are inside; the
        /// ciphertext is valid; buffers are out of place. A hash initialises, updates once and
        /// finalises. With key pairs, key objects are parsed and ready.
        #[default]
        Keyed = "keyed",
        /// As keyed, but making and keying the context is inside too; with key pairs, the call goes
        /// from bytes to bytes. Formerly named `cold`.
        #[serde(alias = "cold")]
        Oneshot = "oneshot",
        /// The call that bench-slopes times for the same row.
        Compat = "compat",
    }
}

impl Contract {
    /// Returns the contract of this name, which may be its former one.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = if name == "cold" { "oneshot" } else { name };
        Self::ALL.into_iter().find(|contract| contract.name() == name)
    }
}

/// Names where a buffer starts.
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

crate::named! {
    /// Names what the caches hold when a call begins.
    #[derive(
        Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Caches {
        /// Whatever the call before left there.
        #[default]
        Warm = "warm",
        /// Nothing that the call uses: neither its data, its keys nor its code.
        Evicted = "evicted",
    }
}

/// The lengths and buffer placement of a call; lengths are in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parameters {
    /// Length of the message; 0 if there is none.
    pub message_bytes: usize,
    /// Length of the associated data, or of a derivation's info.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub aad_bytes: usize,
    /// Length of the key, password or key material; absent for the default in [`Lengths`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<usize>,
    /// Length of the nonce or salt; absent for the default in [`Lengths`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce_bytes: Option<usize>,
    /// Iterations, if the primitive counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Length of the output, if it is free. For a decoding, the length of padding in the text;
    /// absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// Where the message starts in memory.
    #[serde(default)]
    pub alignment: Alignment,
    /// What the caches hold.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub caches: Caches,
}

impl Parameters {
    /// Creates the parameters of a call with this message and nothing else.
    pub fn of_message(message_bytes: usize) -> Self {
        Self { message_bytes, ..Self::default() }
    }

    /// Returns the iterations, or the bytes of the message if there are none.
    pub fn length(&self) -> usize {
        let iterations = self.iterations.and_then(|count| usize::try_from(count).ok());
        iterations.unwrap_or(self.message_bytes)
    }
}

/// Specifies one call: a primitive, an operation, and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallSpec {
    /// The primitive's canonical name, such as `sha3-256`.
    pub primitive: String,
    /// The operation on the primitive.
    pub operation: Operation,
    /// What one timed call includes.
    pub contract: Contract,
    pub parameters: Parameters,
}

/// An implementation of a primitive that a library has, here or on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The primitive's canonical name, such as `aes-128-gcm`.
    pub primitive: String,
    /// The operation on the primitive.
    pub operation: Operation,
    /// The library's own name for it; with operation and backend, unique in the library.
    pub spelling: String,
    /// The library's implementation that does it.
    pub backend: String,
    /// Whether this is the library's default backend.
    pub default_backend: bool,
    /// Whether it is only another way to call what is already offered. It is measured only if its
    /// backend is requested by name.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub is_variant: bool,
    /// Whether its time may depend on secrets; absent if its author does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Its row in bench-slopes; absent if bench-slopes has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<BenchSlopesRow>,
    /// The lengths it accepts.
    pub lengths: Lengths,
    /// Why it cannot run here, with the remedy; absent if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl Offer {
    /// Creates an offer of a library's default backend that can run and has no row, under the name
    /// that the primitive has in the library, too.
    pub fn new(primitive: &str, operation: Operation, lengths: Lengths) -> Self {
        Self {
            primitive: primitive.to_owned(),
            operation,
            spelling: primitive.to_owned(),
            backend: "default".to_owned(),
            default_backend: true,
            is_variant: false,
            security: None,
            row: None,
            lengths,
            unavailable: None,
        }
    }

    /// Returns a call of it.
    pub fn call(&self, contract: Contract, parameters: Parameters) -> CallSpec {
        let (primitive, operation) = (self.primitive.clone(), self.operation);
        CallSpec { primitive, operation, contract, parameters }
    }

    /// Returns what the cost of a call is a function of.
    pub fn axis(&self) -> Axis {
        self.operation.axis(&self.primitive)
    }

    /// Whether both do the same work, whatever lengths each accepts.
    pub fn does_the_same_as(&self, other: &Self) -> bool {
        (&self.primitive, self.operation) == (&other.primitive, other.operation)
    }

    /// Whether both belong to one implementation, whatever their operations.
    pub fn is_of_the_same_as(&self, other: &Self) -> bool {
        (&self.primitive, &self.spelling, &self.backend)
            == (&other.primitive, &other.spelling, &other.backend)
    }
}

/// Identifies a row of bench-slopes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BenchSlopesRow {
    /// `hash`, `mac`, `cipher` or `kdf`.
    pub group: String,
    /// The name that the library's own tool prints, such as `aes-128`.
    pub algorithm: String,
    /// The mode, such as `CBC enc`; empty if the group has none.
    pub mode: String,
}

crate::named! {
    /// States whether an implementation's time may depend on secrets, according to its author and
    /// in SUPERCOP's terms.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Security {
        /// No branch and no index depends on a secret, callees included.
        ConstBranchIndex = "constbranchindex",
        /// The author makes no such claim.
        TimingLeaks = "timingleaks",
    }
}

/// The lengths an implementation works with, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// The key or password; none if there is no key.
    pub key: LengthRange,
    /// The nonce, initial value or salt.
    pub nonce: LengthRange,
    /// The associated data, or a derivation's info.
    #[serde(default)]
    pub aad: LengthRange,
    /// The tag; 0 if there is none.
    pub tag: usize,
    /// Messages must be a multiple of this; 1 accepts any length.
    pub granularity: usize,
    /// Bytes processed per step, if the cost rises in steps.
    pub block: Option<usize>,
    /// The output, unless its length follows from the message's.
    pub output: Option<LengthRange>,
    /// The public key; none without key pairs.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub public_key: LengthRange,
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub secret_key: LengthRange,
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub signature: LengthRange,
    /// The ciphertext that encapsulates a secret or encrypts to a key.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub ciphertext: LengthRange,
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub shared_secret: LengthRange,
    /// Randomness given to the call; none if the library draws its own.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub randomness: LengthRange,
    /// An input of fixed length that has no other role.
    #[serde(default, skip_serializing_if = "LengthRange::is_none")]
    pub input: LengthRange,
}

impl Lengths {
    /// Returns the lengths of a role; `None` if they follow from the message's length. A tag that
    /// is the whole output has the output's lengths.
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

/// Identifies a build of a library that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibraryBuild {
    /// The name it was requested by, with path and environment if given. Unique in a run.
    pub label: String,
    /// Its name, such as `openssl`.
    pub name: String,
    /// The version that it states.
    pub version: String,
    /// The version line that its own programs print.
    pub banner: String,
    /// The file it was loaded from; absent if it is part of cpb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The SHA-256 digest of that file, in hexadecimal. It identifies the build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The commit checked out in the git working tree that contains the file; absent if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The code path it chose, such as its view of the CPU's capabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_path: Option<String>,
}
