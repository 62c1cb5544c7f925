//! Authenticated encryption.

use super::calls::{History, repeat};
use super::cipher::{Direction, counted};
use super::functions::{Cipher, CipherContext, Functions, Owned, control};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::{Contract, Operation};
use std::ffi::{c_int, c_void};
use std::ptr;

pub(super) const TAG_BYTES: usize = 16;
const TAG_LENGTH: c_int = TAG_BYTES as c_int;
/// What bench-slopes passes as a nonce; its cipher reads what it needs.
const ZEROS: [u8; 16] = [0; 16];

/// What takes a context back to the start, beside the nonce.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    Nonce,
    /// libcrypto's SIV takes one message per key that is set.
    Key,
    /// Its GCM-SIV also keeps the associated data, until the cipher is set.
    Cipher,
}

/// What a call is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) cipher: *const Cipher,
    /// Seal, open or auth.
    pub(super) operation: Operation,
    /// Whether lengths of nonce and tag are set before the key, and the
    /// message's before each message: CCM.
    pub(super) declares_lengths: bool,
    pub(super) restart: Restart,
}

pub(super) fn prepare(
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    Ok(Box::new(keyed_call(functions, recipe, contract, inputs)?))
}

fn keyed_call(
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    mut inputs: Inputs,
) -> Result<AeadCall, PrepareError> {
    let message_bytes = counted(inputs.message.bytes().len())?;
    let aad_bytes = counted(inputs.aad.len())?;
    let core = &functions.core;
    let refused = || PrepareError::Unavailable(functions.last_error());
    let mut tag = [0; TAG_BYTES];
    if recipe.operation == Operation::Open && contract != Contract::Compat {
        tag = inputs
            .tag
            .as_slice()
            .try_into()
            .map_err(|_| PrepareError::Unavailable(format!("a tag has {TAG_BYTES} bytes")))?;
    }
    let message = inputs.message.bytes_mut().as_mut_ptr();
    let keying = Step {
        direction: Direction::new(core, recipe.operation == Operation::Open),
        control: core.cipher_control,
        declares_lengths: recipe.declares_lengths,
        cipher: recipe.cipher,
        key: inputs.key.as_ptr(),
        nonce: ptr::null(),
        aad: inputs.aad.as_ptr(),
        aad_bytes,
        source: message,
        destination: message,
        message_bytes,
        tag: tag.as_mut_ptr(),
    };
    // SAFETY: the function takes nothing, and what it returns is ours.
    let context =
        Owned::new(unsafe { (core.cipher_new)() }, core.cipher_free).ok_or_else(refused)?;
    // SAFETY: the context is live, and buffers have the lengths stated.
    if !unsafe { keying.begin(context.pointer()) } {
        return Err(refused());
    }
    let history = History::default();
    Ok(AeadCall {
        functions,
        recipe,
        contract,
        context,
        tag,
        message_bytes,
        aad_bytes,
        inputs,
        history,
    })
}

fn nonce_or_null(nonce: &[u8]) -> *const u8 {
    if nonce.is_empty() { ptr::null() } else { nonce.as_ptr() }
}

/// One message's way through a context.
#[derive(Clone, Copy)]
struct Step {
    direction: Direction,
    control: unsafe extern "C" fn(*mut CipherContext, c_int, c_int, *mut c_void) -> c_int,
    declares_lengths: bool,
    /// Null where the context has its cipher.
    cipher: *const Cipher,
    /// Null where the context keeps its key.
    key: *const u8,
    nonce: *const u8,
    aad: *const u8,
    aad_bytes: c_int,
    source: *const u8,
    destination: *mut u8,
    message_bytes: c_int,
    tag: *mut u8,
}

/// # Safety
/// Of all of them: `context` is live; what is not null has the length that the
/// cipher or the step states.
impl Step {
    /// Cipher, key and nonce, as far as they are not null.
    #[inline(always)]
    unsafe fn begin(&self, context: *mut CipherContext) -> bool {
        let Direction { init, .. } = self.direction;
        let (none, engine) = (ptr::null(), ptr::null_mut());
        // SAFETY: as the caller promises.
        unsafe {
            if !self.declares_lengths || self.cipher.is_null() {
                return init(context, self.cipher, engine, self.key, self.nonce) == 1;
            }
            init(context, self.cipher, engine, none, none) == 1
                && (self.control)(context, control::SET_NONCE_LENGTH, 12, ptr::null_mut()) == 1
                && (self.control)(context, control::SET_TAG, TAG_LENGTH, ptr::null_mut()) == 1
                && init(context, ptr::null(), engine, self.key, self.nonce) == 1
        }
    }

    /// Associated data; before it the length of the message that will follow.
    #[inline(always)]
    unsafe fn associate(
        &self,
        context: *mut CipherContext,
        (aad, aad_bytes): (*const u8, c_int),
        message_bytes: c_int,
    ) -> bool {
        let Direction { update, .. } = self.direction;
        let none = ptr::null_mut();
        let mut done = 0;
        // SAFETY: as the caller promises; without a destination nothing is
        // written.
        unsafe {
            (!self.declares_lengths
                || update(context, none, &raw mut done, ptr::null(), message_bytes) == 1)
                && (aad_bytes == 0 || update(context, none, &raw mut done, aad, aad_bytes) == 1)
        }
    }

    /// The message, and the end of it.
    #[inline(always)]
    unsafe fn process(&self, context: *mut CipherContext, message_bytes: c_int) -> bool {
        let Direction { update, finish, .. } = self.direction;
        let destination = self.destination;
        let (mut done, mut rest) = (0, 0);
        // SAFETY: as the caller promises.
        unsafe {
            update(context, destination, &raw mut done, self.source, message_bytes) == 1
                && finish(context, destination.add(done as usize), &raw mut rest) == 1
                && done + rest == message_bytes
        }
    }

    #[inline(always)]
    unsafe fn take_tag(&self, context: *mut CipherContext) -> bool {
        // SAFETY: as the caller promises.
        unsafe { (self.control)(context, control::GET_TAG, TAG_LENGTH, self.tag.cast()) == 1 }
    }

    #[inline(always)]
    unsafe fn seal(&self, context: *mut CipherContext) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            self.begin(context)
                && self.associate(context, (self.aad, self.aad_bytes), self.message_bytes)
                && self.process(context, self.message_bytes)
                && self.take_tag(context)
        }
    }

    #[inline(always)]
    unsafe fn open(&self, context: *mut CipherContext) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            self.begin(context)
                && (self.control)(context, control::SET_TAG, TAG_LENGTH, self.tag.cast()) == 1
                && self.associate(context, (self.aad, self.aad_bytes), self.message_bytes)
                && self.process(context, self.message_bytes)
        }
    }

    /// The message as associated data of nothing.
    #[inline(always)]
    unsafe fn authenticate(&self, context: *mut CipherContext) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            self.begin(context)
                && self.associate(context, (self.source, self.message_bytes), 0)
                && self.process(context, 0)
                && self.take_tag(context)
        }
    }

    /// As bench-slopes does it: no tag; finishing is tried only where
    /// something was held back.
    #[inline(always)]
    unsafe fn run_compat(&self, context: *mut CipherContext, is_auth: bool) {
        let Direction { init, update, finish } = self.direction;
        let into = if is_auth { ptr::null_mut() } else { self.destination };
        let (mut done, mut rest) = (0, 0);
        // SAFETY: as the caller promises. Less than a block is held back, and
        // finishing puts out no more than that.
        unsafe {
            init(context, ptr::null(), ptr::null_mut(), ptr::null(), ZEROS.as_ptr());
            update(context, into, &raw mut done, self.source, self.message_bytes);
            if done != self.message_bytes {
                let end = if is_auth { 0 } else { done as usize };
                finish(context, self.destination.add(end), &raw mut rest);
            }
        }
    }
}

struct AeadCall {
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    context: Owned<CipherContext>,
    /// Of the message as prepared, to be compared with.
    tag: [u8; TAG_BYTES],
    message_bytes: c_int,
    aad_bytes: c_int,
    inputs: Inputs,
    history: History,
}

impl AeadCall {
    /// Bytes put out before the tag, if one is put out.
    fn text_bytes(&self) -> usize {
        match self.recipe.operation {
            Operation::Auth => 0,
            _ => self.inputs.message.bytes().len(),
        }
    }
}

impl Prepared for AeadCall {
    fn run(&mut self, calls: u64) {
        let core = &self.functions.core;
        let (new, free) = (core.cipher_new, core.cipher_free);
        let Recipe { cipher, operation, declares_lengths, restart } = self.recipe;
        let decrypt = operation == Operation::Open;
        let text_bytes = self.text_bytes();
        let reused = self.context.pointer();
        let inputs = &mut self.inputs;
        let message = inputs.message.bytes_mut().as_mut_ptr();
        let room = inputs.destination.bytes_mut();
        let destination = room.as_mut_ptr();
        let tag = if decrypt { self.tag.as_mut_ptr() } else { room[text_bytes..].as_mut_ptr() };
        let key = inputs.key.as_ptr();
        let step = Step {
            direction: Direction::new(core, decrypt),
            control: core.cipher_control,
            declares_lengths,
            cipher: if restart == Restart::Cipher { cipher } else { ptr::null() },
            key: if restart == Restart::Nonce { ptr::null() } else { key },
            nonce: nonce_or_null(&inputs.nonce),
            aad: inputs.aad.as_ptr(),
            aad_bytes: self.aad_bytes,
            source: message,
            destination,
            message_bytes: self.message_bytes,
            tag,
        };
        // SAFETY: in both uses contexts are live, and buffers have the
        // lengths stated, the destination that of the text and the tag behind.
        let go = |step: &Step, context| unsafe {
            match operation {
                Operation::Open => step.open(context),
                Operation::Auth => step.authenticate(context),
                _ => step.seal(context),
            }
        };
        let worked = match self.contract {
            Contract::Keyed => repeat(calls, || go(&step, reused)),
            Contract::Oneshot => {
                let step = Step { cipher, key, ..step };
                repeat(calls, || {
                    // SAFETY: the context is made, used and freed here.
                    unsafe {
                        let context = new();
                        let worked = !context.is_null() && go(&step, context);
                        free(context);
                        worked
                    }
                })
            }
            Contract::Compat => {
                let step = Step { destination: message, ..step };
                let is_auth = operation == Operation::Auth;
                repeat(calls, || {
                    // SAFETY: as above, in place.
                    unsafe { step.run_compat(reused, is_auth) };
                    true
                })
            }
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        let tag_bytes = if self.recipe.operation == Operation::Open { 0 } else { TAG_BYTES };
        self.history.output(match self.contract {
            Contract::Compat => self.inputs.message.bytes(),
            _ => &self.inputs.destination.bytes()[..self.text_bytes() + tag_bytes],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Recipe, open_file_or_installed};
    use super::*;
    use cpb_model::{Parameters, Workload};
    use cpb_provider::inputs_of;

    #[test]
    fn a_wrong_tag_does_not_go_unnoticed() {
        let Ok(library) = open_file_or_installed(None) else {
            println!("skipped: OpenSSL is not installed");
            return;
        };
        let mut opened = 0;
        for entry in &library.entries {
            let Recipe::Aead(recipe) = entry.recipe else { continue };
            if recipe.operation != Operation::Open || entry.offer.unavailable.is_some() {
                continue;
            }
            for contract in [Contract::Keyed, Contract::Oneshot] {
                let workload = Workload {
                    primitive: entry.offer.primitive.clone(),
                    operation: Operation::Open,
                    contract,
                    parameters: Parameters {
                        message_bytes: 80,
                        aad_bytes: 20,
                        ..Parameters::default()
                    },
                };
                let inputs = inputs_of(&library, &entry.offer, &workload).unwrap();
                let mut call = keyed_call(library.functions, recipe, contract, inputs).unwrap();
                call.run(1);
                assert!(call.output().is_ok(), "{} {contract:?}", entry.offer.spelling);
                call.tag[15] ^= 1;
                call.run(1);
                assert!(call.output().is_err(), "{} {contract:?}", entry.offer.spelling);
                opened += 1;
            }
        }
        assert!(opened >= 10, "{opened}");
    }
}
