//! MACs: through EVP_MAC since 3.0, through HMAC and CMAC's own functions
//! before.

use super::calls::{History, repeat};
use super::functions::{
    Cipher, Digest, Functions, Mac, MacContext, Macs, OldCmac, OldCmacContext, OldHmac,
    OldHmacContext, Owned, Parameter,
};
use super::parameters::Parameters;
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::Contract;
use std::ffi::{CStr, c_int};
use std::ptr;

/// What a call is made of.
#[derive(Clone)]
pub(super) enum Recipe {
    Provided {
        mac: *mut Mac,
        /// The digest or cipher it is made of, as the parameter to name it by.
        made_of: Option<(&'static CStr, String)>,
        /// Length of the tag, where the MAC has a choice.
        tag_bytes: Option<usize>,
        /// Whether every message needs its key anew, as one-time keys do.
        starts_by_key: bool,
    },
    OldHmac(*const Digest),
    OldCmac(*const Cipher),
}

pub(super) fn prepare(
    functions: &'static Functions,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let key = inputs.key.as_ptr();
    let key_bytes = inputs.key.len();
    let absent = || PrepareError::Unavailable("this OpenSSL has no such functions".to_owned());
    match recipe {
        Recipe::Provided { mac, made_of, tag_bytes, starts_by_key } => {
            let mut settings = Parameters::new();
            if let Some((parameter, name)) = made_of {
                settings = settings.text(parameter, name);
            }
            if let Some(bytes) = tag_bytes {
                settings = settings.number(c"size", *bytes as u64);
            }
            let mut each_message = Parameters::new();
            if !inputs.nonce.is_empty() {
                settings = settings.bytes(c"iv", &inputs.nonce);
                each_message = each_message.bytes(c"iv", &inputs.nonce);
            }
            let construction = ProvidedMac {
                functions: functions.macs.ok_or_else(absent)?,
                mac: *mac,
                key,
                key_bytes,
                restart_key: if *starts_by_key { key } else { ptr::null() },
                settings,
                each_message,
            };
            MacCall::boxed(functions, construction, contract, inputs)
        }
        Recipe::OldHmac(digest) => {
            let table = functions.old_hmac.ok_or_else(absent)?;
            let construction = OldHmacMac { functions: table, digest: *digest, key, key_bytes };
            MacCall::boxed(functions, construction, contract, inputs)
        }
        Recipe::OldCmac(cipher) => {
            let table = functions.old_cmac.ok_or_else(absent)?;
            let construction = OldCmacMac { functions: table, cipher: *cipher, key, key_bytes };
            MacCall::boxed(functions, construction, contract, inputs)
        }
    }
}

/// One of libcrypto's interfaces to MACs.
///
/// # Safety
/// Contexts that are passed are live and came from `make`; pointers come with
/// the length of what they point at.
trait Construction {
    type Context;

    unsafe fn make(&self) -> *mut Self::Context;
    fn free(&self) -> unsafe extern "C" fn(*mut Self::Context);
    /// Gives a new context its key.
    unsafe fn set_key(&self, context: *mut Self::Context) -> bool;
    /// Takes a context that has its key back to the start.
    unsafe fn restart(&self, context: *mut Self::Context) -> bool;
    unsafe fn update(&self, context: *mut Self::Context, message: *const u8, bytes: usize) -> bool;
    unsafe fn finish(&self, context: *mut Self::Context, tag: *mut u8, bytes: usize) -> bool;
}

struct MacCall<C: Construction> {
    functions: &'static Functions,
    contract: Contract,
    construction: C,
    context: Owned<C::Context>,
    inputs: Inputs,
    history: History,
}

impl<C: Construction + 'static> MacCall<C> {
    fn boxed(
        functions: &'static Functions,
        construction: C,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let refused = || PrepareError::Unavailable(functions.last_error());
        // SAFETY: what it returns is ours.
        let context = Owned::new(unsafe { construction.make() }, construction.free());
        let context = context.ok_or_else(refused)?;
        // SAFETY: the context is live and new.
        if !unsafe { construction.set_key(context.pointer()) } {
            return Err(refused());
        }
        let history = History::default();
        let mut call = Self { functions, contract, construction, context, inputs, history };
        if contract == Contract::Keyed {
            call.check_restart()?;
        }
        Ok(Box::new(call))
    }

    /// Early 3.0 did not take every context back to the start, and said
    /// nothing: so its first two tags must be equal.
    fn check_restart(&mut self) -> Result<(), PrepareError> {
        let mut tag = || {
            self.run(1);
            self.output().map_err(PrepareError::Unavailable)
        };
        if tag()? != tag()? {
            return Err(PrepareError::Unavailable(
                "this OpenSSL cannot start a message anew with the same key".to_owned(),
            ));
        }
        self.history = History::default();
        Ok(())
    }
}

impl<C: Construction> Prepared for MacCall<C> {
    fn run(&mut self, calls: u64) {
        let construction = &self.construction;
        let reused = self.context.pointer();
        let free = construction.free();
        let message = self.inputs.message.bytes().as_ptr();
        let message_bytes = self.inputs.message.bytes().len();
        let tag = self.inputs.destination.bytes_mut().as_mut_ptr();
        let tag_bytes = self.inputs.output_bytes;
        // SAFETY: in both uses contexts are live and have their key; message
        // and tag have the lengths stated.
        let go = |context| unsafe {
            construction.update(context, message, message_bytes)
                && construction.finish(context, tag, tag_bytes)
        };
        let worked = match self.contract {
            Contract::Keyed | Contract::Compat => repeat(calls, || {
                // SAFETY: the context is live and has its key.
                unsafe { construction.restart(reused) && go(reused) }
            }),
            Contract::Oneshot => repeat(calls, || {
                // SAFETY: the context is made, used and freed here.
                unsafe {
                    let context = construction.make();
                    let worked = !context.is_null() && construction.set_key(context) && go(context);
                    free(context);
                    worked
                }
            }),
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.history.output(&self.inputs.destination.bytes()[..self.inputs.output_bytes])
    }
}

struct ProvidedMac {
    functions: Macs,
    mac: *mut Mac,
    key: *const u8,
    key_bytes: usize,
    /// Null where the context keeps its key.
    restart_key: *const u8,
    settings: Parameters,
    /// The nonce, where there is one.
    each_message: Parameters,
}

impl Construction for ProvidedMac {
    type Context = MacContext;

    #[inline(always)]
    unsafe fn make(&self) -> *mut MacContext {
        // SAFETY: the MAC was fetched and is never freed.
        unsafe { (self.functions.new)(self.mac) }
    }

    fn free(&self) -> unsafe extern "C" fn(*mut MacContext) {
        self.functions.free
    }

    #[inline(always)]
    unsafe fn set_key(&self, context: *mut MacContext) -> bool {
        let settings: *const Parameter = self.settings.pointer();
        // SAFETY: as the trait states.
        unsafe { (self.functions.init)(context, self.key, self.key_bytes, settings) == 1 }
    }

    #[inline(always)]
    unsafe fn restart(&self, context: *mut MacContext) -> bool {
        let (key, settings) = (self.restart_key, self.each_message.pointer());
        let key_bytes = if key.is_null() { 0 } else { self.key_bytes };
        // SAFETY: as the trait states.
        unsafe { (self.functions.init)(context, key, key_bytes, settings) == 1 }
    }

    #[inline(always)]
    unsafe fn update(&self, context: *mut MacContext, message: *const u8, bytes: usize) -> bool {
        // SAFETY: as the trait states.
        unsafe { (self.functions.update)(context, message, bytes) == 1 }
    }

    #[inline(always)]
    unsafe fn finish(&self, context: *mut MacContext, tag: *mut u8, bytes: usize) -> bool {
        let mut written = 0;
        // SAFETY: as the trait states.
        let status = unsafe { (self.functions.finish)(context, tag, &raw mut written, bytes) };
        status == 1 && written == bytes
    }
}

struct OldHmacMac {
    functions: OldHmac,
    digest: *const Digest,
    key: *const u8,
    key_bytes: usize,
}

impl Construction for OldHmacMac {
    type Context = OldHmacContext;

    #[inline(always)]
    unsafe fn make(&self) -> *mut OldHmacContext {
        // SAFETY: the function takes nothing.
        unsafe { (self.functions.new)() }
    }

    fn free(&self) -> unsafe extern "C" fn(*mut OldHmacContext) {
        self.functions.free
    }

    #[inline(always)]
    unsafe fn set_key(&self, context: *mut OldHmacContext) -> bool {
        let (init, bytes) = (self.functions.init, self.key_bytes as c_int);
        // SAFETY: as the trait states; the digest is never freed.
        unsafe { init(context, self.key, bytes, self.digest, ptr::null_mut()) == 1 }
    }

    #[inline(always)]
    unsafe fn restart(&self, context: *mut OldHmacContext) -> bool {
        let init = self.functions.init;
        // SAFETY: as the trait states; nulls keep digest and key.
        unsafe { init(context, ptr::null(), 0, ptr::null(), ptr::null_mut()) == 1 }
    }

    #[inline(always)]
    unsafe fn update(
        &self,
        context: *mut OldHmacContext,
        message: *const u8,
        bytes: usize,
    ) -> bool {
        // SAFETY: as the trait states.
        unsafe { (self.functions.update)(context, message, bytes) == 1 }
    }

    #[inline(always)]
    unsafe fn finish(&self, context: *mut OldHmacContext, tag: *mut u8, bytes: usize) -> bool {
        let mut written = 0;
        // SAFETY: as the trait states; the tag has the digest's length.
        let status = unsafe { (self.functions.finish)(context, tag, &raw mut written) };
        status == 1 && written as usize == bytes
    }
}

struct OldCmacMac {
    functions: OldCmac,
    cipher: *const Cipher,
    key: *const u8,
    key_bytes: usize,
}

impl Construction for OldCmacMac {
    type Context = OldCmacContext;

    #[inline(always)]
    unsafe fn make(&self) -> *mut OldCmacContext {
        // SAFETY: the function takes nothing.
        unsafe { (self.functions.new)() }
    }

    fn free(&self) -> unsafe extern "C" fn(*mut OldCmacContext) {
        self.functions.free
    }

    #[inline(always)]
    unsafe fn set_key(&self, context: *mut OldCmacContext) -> bool {
        let init = self.functions.init;
        // SAFETY: as the trait states; the cipher is never freed.
        unsafe { init(context, self.key, self.key_bytes, self.cipher, ptr::null_mut()) == 1 }
    }

    #[inline(always)]
    unsafe fn restart(&self, context: *mut OldCmacContext) -> bool {
        let init = self.functions.init;
        // SAFETY: as the trait states; nulls keep cipher and key.
        unsafe { init(context, ptr::null(), 0, ptr::null(), ptr::null_mut()) == 1 }
    }

    #[inline(always)]
    unsafe fn update(
        &self,
        context: *mut OldCmacContext,
        message: *const u8,
        bytes: usize,
    ) -> bool {
        // SAFETY: as the trait states.
        unsafe { (self.functions.update)(context, message, bytes) == 1 }
    }

    #[inline(always)]
    unsafe fn finish(&self, context: *mut OldCmacContext, tag: *mut u8, bytes: usize) -> bool {
        let mut written = 0;
        // SAFETY: as the trait states; the tag has the cipher's block length.
        let status = unsafe { (self.functions.finish)(context, tag, &raw mut written) };
        status == 1 && written == bytes
    }
}
