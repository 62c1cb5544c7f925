//! Makes the bytes that a call works on. They are the same for every library, so that results can
//! be compared.

use crate::buffer::{NoMemory, zeros};
use crate::seeds::RoleValues;
use crate::sizes::stated;
use crate::word::{Beside, put_first};
use crate::{Buffer, FeedTarget, PrepareError, Sizes, Word};
use cpb_model::{Alignment, CallSpec, LengthRange, Offer, Operation, OperationRow, Role};
use std::ops::{Deref, DerefMut};

/// The inputs of a call, with room for its result, in lengths that the offer accepts. Nothing in it
/// moves while it lives.
///
/// Calls rotate through the cases. A call with one case, as every symmetric one, can use the inputs
/// directly as that case.
#[derive(Debug)]
pub struct Inputs {
    /// The cases; at least one.
    pub cases: Vec<Case>,
    /// The destination of the result, at a page boundary.
    pub destination: Buffer,
    /// Iterations of a derivation; 1 if none are requested.
    pub iterations: u64,
    /// Length of the result if it is free (XOF, derivation), fixed (hash, MAC) or differs from the
    /// message's (codecs); 0 if it equals the message's.
    pub output_bytes: usize,
    /// Length of the output of a call.
    pub result_bytes: usize,
    /// The parts of that output.
    pub outputs: Vec<(Role, usize)>,
    /// How many bytes shorter the last part may be: DER omits leading zeros of the numbers in RSA
    /// secret keys.
    pub shorter_by: usize,
}

/// The input of one call: a message, and bytes for each other role.
#[derive(Debug)]
pub struct Case {
    /// The message or plaintext, placed as the workload asks, with the pattern `i mod 251` (with
    /// key pairs, bytes of the [seeds](crate::seeds)); or the ciphertext or text in its place.
    pub message: Buffer,
    /// The bytes by role. Even empty ones have an address of their own, which libraries may check.
    parts: [Vec<u8>; Role::ALL.len()],
    /// Memory that no call reads.
    beside: Beside,
}

impl Case {
    /// Creates a case that has only a message.
    ///
    /// # Errors
    /// [`NoMemory`], if there is not enough memory.
    pub fn new(message: Buffer) -> Result<Self, NoMemory> {
        let mut parts = [const { Vec::new() }; Role::ALL.len()];
        for part in &mut parts {
            *part = zeros(0)?;
        }
        Ok(Self { message, parts, beside: Beside::default() })
    }

    /// Returns the bytes of a role other than the message's; empty if there are none. It is no
    /// look-up, so that calls may use it.
    #[inline(always)]
    pub fn bytes(&self, role: Role) -> &[u8] {
        &self.parts[role as usize - 1]
    }

    /// Returns the key, or the password in its place.
    pub fn key(&self) -> &[u8] {
        self.either(Role::Key, Role::Password)
    }

    /// Returns the nonce, initial value or salt.
    pub fn nonce(&self) -> &[u8] {
        self.either(Role::Nonce, Role::Salt)
    }

    /// Returns the associated data, or an info.
    pub fn aad(&self) -> &[u8] {
        self.either(Role::Aad, Role::Info)
    }

    fn either(&self, role: Role, other: Role) -> &[u8] {
        if self.bytes(role).is_empty() { self.bytes(other) } else { self.bytes(role) }
    }

    /// Returns the bytes of a role other than the message's, writable.
    pub fn bytes_mut(&mut self, role: Role) -> &mut [u8] {
        &mut self.parts[role as usize - 1]
    }

    /// Returns the address of those bytes; see [`Buffer::pointer`].
    pub fn pointer(&mut self, role: Role) -> *mut u8 {
        self.parts[role as usize - 1].as_mut_ptr()
    }

    /// Sets the bytes of a role.
    pub fn put(&mut self, role: Role, bytes: Vec<u8>) {
        self.parts[role as usize - 1] = bytes;
    }

    /// Writes a word at this target; returns whether there is room for it.
    #[inline(always)]
    pub fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
        match place {
            FeedTarget::Input(Role::Message) => put_first(self.message.bytes_mut(), word),
            FeedTarget::Input(role) => put_first(self.bytes_mut(role), word),
            FeedTarget::Beside => put_first(&mut self.beside, word),
        }
    }

    /// Returns address and length of the bytes for a role of the operation, which may be the
    /// message's.
    pub(crate) fn place(&mut self, operation: &OperationRow, role: Role) -> (*mut u8, usize) {
        if role == operation.message {
            (self.message.pointer(), self.message.bytes().len())
        } else {
            (self.pointer(role), self.bytes(role).len())
        }
    }

    /// Sets the bytes for a role of the operation; a message keeps its length.
    pub(crate) fn set(&mut self, operation: &OperationRow, role: Role, bytes: &[u8]) {
        if role == operation.message {
            self.message.bytes_mut().copy_from_slice(bytes);
        } else {
            self.put(role, bytes.to_vec());
        }
    }
}

impl Inputs {
    /// Makes the inputs of a `workload` for `offer` with one case. Outputs of other operations are
    /// still missing ([`crate::prepare()`]).
    ///
    /// # Errors
    /// [`PrepareError`], if the offer has no such lengths, or there is not enough memory.
    pub fn new(offer: &Offer, workload: &CallSpec) -> Result<Self, PrepareError> {
        let sizes = Sizes::of(offer, workload)?;
        let mut case = symmetric(offer.operation.row(), &sizes, workload.parameters.alignment)?;
        if offer.operation == Operation::Sort {
            shuffled(case.message.bytes_mut());
        }
        Self::of(offer, &sizes, vec![case])
    }

    /// Makes the inputs of a public-key `workload` from these known cases, which determine all
    /// lengths except the message's.
    ///
    /// # Errors
    /// [`PrepareError`], if the offer has no such lengths, an input is unknown, or there is not
    /// enough memory.
    pub fn of_known(
        offer: &Offer,
        workload: &CallSpec,
        known: &[RoleValues],
    ) -> Result<Self, PrepareError> {
        let sizes = Sizes::of(offer, workload)?;
        let one = |known: &RoleValues| public_key_case(offer, &sizes, workload, known);
        Self::of(offer, &sizes, known.iter().map(one).collect::<Result<_, _>>()?)
    }

    fn of(offer: &Offer, sizes: &Sizes, cases: Vec<Case>) -> Result<Self, PrepareError> {
        Ok(Self {
            cases,
            destination: Buffer::zeroed(sizes.room())?,
            iterations: sizes.iterations,
            output_bytes: sizes.output,
            result_bytes: sizes.result,
            outputs: outputs(offer, sizes.result),
            shorter_by: sizes.shorter_by,
        })
    }

    /// Returns the length of the message.
    pub fn message_bytes(&self) -> usize {
        self.message.bytes().len()
    }

    /// Takes the output of another operation: the message, followed by the tag.
    pub(crate) fn take(&mut self, artefact: &[u8]) -> Result<(), PrepareError> {
        let message_bytes = self.message_bytes();
        let (message, tag) = artefact.split_at_checked(message_bytes).ok_or_else(|| {
            PrepareError::Unavailable(format!(
                "there are {} bytes to work on where {message_bytes} are asked for",
                artefact.len()
            ))
        })?;
        self.message.bytes_mut().copy_from_slice(message);
        self.put(Role::Tag, tag.to_vec());
        Ok(())
    }
}

/// The first case.
impl Deref for Inputs {
    type Target = Case;

    fn deref(&self) -> &Case {
        &self.cases[0]
    }
}

impl DerefMut for Inputs {
    fn deref_mut(&mut self) -> &mut Case {
        &mut self.cases[0]
    }
}

/// Makes the single case of a symmetric operation.
fn symmetric(row: &OperationRow, sizes: &Sizes, alignment: Alignment) -> Result<Case, NoMemory> {
    let mut case = Case::new(Buffer::with_pattern(sizes.message, alignment)?)?;
    for role in row.takes.iter().filter(|role| **role != row.message) {
        match role {
            Role::Key | Role::Password => case.put(*role, key(sizes.key)?),
            Role::Nonce | Role::Salt => case.put(*role, nonce(sizes.nonce)?),
            Role::Aad | Role::Info => case.put(*role, pattern(sizes.aad, 11, 7)?),
            Role::Input => case.put(*role, pattern(sizes.input, 19, 11)?),
            _ => {}
        }
    }
    Ok(case)
}

/// Makes a case of an operation with key pairs.
fn public_key_case(
    offer: &Offer,
    sizes: &Sizes,
    workload: &CallSpec,
    known: &RoleValues,
) -> Result<Case, PrepareError> {
    let row = offer.operation.row();
    let mut case = Case::new(Buffer::with_pattern(sizes.message, workload.parameters.alignment)?)?;
    for role in row.takes {
        let lengths = match *role {
            role if role == row.message => LengthRange::fixed(sizes.message),
            role => offer.lengths.of(role).unwrap_or(LengthRange::NONE),
        };
        let bytes = known.get(role).map_or(&[][..], Vec::as_slice);
        lengths.resolve(&offer.spelling, role.name(), Some(bytes.len()))?;
        case.set(row, *role, bytes);
    }
    Ok(case)
}

/// Splits a result of this length into its parts, by role.
pub(crate) fn outputs(offer: &Offer, result_bytes: usize) -> Vec<(Role, usize)> {
    match *offer.operation.row().gives {
        // The part before the last has the remaining bytes.
        [text, last] => {
            let behind = stated(offer, last).min(result_bytes);
            vec![(text, result_bytes - behind), (last, behind)]
        }
        ref roles => roles.iter().map(|&role| (role, result_bytes)).collect(),
    }
}

/// Returns the key, or password, of this length.
///
/// # Errors
/// [`NoMemory`], if there is not enough memory.
pub fn key(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 17, 5)
}

/// Returns the nonce, or salt, of this length.
///
/// # Errors
/// [`NoMemory`], if there is not enough memory.
pub fn nonce(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 13, 3)
}

/// Returns the pattern `factor · i + start mod 251`: different for keys, nonces and associated
/// data, and neither a weak DES key nor equal halves for XTS.
fn pattern(length: usize, factor: usize, start: usize) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = zeros(length)?;
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = ((factor * index + start) % 251) as u8;
    }
    Ok(bytes)
}

/// Fills bytes without any order, always the same; sorting takes its time by them.
fn shuffled(bytes: &mut [u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for byte in bytes {
        // Xorshift (Marsaglia 2003), whose middle bits are good enough here.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = (state >> 24) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, Lengths, Parameters};

    fn inputs(operation: Operation, primitive: &str, parameters: Parameters) -> Inputs {
        let lengths = Lengths {
            key: LengthRange::free(16),
            nonce: LengthRange::free(12),
            aad: LengthRange::free(0),
            granularity: 1,
            output: (operation == Operation::Derive).then_some(LengthRange::free(32)),
            ..Lengths::default()
        };
        let offer = Offer::new(primitive, operation, lengths);
        Inputs::new(&offer, &offer.call(Contract::Oneshot, parameters)).unwrap()
    }

    #[test]
    fn lengths_are_the_offers_unless_the_workload_has_others() {
        let usual = inputs(Operation::Derive, "hkdf-sha256", Parameters::default());
        let lengths = |inputs: &Inputs| {
            [Role::Password, Role::Salt, Role::Info].map(|role| inputs.bytes(role).len())
        };
        assert_eq!(lengths(&usual), [16, 12, 0]);
        let parameters = Parameters {
            key_bytes: Some(5),
            nonce_bytes: Some(0),
            aad_bytes: 7,
            output_bytes: Some(40),
            ..Parameters::default()
        };
        let stated = inputs(Operation::Derive, "hkdf-sha256", parameters);
        assert_eq!(lengths(&stated), [5, 0, 7]);
        assert_eq!((stated.output_bytes, stated.destination.bytes().len()), (40, 40));
        assert_eq!(usual.bytes(Role::Password)[..5], *stated.bytes(Role::Password));
    }

    #[test]
    fn what_another_operation_put_out_is_message_and_tag() {
        let mut inputs = inputs(Operation::Open, "aes-128-gcm", Parameters::of_message(3));
        inputs.take(&[9, 8, 7, 6, 5]).unwrap();
        let tag = inputs.bytes(Role::Tag);
        assert_eq!((inputs.message.bytes(), tag), (&[9, 8, 7][..], &[6, 5][..]));
        assert!(inputs.take(&[1, 2]).is_err());
    }

    #[test]
    fn there_is_room_for_the_text() {
        for (primitive, room) in [("base16", 20), ("base64", 16)] {
            let parameters = Parameters::of_message(10);
            let inputs = inputs(Operation::Encode, primitive, parameters);
            assert_eq!((inputs.output_bytes, inputs.destination.bytes().len()), (room, room));
        }
    }
}
