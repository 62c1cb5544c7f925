//! Authenticated encryption as bench-slopes times it: in place, without
//! associated data, and opening what was never sealed.

use super::aead::set_lengths;
use super::cipher::{command, open};
use super::ciphers::InMode;
use super::functions::{
    Ciphers, Context, FINALIZE, Failure, Functions, RESET, SET_DECRYPTION_TAG, Status, check,
};
use crate::catalogue::lengths::AEAD_TAG;
use crate::catalogue::modes::Mode;
use crate::runtime::{Call, Memory, ready};
use crate::{Inputs, Made, inputs};
use cpb_model::{Contract, Offer, Operation, Role};

const CCM_TAG_BYTES: usize = 8;

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    cipher: InMode,
    mut inputs: Inputs,
) -> Made {
    inputs.put(Role::Nonce, inputs::nonce(cipher.mode.compat_nonce_bytes)?);
    let Functions { core, ciphers, .. } = *functions;
    let is_ccm = cipher.mode.mode == Mode::Ccm;
    let (operation, memory) = (offer.operation, Memory::new(inputs));
    let call = Compat { ciphers, cipher, operation, is_ccm, memory };
    ready(core, call, Contract::Compat)
}

struct Compat {
    ciphers: Ciphers,
    cipher: InMode,
    operation: Operation,
    is_ccm: bool,
    memory: Memory,
}

impl Compat {
    #[inline(always)]
    fn set_nonce(&self, context: &Context) -> Result<(), Failure> {
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the context is open; the nonce has this length.
        check(unsafe { (self.ciphers.set_nonce)(context.pointer(), nonce, nonce_bytes) })
    }

    /// What comes before a text of so many bytes. The nonce is set even where there is
    /// none, and nobody looks whether it took; whatever comes of it shows later.
    #[inline(always)]
    fn introduce(
        &self,
        context: &Context,
        text_bytes: usize,
        tag: Option<&mut [u8; AEAD_TAG]>,
    ) -> Result<(), Failure> {
        if self.is_ccm {
            let _ = self.set_nonce(context);
            return set_lengths(&self.ciphers, context, text_bytes, 0, CCM_TAG_BYTES);
        }
        command(&self.ciphers, context, RESET)?;
        if let Some(tag) = tag {
            let (tag, control) = (tag.as_mut_ptr().cast(), self.ciphers.control);
            // SAFETY: the context is open; the tag has this length. Most modes refuse the
            // command.
            unsafe { control(context.pointer(), SET_DECRYPTION_TAG, tag, AEAD_TAG) };
        }
        let _ = self.set_nonce(context);
        let _ = command(&self.ciphers, context, FINALIZE);
        Ok(())
    }

    /// # Safety
    /// The text has this length.
    #[inline(always)]
    unsafe fn encrypt(
        &self,
        context: &Context,
        text: *mut u8,
        bytes: usize,
    ) -> Result<(), Failure> {
        // SAFETY: the context is open; the text is valid by the caller's contract.
        check(unsafe { (self.ciphers.encrypt)(context.pointer(), text, bytes, text, bytes) })
    }

    #[inline(always)]
    fn take_tag(&self, context: &Context) -> Result<(), Failure> {
        let mut tag = [0; AEAD_TAG];
        let (take_tag, bytes) = (self.ciphers.take_tag, self.tag_bytes());
        // SAFETY: the context is open; the tag has this room.
        check(unsafe { take_tag(context.pointer(), tag.as_mut_ptr(), bytes) })
    }

    fn tag_bytes(&self) -> usize {
        if self.is_ccm { CCM_TAG_BYTES } else { AEAD_TAG }
    }

    #[inline(always)]
    fn seal(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, .. } = self.memory;
        self.introduce(context, message_bytes, None)?;
        // SAFETY: the message has this length.
        unsafe { self.encrypt(context, message, message_bytes) }?;
        self.take_tag(context)
    }

    #[inline(always)]
    fn unseal(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes: bytes, .. } = self.memory;
        let mut tag = [0; AEAD_TAG];
        self.introduce(context, bytes, Some(&mut tag))?;
        let Ciphers { decrypt, check_tag, .. } = self.ciphers;
        // SAFETY: the context is open; the message has this length.
        tolerate_wrong_tag(unsafe { decrypt(context.pointer(), message, bytes, message, bytes) })?;
        // SAFETY: the context is open; the tag has at least this length.
        tolerate_wrong_tag(unsafe { check_tag(context.pointer(), tag.as_ptr(), self.tag_bytes()) })
    }

    #[inline(always)]
    fn authenticate(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, nonce_bytes, .. } = self.memory;
        let mut text = 0xff_u8;
        if self.is_ccm {
            let _ = self.set_nonce(context);
            set_lengths(&self.ciphers, context, 1, message_bytes, CCM_TAG_BYTES)?;
        } else {
            command(&self.ciphers, context, RESET)?;
            if nonce_bytes != 0 {
                self.set_nonce(context)?;
            }
        }
        let authenticate = self.ciphers.authenticate;
        // SAFETY: the context is open; the message has this length.
        check(unsafe { authenticate(context.pointer(), message, message_bytes) })?;
        if !self.is_ccm {
            let _ = command(&self.ciphers, context, FINALIZE);
        }
        // SAFETY: it is one byte long.
        unsafe { self.encrypt(context, &raw mut text, 1) }?;
        self.take_tag(context)
    }
}

/// Opening garbage, a wrong tag is to be expected.
fn tolerate_wrong_tag(status: Status) -> Result<(), Failure> {
    match check(status) {
        Err(failure) if failure.is_wrong_tag() => Ok(()),
        outcome => outcome,
    }
}

impl Call for Compat {
    type Context = Context;
    type Failure = Failure;

    fn begin(&self) -> Result<Context, Failure> {
        open(&self.ciphers, &self.cipher, &self.memory)
    }

    fn restart(&mut self, _: &Context) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        match self.operation {
            Operation::Open => self.unseal(context),
            Operation::Auth => self.authenticate(context),
            _ => self.seal(context),
        }
    }

    fn output(&self) -> &[u8] {
        &[]
    }
}
