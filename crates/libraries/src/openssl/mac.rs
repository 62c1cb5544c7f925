//! MACs: through EVP_MAC since 3.0, through HMAC and CMAC's own functions
//! before.

use super::functions::{
    Cipher, Core, Digest, Failed, Functions, Mac, MacContext, Macs, OldCmac, OldCmacContext,
    OldHmac, OldHmacContext, check,
};
use super::parameters::Parameters;
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::Contract;
use cpb_provider::Case;
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
    functions: &Functions,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let core = functions.core;
    let memory = Memory::new(inputs);
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
            if memory.nonce_bytes != 0 {
                settings = settings.bytes(c"iv", memory.nonce());
                each_message = each_message.bytes(c"iv", memory.nonce());
            }
            let macs = functions.macs.ok_or_else(absent)?;
            let starts_by_key = *starts_by_key;
            let mac = *mac;
            let call = Provided { macs, mac, starts_by_key, settings, each_message, memory };
            ready_if_it_restarts(core, call, contract)
        }
        Recipe::OldHmac(digest) => {
            let table = functions.old_hmac.ok_or_else(absent)?;
            ready_if_it_restarts(core, Hmac { table, digest: *digest, memory }, contract)
        }
        Recipe::OldCmac(cipher) => {
            let table = functions.old_cmac.ok_or_else(absent)?;
            ready_if_it_restarts(core, Cmac { table, cipher: *cipher, memory }, contract)
        }
    }
}

/// Early 3.0 did not take every context back to the start, and said nothing: so under the
/// contract keyed its first two tags must be equal.
fn ready_if_it_restarts<C>(core: Core, mut call: C, contract: Contract) -> Made
where
    C: Call<Failure = Failed> + 'static,
{
    if contract == Contract::Keyed {
        let (first, second) = two_tags(&mut call).map_err(|failure| core.refused(failure))?;
        if first != second {
            return Err(PrepareError::Unavailable(
                "this OpenSSL cannot start a message anew with the same key".to_owned(),
            ));
        }
    }
    ready(core, call, contract)
}

fn two_tags<C: Call>(call: &mut C) -> Result<(Vec<u8>, Vec<u8>), C::Failure> {
    let context = call.begin()?;
    let mut tag = || {
        call.restart(&context)?;
        call.process(&context)?;
        Ok(call.output().to_vec())
    };
    Ok((tag()?, tag()?))
}

/// Whether a call worked and wrote a tag of the right length.
#[inline(always)]
fn check_tag(status: c_int, written: usize, expected: usize) -> Result<(), Failed> {
    check(status)?;
    if written == expected { Ok(()) } else { Err(Failed) }
}

struct Provided {
    macs: Macs,
    mac: *mut Mac,
    starts_by_key: bool,
    settings: Parameters,
    /// The nonce, where there is one.
    each_message: Parameters,
    memory: Memory,
}

impl Call for Provided {
    type Context = Owned<MacContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        // SAFETY: the MAC was fetched and is never freed; the context is ours to free.
        let context =
            unsafe { Owned::new((self.macs.new)(self.mac), self.macs.free) }.ok_or(Failed)?;
        let Memory { key, key_bytes, .. } = self.memory;
        let (init, settings) = (self.macs.init, self.settings.pointer());
        // SAFETY: the context is live, the key has this length, and the settings end as
        // lists must.
        check(unsafe { init(context.pointer(), key, key_bytes, settings) })?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { key, key_bytes, .. } = self.memory;
        // A context that keeps its key is given none.
        let (key, key_bytes) = if self.starts_by_key { (key, key_bytes) } else { (ptr::null(), 0) };
        let (init, settings) = (self.macs.init, self.each_message.pointer());
        // SAFETY: the context is live, the key has this length, and the settings end as
        // lists must.
        check(unsafe { init(context.pointer(), key, key_bytes, settings) })
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { message, message_bytes, destination, output_bytes, .. } = self.memory;
        let (context, mut written) = (context.pointer(), 0);
        // SAFETY: the context has begun; the message has its length, and the destination
        // room for the output.
        let status = unsafe {
            check((self.macs.update)(context, message, message_bytes))?;
            (self.macs.finish)(context, destination, &raw mut written, output_bytes)
        };
        check_tag(status, written, output_bytes)
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}

struct Hmac {
    table: OldHmac,
    digest: *const Digest,
    memory: Memory,
}

impl Call for Hmac {
    type Context = Owned<OldHmacContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        let Memory { key, key_bytes, .. } = self.memory;
        // SAFETY: the function takes nothing, and what it returns is ours to free.
        let context = unsafe { Owned::new((self.table.new)(), self.table.free) }.ok_or(Failed)?;
        let (init, bytes, none) = (self.table.init, key_bytes as c_int, ptr::null_mut());
        // SAFETY: the context is live, the key has this length, and digests are never freed.
        check(unsafe { init(context.pointer(), key, bytes, self.digest, none) })?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let (init, none) = (self.table.init, ptr::null_mut());
        // SAFETY: the context is live; nulls keep digest and key.
        check(unsafe { init(context.pointer(), ptr::null(), 0, ptr::null(), none) })
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { message, message_bytes, destination, output_bytes, .. } = self.memory;
        let (context, mut written) = (context.pointer(), 0);
        // SAFETY: the context has begun; the message has its length, and the destination
        // room for the output, which is the digest's.
        let status = unsafe {
            check((self.table.update)(context, message, message_bytes))?;
            (self.table.finish)(context, destination, &raw mut written)
        };
        check_tag(status, written as usize, output_bytes)
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}

struct Cmac {
    table: OldCmac,
    cipher: *const Cipher,
    memory: Memory,
}

impl Call for Cmac {
    type Context = Owned<OldCmacContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        let Memory { key, key_bytes, .. } = self.memory;
        // SAFETY: the function takes nothing, and what it returns is ours to free.
        let context = unsafe { Owned::new((self.table.new)(), self.table.free) }.ok_or(Failed)?;
        let (init, none) = (self.table.init, ptr::null_mut());
        // SAFETY: the context is live, the key has this length, and ciphers are never freed.
        check(unsafe { init(context.pointer(), key, key_bytes, self.cipher, none) })?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let (init, none) = (self.table.init, ptr::null_mut());
        // SAFETY: the context is live; nulls keep cipher and key.
        check(unsafe { init(context.pointer(), ptr::null(), 0, ptr::null(), none) })
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { message, message_bytes, destination, output_bytes, .. } = self.memory;
        let (context, mut written) = (context.pointer(), 0);
        // SAFETY: the context has begun; the message has its length, and the destination
        // room for the output, which is a block of the cipher.
        let status = unsafe {
            check((self.table.update)(context, message, message_bytes))?;
            (self.table.finish)(context, destination, &raw mut written)
        };
        check_tag(status, written, output_bytes)
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}
