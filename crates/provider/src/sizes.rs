//! The lengths of a workload, resolved against an offer: once these are made,
//! every one of them is a length that the implementation works with.

use crate::{codec, scheme};
use cpb_model::{CallSpec, DoesNotFit, LengthRange, Offer, Operation, Role};

/// Output length of an XOF or a derivation where nobody asks for another.
pub const DEFAULT_OUTPUT_BYTES: usize = 32;
/// The output of what puts out as much as one wants.
pub const FREE_OUTPUT: LengthRange = LengthRange::free(DEFAULT_OUTPUT_BYTES);
/// Of a password or a key to derive from, and of a salt.
pub const SECRET: LengthRange = LengthRange::free(16);
/// HMAC takes a key of any length; libraries are compared with this one.
pub const HMAC_KEY: LengthRange = LengthRange::free(32);

/// Of the associated data of what does this operation: it has none beside the message
/// where that is the associated data.
#[must_use]
pub fn aad(operation: Operation) -> LengthRange {
    if operation.takes_aad() { LengthRange::free(0) } else { LengthRange::NONE }
}

/// Of the info of a derivation: that of passwords has none.
#[must_use]
pub fn info(primitive: &str) -> LengthRange {
    let of_passwords = ["pbkdf2-", "bcrypt-", "scrypt-", "argon2"];
    if of_passwords.iter().any(|name| primitive.starts_with(name)) {
        LengthRange::NONE
    } else {
        LengthRange::free(0)
    }
}

/// The lengths of a workload, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub(crate) message: usize,
    pub(crate) key: usize,
    pub(crate) nonce: usize,
    pub(crate) aad: usize,
    pub(crate) input: usize,
    pub(crate) tag: usize,
    pub(crate) iterations: u64,
    /// As of [`Inputs::output_bytes`](crate::Inputs::output_bytes).
    pub(crate) output: usize,
    /// Of what a call puts out.
    pub(crate) result: usize,
    /// As of [`Inputs::shorter_by`](crate::Inputs::shorter_by).
    pub(crate) shorter_by: usize,
}

impl Sizes {
    /// The lengths of `workload` for `offer`.
    ///
    /// # Errors
    /// [`DoesNotFit`], where the offer has no such lengths.
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

    /// What the destination must have room for.
    pub(crate) fn room(&self) -> usize {
        (self.message + self.tag).max(self.output)
    }
}

/// Lengths of output and result; the message's is known to be in range.
fn outputs(offer: &Offer, workload: &CallSpec, tag: usize) -> Result<(usize, usize), DoesNotFit> {
    let (message, wanted) = (workload.parameters.message_bytes, workload.parameters.output_bytes);
    let resolve = |length: LengthRange| length.resolve(&offer.spelling, "output", wanted);
    let both = |bytes| (bytes, bytes);
    // What follows from the message may be more than the most that one can ask for.
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

/// The length that is put out of a role; of keys in DER, whose length is chance, the most.
pub(crate) fn stated(offer: &Offer, role: Role) -> usize {
    let Some(length) = offer.lengths.of(role) else { return 0 };
    let is_chance = scheme::is_slow(&offer.primitive, offer.operation);
    if is_chance { length.range().1 } else { length.default_length() }
}

/// How many bytes less than [`stated`] the last output may have.
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
