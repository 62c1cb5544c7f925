//! Authenticated encryption.

use super::cipher::{compat, counted, put_through};
use super::functions::{Cipher, CipherContext, Ciphers, Direction, Failed, Functions, check};
use crate::catalogue::lengths::AEAD_TAG;
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::{Contract, Operation};
use cpb_provider::Case;
use std::ffi::{c_int, c_void};
use std::ptr;

/// `EVP_CTRL_AEAD_…`.
const SET_NONCE_LENGTH: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;
/// What a CCM is told of its lengths.
const NONCE_LENGTH: c_int = 12;
const TAG_LENGTH: c_int = AEAD_TAG as c_int;

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
    functions: &Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    if contract == Contract::Compat {
        let is_auth = recipe.operation == Operation::Auth;
        return compat(functions, recipe.cipher, way(functions, recipe), is_auth, inputs);
    }
    ready(functions.core, Aead::new(functions, recipe, inputs)?, contract)
}

fn way(functions: &Functions, recipe: Recipe) -> Direction {
    if recipe.operation == Operation::Open { functions.decryption } else { functions.encryption }
}

struct Aead {
    ciphers: Ciphers,
    recipe: Recipe,
    direction: Direction,
    message_bytes: c_int,
    aad_bytes: c_int,
    memory: Memory,
}

impl Aead {
    fn new(functions: &Functions, recipe: Recipe, inputs: Inputs) -> Result<Self, PrepareError> {
        let memory = Memory::new(inputs);
        if recipe.operation == Operation::Open && memory.tag_bytes != AEAD_TAG {
            return Err(PrepareError::Unavailable(format!("a tag has {AEAD_TAG} bytes")));
        }
        Ok(Self {
            ciphers: functions.ciphers,
            recipe,
            direction: way(functions, recipe),
            message_bytes: counted(memory.message_bytes)?,
            aad_bytes: counted(memory.aad_bytes)?,
            memory,
        })
    }

    /// Sets cipher, key and nonce, as far as they are not null.
    ///
    /// # Safety
    /// The key, where it is not null, is the call's own.
    #[inline(always)]
    unsafe fn set(
        &self,
        context: &Owned<CipherContext>,
        cipher: *const Cipher,
        key: *const u8,
    ) -> Result<(), Failed> {
        let nonce = if self.memory.nonce_bytes == 0 { ptr::null() } else { self.memory.nonce };
        let (init, control, context) =
            (self.direction.init, self.ciphers.control, context.pointer());
        let (none, engine, nothing) = (ptr::null(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the context is live, and ciphers that were found are never freed. Key and
        // nonce have the offer's lengths, which are the cipher's; the lengths that are set
        // come without a buffer.
        unsafe {
            if !self.recipe.declares_lengths || cipher.is_null() {
                return check(init(context, cipher, engine, key, nonce));
            }
            check(init(context, cipher, engine, none, none))?;
            check(control(context, SET_NONCE_LENGTH, NONCE_LENGTH, nothing))?;
            check(control(context, SET_TAG, TAG_LENGTH, nothing))?;
            check(init(context, ptr::null(), engine, key, nonce))
        }
    }

    /// Associated data; before it the length of the message that will follow.
    #[inline(always)]
    fn associate(
        &self,
        context: &Owned<CipherContext>,
        aad: *const u8,
        aad_bytes: c_int,
        message_bytes: c_int,
    ) -> Result<(), Failed> {
        let (update, context, none) = (self.direction.update, context.pointer(), ptr::null_mut());
        let mut done = 0;
        // SAFETY: the context has begun; the associated data, which is the call's own or its
        // message, has the length stated. Without a destination nothing is written.
        unsafe {
            if self.recipe.declares_lengths {
                check(update(context, none, &raw mut done, ptr::null(), message_bytes))?;
            }
            if aad_bytes != 0 {
                check(update(context, none, &raw mut done, aad, aad_bytes))?;
            }
        }
        Ok(())
    }

    /// The first bytes of the message, at most all of it.
    #[inline(always)]
    fn put_through(&self, context: &Owned<CipherContext>, bytes: c_int) -> Result<(), Failed> {
        let Memory { message, destination, .. } = self.memory;
        // SAFETY: the context has begun, and such ciphers do not pad; message and
        // destination have the message's length.
        unsafe { put_through(self.direction, context, message, destination, bytes) }
    }

    /// # Safety
    /// `tag` has room for a tag.
    #[inline(always)]
    unsafe fn take_tag(&self, context: &Owned<CipherContext>, tag: *mut u8) -> Result<(), Failed> {
        let tag = tag.cast::<c_void>();
        // SAFETY: the context is live; the room is valid by the caller's contract.
        check(unsafe { (self.ciphers.control)(context.pointer(), GET_TAG, TAG_LENGTH, tag) })
    }
}

impl Call for Aead {
    type Context = Owned<CipherContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        // SAFETY: the function takes nothing, and what it returns is ours to free.
        let context =
            unsafe { Owned::new((self.ciphers.new)(), self.ciphers.free) }.ok_or(Failed)?;
        // SAFETY: the key is the call's own.
        unsafe { self.set(&context, self.recipe.cipher, self.memory.key) }?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Recipe { restart, cipher, .. } = self.recipe;
        let cipher = if restart == Restart::Cipher { cipher } else { ptr::null() };
        let key = if restart == Restart::Nonce { ptr::null() } else { self.memory.key };
        // SAFETY: the key, where there is one, is the call's own.
        unsafe { self.set(context, cipher, key) }
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { message, message_bytes, destination, aad, .. } = self.memory;
        match self.recipe.operation {
            Operation::Open => {
                let (control, tag) = (self.ciphers.control, self.memory.tag.cast());
                // SAFETY: the context is live, and the tag has this length.
                check(unsafe { control(context.pointer(), SET_TAG, TAG_LENGTH, tag) })?;
                self.associate(context, aad, self.aad_bytes, self.message_bytes)?;
                self.put_through(context, self.message_bytes)
            }
            // The message as associated data of nothing.
            Operation::Auth => {
                self.associate(context, message, self.message_bytes, 0)?;
                self.put_through(context, 0)?;
                // SAFETY: the destination has room for a tag.
                unsafe { self.take_tag(context, destination) }
            }
            _ => {
                self.associate(context, aad, self.aad_bytes, self.message_bytes)?;
                self.put_through(context, self.message_bytes)?;
                // SAFETY: the destination has room for the message and a tag behind it.
                unsafe { self.take_tag(context, destination.add(message_bytes)) }
            }
        }
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Recipe, open_library};
    use super::*;
    use cpb_model::{CallSpec, Parameters};
    use cpb_provider::inputs_of;

    #[test]
    fn a_wrong_tag_does_not_go_unnoticed() {
        let Ok(library) = open_library(None) else {
            println!("skipped: OpenSSL is not installed");
            return;
        };
        let mut opened = 0;
        for offer in library.offers.list() {
            let Ok(Recipe::Aead(recipe)) = library.offers.find(offer, Contract::Keyed) else {
                continue;
            };
            if recipe.operation != Operation::Open {
                continue;
            }
            for contract in [Contract::Keyed, Contract::Oneshot] {
                let (message_bytes, aad_bytes) = (80, 20);
                let parameters = Parameters { message_bytes, aad_bytes, ..Parameters::default() };
                let (primitive, operation) = (offer.primitive.clone(), offer.operation);
                let workload = CallSpec { primitive, operation, contract, parameters };
                let output = |spoil: u8| {
                    let inputs = inputs_of(&library, offer, &workload).unwrap();
                    let aead = Aead::new(&library.functions, *recipe, inputs).unwrap();
                    // SAFETY: a tag has 16 bytes.
                    unsafe { *aead.memory.tag.add(15) ^= spoil };
                    let mut call = ready(library.functions.core, aead, contract).unwrap();
                    call.run(1);
                    call.output()
                };
                assert!(output(0).is_ok(), "{} {contract:?}", offer.spelling);
                assert!(output(1).is_err(), "{} {contract:?}", offer.spelling);
                opened += 1;
            }
        }
        assert!(opened >= 10, "{opened}");
    }
}
