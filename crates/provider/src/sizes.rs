//! Resolves the lengths of a call against an offer, so that the implementation accepts every one of
//! them.

use crate::{codec, scheme};
use cpb_model::{CallSpec, DoesNotFit, LengthRange, Offer, Operation, Role};

/// The output length of an XOF or a derivation if none is requested.
pub const DEFAULT_OUTPUT_BYTES: usize = 32;
/// The range of an output of free length.
pub const FREE_OUTPUT: LengthRange = LengthRange::free(DEFAULT_OUTPUT_BYTES);
/// The range of a password or key to derive from, and of a salt.
pub const SECRET: LengthRange = LengthRange::free(16);
/// The range of an HMAC key, which may have any length; libraries are compared at this default.
pub const HMAC_KEY: LengthRange = LengthRange::free(32);

/// Returns the range of an operation's associated data: none beside the message if that is the
/// associated data itself.
pub fn aad(operation: Operation) -> LengthRange {
    if operation.takes_aad() { LengthRange::free(0) } else { LengthRange::NONE }
}

/// Returns the range of a derivation's info; derivations from passwords have none.
pub fn info(primitive: &str) -> LengthRange {
    let of_passwords = ["pbkdf2-", "bcrypt-", "scrypt-", "argon2"];
    if of_passwords.iter().any(|name| primitive.starts_with(name)) {
        LengthRange::NONE
    } else {
        LengthRange::free(0)
    }
}

/// The lengths of a call, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub(crate) message: usize,
    pub(crate) key: usize,
    pub(crate) nonce: usize,
    pub(crate) aad: usize,
    pub(crate) input: usize,
    pub(crate) tag: usize,
    pub(crate) iterations: u64,
    /// See [`Inputs::output_bytes`](crate::Inputs::output_bytes).
    pub(crate) output: usize,
    /// The length of the output of a call.
    pub(crate) result: usize,
    /// See [`Inputs::shorter_by`](crate::Inputs::shorter_by).
    pub(crate) shorter_by: usize,
}

impl Sizes {
    /// Resolves the lengths of `workload` for `offer`.
    ///
    /// # Errors
    /// [`DoesNotFit`], if the offer has no such lengths.
    pub fn of(offer: &Offer, workload: &CallSpec) -> Result<Self, DoesNotFit> {
        let (lengths, parameters) = (&offer.lengths, &workload.parameters);
        let whose = &offer.spelling;
        let takes = offer.operation.row().takes;
        let name =
            |role: Role, other: Role| if takes.contains(&role) { role } else { other }.name();
        let nonce = name(Role::Salt, Role::Nonce);
        let aad = name(Role::Info, Role::Aad);
        let message = parameters.message_bytes;
        let message = LengthRange::free(0).resolve(whose, "message", Some(message))?;
        let granularity = lengths.granularity.max(1);
        if !message.is_multiple_of(granularity) {
            let (whose, bytes) = (whose.clone(), message);
            return Err(DoesNotFit::Uneven { whose, granularity, bytes });
        }
        let message = if offer.operation.takes_message() { message } else { 0 };
        let tag = LengthRange::fixed(lengths.tag).resolve(whose, "tag", None)?;
        let (output, result) = outputs(offer, workload, tag)?;
        Ok(Self {
            message,
            key: lengths.key.resolve(whose, "key", parameters.key_bytes)?,
            nonce: lengths.nonce.resolve(whose, nonce, parameters.nonce_bytes)?,
            aad: lengths.aad.resolve(whose, aad, Some(parameters.aad_bytes))?,
            input: lengths.input.resolve(whose, Role::Input.name(), None)?,
            tag,
            iterations: iterations(offer, parameters.iterations)?,
            output,
            result,
            shorter_by: shorter_by(offer),
        })
    }

    /// Returns the size that the destination must have.
    pub(crate) fn room(&self) -> usize {
        (self.message + self.tag).max(self.output)
    }
}

/// Returns the lengths of output and result; the message's is known to be in range.
fn outputs(offer: &Offer, workload: &CallSpec, tag: usize) -> Result<(usize, usize), DoesNotFit> {
    let (message, wanted) = (workload.parameters.message_bytes, workload.parameters.output_bytes);
    let resolve = |length: LengthRange| length.resolve(&offer.spelling, "output", wanted);
    let both = |bytes| (bytes, bytes);
    // A length that follows from the message may exceed what can be requested.
    let follows = |bytes| match wanted {
        Some(other) if other != bytes => resolve(LengthRange::fixed(bytes)),
        _ => Ok(bytes),
    };
    if let Some(length) = offer.lengths.output {
        return resolve(length).map(both);
    }
    let row = offer.operation.row();
    if offer.operation.is_public_key() {
        return follows(row.gives.iter().map(|role| stated(offer, *role)).sum()).map(both);
    }
    match row.gives {
        [Role::Text] => follows(codec::encoded_len(&offer.primitive, message)).map(both),
        [Role::Message] if row.message == Role::Text => {
            resolve(codec::decoded(&offer.primitive, message)).map(both)
        }
        [Role::Message | Role::Ciphertext] => follows(message).map(|result| (0, result)),
        [Role::Ciphertext, Role::Tag] => follows(message + tag).map(|result| (0, result)),
        [Role::Tag] if row.takes.contains(&Role::Aad) => follows(tag).map(|result| (0, result)),
        [Role::Tag] if tag != 0 => follows(tag).map(both),
        [] => Ok((0, 0)),
        _ => Err(DoesNotFit::NoOutput { whose: offer.spelling.clone() }),
    }
}

/// Returns the output length of a role; for keys in DER, whose length varies, the maximum.
pub(crate) fn stated(offer: &Offer, role: Role) -> usize {
    let Some(length) = offer.lengths.of(role) else { return 0 };
    let is_chance = scheme::is_slow(&offer.primitive, offer.operation);
    if is_chance { length.range().1 } else { length.default_length() }
}

/// Returns how much shorter than [`stated`] the last output may be.
fn shorter_by(offer: &Offer) -> usize {
    let last = offer.operation.row().gives.last();
    let length = last.and_then(|role| offer.lengths.of(*role));
    let is_chance = scheme::is_slow(&offer.primitive, offer.operation);
    let (least, most) = length.filter(|_| is_chance).map_or((0, 0), LengthRange::range);
    most - least
}

fn iterations(offer: &Offer, wanted: Option<u64>) -> Result<u64, DoesNotFit> {
    match wanted.unwrap_or(1) {
        iterations @ 1..=0xffff_ffff => Ok(iterations),
        iterations => Err(DoesNotFit::Iterations { whose: offer.spelling.clone(), iterations }),
    }
}
