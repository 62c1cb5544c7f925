//! Defines what one call does, as one value. Results are ranked, compared, paired and followed
//! through time only where their workloads (and setups) are equal; nothing else decides that.

use crate::{
    Alignment, Caches, Contract, LengthRange, Lengths, Offer, Operation, Parameters, Role,
    is_harmless,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// Identifies what one call does, apart from the length of its message.
///
/// Its text form is its key: `aes-128-gcm/seal/oneshot+aad=13`. [`fmt::Display`] writes it and
/// [`FromStr`] reads it back. docs/WORKLOADS.md has the grammar, which is frozen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Workload {
    /// The primitive's canonical name, such as `aes-128-gcm`.
    pub primitive: String,
    /// The operation on the primitive.
    pub operation: Operation,
    /// What one timed call includes.
    pub contract: Contract,
    /// Bytes of the associated data, or of a derivation's info.
    pub aad: usize,
    /// Bytes of the key or password; `None` for the [`standard`] length.
    pub key: Option<usize>,
    /// Bytes of the nonce or salt; `None` for the [`standard`] length.
    pub nonce: Option<usize>,
    /// Bytes of an output of free length; `None` for the [`standard`] length.
    pub output: Option<usize>,
    /// Where the message starts in memory.
    pub alignment: Alignment,
    /// What the caches hold when a call begins.
    pub caches: Caches,
}

/// The standard lengths of a primitive and operation, in bytes: those its specification fixes, or,
/// where it leaves them free, those that libraries are compared at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standard {
    /// Bytes of the key or password; 0 if unknown.
    pub key: usize,
    /// Bytes of the nonce or salt; 0 if unknown.
    pub nonce: usize,
    /// Bytes of the output; `None` if its length is not free.
    pub output: Option<usize>,
}

/// Bytes of the secret and of the salt that a key is derived from.
const SECRET: usize = 16;
/// Bytes of an output of free length.
const OUTPUT: usize = 32;

/// Key and nonce bytes of ciphers and MACs by canonical name, one per line. Lines never change: a
/// changed one would merge different work into one history.
static CIPHERS: LazyLock<HashMap<&str, [usize; 2]>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let mut length = || words.next()?.parse().ok();
        Some((name, [length()?, length()?]))
    };
    include_str!("standard.txt").lines().filter_map(line).collect()
});

/// Returns the standard lengths of `operation` of `primitive`. For an unknown primitive they are 0,
/// so that its keys spell out every length.
pub fn standard(primitive: &str, operation: Operation) -> Standard {
    use Operation::{Auth, Decrypt, Derive, Encrypt, Mac, Open, Random, Seal, Xof};
    match operation {
        Derive => Standard { key: SECRET, nonce: SECRET, output: Some(OUTPUT) },
        Xof | Random => Standard { output: Some(OUTPUT), ..Standard::default() },
        Encrypt | Decrypt | Seal | Open | Auth | Mac => match CIPHERS.get(primitive) {
            Some(&[key, nonce]) => Standard { key, nonce, output: None },
            None => Standard::default(),
        },
        _ => Standard::default(),
    }
}

impl Workload {
    /// Builds the workload of a call of `offer` with these parameters, ignoring the message's
    /// length.
    pub fn of(offer: &Offer, contract: Contract, parameters: &Parameters) -> Self {
        let Lengths { key, nonce, output, .. } = offer.lengths;
        let is_free = standard(&offer.primitive, offer.operation).output.is_some();
        let output = output.filter(|it| is_free || it.is_free()).map(LengthRange::default_length);
        let parameters = Parameters {
            key_bytes: parameters.key_bytes.or(Some(key.default_length())),
            nonce_bytes: parameters.nonce_bytes.or(Some(nonce.default_length())),
            output_bytes: parameters.output_bytes.or(output),
            ..*parameters
        };
        Self::with(&offer.primitive, offer.operation, contract, &parameters)
    }

    /// Builds the workload of a call with these parameters; absent ones are standard.
    pub fn with(
        primitive: &str,
        operation: Operation,
        contract: Contract,
        parameters: &Parameters,
    ) -> Self {
        let standard = standard(primitive, operation);
        let other = |bytes: Option<usize>, standard| bytes.filter(|&it| it != standard);
        Self {
            primitive: primitive.to_owned(),
            operation,
            contract,
            aad: parameters.aad_bytes,
            key: other(parameters.key_bytes, standard.key),
            nonce: other(parameters.nonce_bytes, standard.nonce),
            // A decoding's output length counts padding, which follows from the length of the
            // text.
            output: parameters
                .output_bytes
                .filter(|&it| standard.output != Some(it) && operation != Operation::Decode),
            alignment: parameters.alignment,
            caches: parameters.caches,
        }
    }

    /// Returns the same work with an empty primitive name, for comparing different primitives.
    pub fn of_any_primitive(&self) -> Self {
        Self { primitive: String::new(), ..self.clone() }
    }

    /// Describes it: `aes-128-gcm seal, oneshot, 13 B aad`.
    pub fn title(&self) -> String {
        let mut text = format!("{} {}", self.primitive, self.operation.name());
        self.modifiers().iter().for_each(|word| {
            text.push_str(", ");
            text.push_str(word);
        });
        text
    }

    /// Lists what differs from the defaults: `oneshot`, `13 B aad`.
    pub fn modifiers(&self) -> Vec<String> {
        let contract = (self.contract != Contract::Keyed).then(|| self.contract.name().to_owned());
        let aad = (self.aad != 0).then_some(self.aad);
        let takes = |role| self.operation.row().takes.contains(&role);
        let name = |role, word, other| if takes(role) { word } else { other };
        let lengths = [
            (aad, name(Role::Info, "info", "aad")),
            (self.key, name(Role::Password, "password", "key")),
            (self.nonce, name(Role::Salt, "salt", "nonce")),
            (self.output, "out"),
        ];
        let lengths =
            lengths.into_iter().filter_map(|(bytes, of)| Some(format!("{} B {of}", bytes?)));
        let unaligned = (self.alignment == Alignment::Unaligned).then(|| "unaligned".to_owned());
        let evicted = (self.caches == Caches::Evicted).then(|| "caches evicted".to_owned());
        contract.into_iter().chain(lengths).chain(unaligned).chain(evicted).collect()
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", escaped(&self.primitive), self.operation.name())?;
        if self.contract != Contract::Keyed {
            write!(f, "/{}", self.contract.name())?;
        }
        let aad = (self.aad != 0).then_some(self.aad);
        for (name, bytes) in
            [("aad", aad), ("key", self.key), ("nonce", self.nonce), ("out", self.output)]
        {
            bytes.map_or(Ok(()), |bytes| write!(f, "+{name}={bytes}"))?;
        }
        if self.alignment == Alignment::Unaligned {
            f.write_str("+unaligned")?;
        }
        if self.caches == Caches::Evicted {
            f.write_str("+evicted")?;
        }
        Ok(())
    }
}

/// The reason why a text is not a workload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAWorkload(String);

/// What may follow a workload's `+`: lengths, and words without a number.
const PLACES: [&str; 6] = ["aad", "key", "nonce", "out", "unaligned", "evicted"];
const LENGTHS: usize = 4;
/// Lists these in words; part of the error for anything else.
const PARAMETERS: &str = "aad=N, key=N, nonce=N, out=N, unaligned and evicted, in this order";

impl FromStr for Workload {
    type Err = NotAWorkload;

    fn from_str(text: &str) -> Result<Self, NotAWorkload> {
        let wrong = |what: String| NotAWorkload(format!("'{text}' is not a workload: {what}"));
        let mut parts = text.split('+');
        let mut head = parts.next().unwrap_or_default().split('/');
        let primitive = head.next().unwrap_or_default();
        let primitive = unescaped(primitive)
            .filter(|it| !it.is_empty())
            .ok_or_else(|| wrong("it begins with no name of a primitive".to_owned()))?;
        let operation = head.next().unwrap_or_default();
        let operation = Operation::of_name(operation)
            .ok_or_else(|| wrong(format!("'{operation}' is not an operation")))?;
        let contract = match head.next() {
            None => Contract::Keyed,
            Some(name) => Contract::ALL
                .into_iter()
                .find(|it| *it != Contract::Keyed && it.name() == name)
                .ok_or_else(|| wrong(format!("'{name}' is not a contract: oneshot or compat")))?,
        };
        if let Some(more) = head.next() {
            return Err(wrong(format!("'/{more}' is more than operation and contract")));
        }
        let mut workload = Self::with(&primitive, operation, contract, &Parameters::default());
        let mut last = None;
        for part in parts {
            let (name, number) = part.split_once('=').unwrap_or((part, ""));
            let place = PLACES.iter().position(|&it| it == name);
            let place = place.filter(|place| part.contains('=') == (*place < LENGTHS));
            let place = place.ok_or_else(|| wrong(format!("'{part}' is none of {PARAMETERS}")))?;
            let bytes = || {
                let bytes = number.parse().ok().filter(|bytes: &usize| bytes.to_string() == number);
                bytes.ok_or_else(|| wrong(format!("'{part}' has no number of bytes")))
            };
            match name {
                "aad" => workload.aad = bytes()?,
                "key" => workload.key = Some(bytes()?),
                "nonce" => workload.nonce = Some(bytes()?),
                "out" => workload.output = Some(bytes()?),
                "unaligned" => workload.alignment = Alignment::Unaligned,
                _ => workload.caches = Caches::Evicted,
            }
            if Some(place) <= last {
                return Err(wrong(format!("'{part}' stands out of order: {PARAMETERS}")));
            }
            last = Some(place);
        }
        // Naming a standard length, or an aad of 0, would be a second spelling of the same
        // workload.
        if workload.to_string() == text && workload == workload.resolved() {
            Ok(workload)
        } else {
            Err(wrong(format!("it is written {}", workload.resolved())))
        }
    }
}

impl Workload {
    /// Returns the parameters of its calls without a message; standard lengths are absent.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            aad_bytes: self.aad,
            key_bytes: self.key,
            nonce_bytes: self.nonce,
            output_bytes: self.output,
            alignment: self.alignment,
            caches: self.caches,
            ..Parameters::default()
        }
    }

    /// Returns the parameters for a call of `offer` that does this work, without a message. An
    /// output of free length always has its length stated.
    pub fn parameters_in(&self, offer: &Offer) -> Parameters {
        let standard = standard(&self.primitive, self.operation);
        let given =
            Parameters { output_bytes: self.output.or(standard.output), ..self.parameters() };
        if Self::of(offer, self.contract, &given) == *self {
            return given;
        }
        // The standard length differs from the offer's default, so it must be stated.
        Parameters {
            key_bytes: self.key.or(Some(standard.key)),
            nonce_bytes: self.nonce.or(Some(standard.nonce)),
            ..given
        }
    }

    /// Drops parameters that the operation cannot have, and lengths that are standard.
    fn resolved(&self) -> Self {
        Self::with(&self.primitive, self.operation, self.contract, &self.parameters())
    }
}

/// Percent-encodes everything in `name` except `[a-zA-Z0-9._-]`.
fn escaped(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let byte = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    Cow::Owned(name.bytes().map(byte).collect())
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?,
            byte => byte,
        });
    }
    let name = String::from_utf8(bytes).ok()?;
    // Rejects second spellings of a name, and names with terminal control characters.
    (escaped(&name) == text && name.chars().all(is_harmless)).then_some(name)
}

impl Serialize for Workload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Workload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
