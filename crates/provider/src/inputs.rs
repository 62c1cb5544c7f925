//! The bytes a workload works on: the same for every library, so that their
//! results can be compared.

use crate::buffer::{NoMemory, zeros};
use crate::dependence::{Beside, FeedTarget, Word, put_first};
use crate::seeds::RoleValues;
use crate::sizes::stated;
use crate::{Buffer, PrepareError, Sizes};
use cpb_model::{Alignment, CallSpec, LengthRange, Offer, Operation, OperationRow, Role};
use std::ops::{Deref, DerefMut};

/// What a workload works on, and room for its result: of lengths that the offer has.
/// Nothing moves while this lives.
///
/// Calls take the cases in turn. What has one alone, as everything symmetric, finds it
/// in place of the inputs themselves.
#[derive(Debug)]
pub struct Inputs {
    /// One or more.
    pub cases: Vec<Case>,
    /// Room for the result, on a page boundary.
    pub destination: Buffer,
    /// Iterations of a derivation; 1 where none are asked for.
    pub iterations: u64,
    /// Length of the result where it is free (XOF, derivation), fixed (hash, MAC)
    /// or another than the message's (codecs); 0 where it is the message's.
    pub output_bytes: usize,
    /// Length of what a call puts out.
    pub result_bytes: usize,
    /// What it is made of.
    pub outputs: Vec<(Role, usize)>,
    /// How many bytes less the last of these may have: DER leaves leading zeros out of what
    /// the secret keys of RSA consist of.
    pub shorter_by: usize,
}

/// What one call is given: a message, and bytes for each other role.
#[derive(Debug)]
pub struct Case {
    /// The message or plaintext, placed as the workload asks, holding `i mod 251` (with key
    /// pairs: bytes of the [seeds](crate::seeds)); or the ciphertext or text that stands in
    /// its place.
    pub message: Buffer,
    /// By role. Even what is empty has an address of its own, which libraries may look at.
    parts: [Vec<u8>; Role::ALL.len()],
    /// What no call looks at.
    beside: Beside,
}

impl Case {
    /// A case of a message alone.
    ///
    /// # Errors
    /// [`NoMemory`], where there is not so much.
    pub fn new(message: Buffer) -> Result<Self, NoMemory> {
        let mut parts = [const { Vec::new() }; Role::ALL.len()];
        for part in &mut parts {
            *part = zeros(0)?;
        }
        Ok(Self { message, parts, beside: Beside::default() })
    }

    /// What stands for a role other than the message's; nothing where there is none. No
    /// look-up, so that calls may ask.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self, role: Role) -> &[u8] {
        &self.parts[role as usize - 1]
    }

    /// The key, or the password that an operation takes in its place.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.either(Role::Key, Role::Password)
    }

    /// The nonce or initial value, or a salt.
    #[must_use]
    pub fn nonce(&self) -> &[u8] {
        self.either(Role::Nonce, Role::Salt)
    }

    /// The associated data, or an info.
    #[must_use]
    pub fn aad(&self) -> &[u8] {
        self.either(Role::Aad, Role::Info)
    }

    fn either(&self, role: Role, other: Role) -> &[u8] {
        if self.bytes(role).is_empty() { self.bytes(other) } else { self.bytes(role) }
    }

    /// What stands for a role other than the message's, to write.
    #[must_use]
    pub fn bytes_mut(&mut self, role: Role) -> &mut [u8] {
        &mut self.parts[role as usize - 1]
    }

    /// Where that begins, as [`Buffer::pointer`].
    #[must_use]
    pub fn pointer(&mut self, role: Role) -> *mut u8 {
        self.parts[role as usize - 1].as_mut_ptr()
    }

    /// Puts `bytes` where the role stands.
    pub fn put(&mut self, role: Role, bytes: Vec<u8>) {
        self.parts[role as usize - 1] = bytes;
    }

    /// Writes a word at this place; says whether there is room for it.
    #[inline(always)]
    pub fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
        match place {
            FeedTarget::Input(Role::Message) => put_first(self.message.bytes_mut(), word),
            FeedTarget::Input(role) => put_first(self.bytes_mut(role), word),
            FeedTarget::Beside => put_first(&mut self.beside, word),
        }
    }

    /// Where stands what is given for a role of the operation, its message's, too, and how long
    /// it is.
    pub(crate) fn place(&mut self, operation: &OperationRow, role: Role) -> (*mut u8, usize) {
        if role == operation.message {
            (self.message.pointer(), self.message.bytes().len())
        } else {
            (self.pointer(role), self.bytes(role).len())
        }
    }

    /// Puts these bytes where the role of the operation stands; a message has its length
    /// already.
    pub(crate) fn set(&mut self, operation: &OperationRow, role: Role, bytes: &[u8]) {
        if role == operation.message {
            self.message.bytes_mut().copy_from_slice(bytes);
        } else {
            self.put(role, bytes.to_vec());
        }
    }
}

impl Inputs {
    /// The inputs of a `workload` for `offer` that has one case. What other operations put
    /// out is still lacking ([`crate::prepare`]).
    ///
    /// # Errors
    /// [`PrepareError`], where the offer has no such lengths, or there is no memory.
    pub fn new(offer: &Offer, workload: &CallSpec) -> Result<Self, PrepareError> {
        let sizes = Sizes::of(offer, workload)?;
        let mut case = symmetric(offer.operation.row(), &sizes, workload.parameters.alignment)?;
        if offer.operation == Operation::Sort {
            shuffled(case.message.bytes_mut());
        }
        Self::of(offer, &sizes, vec![case])
    }

    /// The inputs of a public-key `workload` that has these cases: the lengths of all but
    /// the message are those of what is known.
    ///
    /// # Errors
    /// [`PrepareError`], where the offer has no such lengths, something it takes is not
    /// known, or there is no memory.
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

    /// Length of the message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message.bytes().len()
    }

    /// Takes what another operation put out: the message, and the tag behind it.
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

/// The case of what has one alone.
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

/// A case of what works with key pairs.
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

/// What a result of so many bytes is made of, by role.
pub(crate) fn outputs(offer: &Offer, result_bytes: usize) -> Vec<(Role, usize)> {
    match *offer.operation.row().gives {
        // What is in front of the last has what that leaves over.
        [text, last] => {
            let behind = stated(offer, last).min(result_bytes);
            vec![(text, result_bytes - behind), (last, behind)]
        }
        ref roles => roles.iter().map(|&role| (role, result_bytes)).collect(),
    }
}

/// The key, or password, of so many bytes.
///
/// # Errors
/// [`NoMemory`], where there is not so much.
pub fn key(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 17, 5)
}

/// The nonce, or salt, of so many bytes.
///
/// # Errors
/// [`NoMemory`], where there is not so much.
pub fn nonce(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 13, 3)
}

/// `factor · i + start mod 251`: different for keys, nonces and associated
/// data, and no weak key of DES, nor equal halves for XTS.
fn pattern(length: usize, factor: usize, start: usize) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = zeros(length)?;
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = ((factor * index + start) % 251) as u8;
    }
    Ok(bytes)
}

/// Bytes without any order, the same every time: what sorts takes its time by them.
fn shuffled(bytes: &mut [u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for byte in bytes {
        // Xorshift (Marsaglia 2003), whose middle bits are as good as any here.
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
        let primitive = primitive.to_owned();
        let offer = Offer {
            primitive: primitive.clone(),
            operation,
            spelling: primitive.clone(),
            backend: "default".to_owned(),
            default_backend: true,
            is_variant: false,
            security: None,
            row: None,
            lengths: Lengths {
                key: LengthRange::free(16),
                nonce: LengthRange::free(12),
                aad: LengthRange::free(0),
                granularity: 1,
                output: (operation == Operation::Derive).then_some(LengthRange::free(32)),
                ..Lengths::default()
            },
            unavailable: None,
        };
        let contract = Contract::Oneshot;
        Inputs::new(&offer, &CallSpec { primitive, operation, contract, parameters }).unwrap()
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
        let mut inputs = inputs(
            Operation::Open,
            "aes-128-gcm",
            Parameters { message_bytes: 3, ..Parameters::default() },
        );
        inputs.take(&[9, 8, 7, 6, 5]).unwrap();
        let tag = inputs.bytes(Role::Tag);
        assert_eq!((inputs.message.bytes(), tag), (&[9, 8, 7][..], &[6, 5][..]));
        assert!(inputs.take(&[1, 2]).is_err());
    }

    #[test]
    fn there_is_room_for_the_text() {
        for (primitive, room) in [("base16", 20), ("base64", 16)] {
            let parameters = Parameters { message_bytes: 10, ..Parameters::default() };
            let inputs = inputs(Operation::Encode, primitive, parameters);
            assert_eq!((inputs.output_bytes, inputs.destination.bytes().len()), (room, room));
        }
    }
}
