//! Authenticated encryption.

use super::cipher::{command, open};
use super::ciphers::InMode;
use super::functions::{
    Ciphers, Context, FINALIZE, Failure, Functions, RESET, SET_CCM_LENGTHS, SET_DECRYPTION_TAG,
    check,
};
use crate::catalogue::modes::Mode;
use crate::runtime::{Call, Memory, ready};
use crate::{Inputs, Made};
use cpb_model::{Contract, Offer, Operation};
use cpb_provider::Case;

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    cipher: InMode,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let aead = Aead::new(functions, offer, cipher, inputs);
    ready(functions.core, aead, contract)
}

struct Aead {
    ciphers: Ciphers,
    cipher: InMode,
    operation: Operation,
    /// Whether decryption itself compares the tag.
    needs_tag_first: bool,
    /// Whether a new nonce is not enough to begin anew.
    needs_reset: bool,
    /// Whether all lengths must be told in advance.
    needs_lengths: bool,
    tag_bytes: usize,
    memory: Memory,
}

impl Aead {
    fn new(functions: &Functions, offer: &Offer, cipher: InMode, inputs: Inputs) -> Self {
        let mode = cipher.mode.mode;
        Self {
            ciphers: functions.ciphers,
            cipher,
            operation: offer.operation,
            needs_tag_first: matches!(mode, Mode::Siv | Mode::GcmSiv),
            // SIV and GCM-SIV refuse to begin anew; EAX goes on with the keystream
            // that was left of a last block, and is wrong.
            needs_reset: cipher.keeps_state || matches!(mode, Mode::Eax | Mode::Siv | Mode::GcmSiv),
            needs_lengths: mode == Mode::Ccm,
            tag_bytes: offer.lengths.tag,
            memory: Memory::new(inputs),
        }
    }

    /// Everything that comes before the text.
    ///
    /// # Safety
    /// The associated data has the length stated.
    #[inline(always)]
    unsafe fn introduce(
        &self,
        context: &Context,
        text_bytes: usize,
        aad: *const u8,
        aad_bytes: usize,
    ) -> Result<(), Failure> {
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        let ciphers = &self.ciphers;
        // SAFETY: the context is open; the nonce has this length, and the
        // associated data is valid by the caller's contract.
        unsafe {
            if nonce_bytes != 0 {
                check((ciphers.set_nonce)(context.pointer(), nonce, nonce_bytes))?;
            }
            if self.needs_lengths {
                set_lengths(ciphers, context, text_bytes, aad_bytes, self.tag_bytes)?;
            }
            if aad_bytes != 0 {
                check((ciphers.authenticate)(context.pointer(), aad, aad_bytes))?;
            }
        }
        if self.needs_lengths { Ok(()) } else { command(ciphers, context, FINALIZE) }
    }

    /// # Safety
    /// The destination, which may be the message, has the message's room.
    #[inline(always)]
    unsafe fn seal(&self, context: &Context, destination: *mut u8) -> Result<(), Failure> {
        let Memory { message, message_bytes: bytes, aad, aad_bytes, .. } = self.memory;
        // SAFETY: the context is open; message and associated data have these
        // lengths, and the destination is valid by the caller's contract.
        unsafe {
            self.introduce(context, bytes, aad, aad_bytes)?;
            check((self.ciphers.encrypt)(context.pointer(), destination, bytes, message, bytes))
        }
    }

    #[inline(always)]
    fn unseal(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes: bytes, destination, aad, aad_bytes, .. } = self.memory;
        let Memory { tag, tag_bytes, .. } = self.memory;
        let (ciphers, handle) = (self.ciphers, context.pointer());
        // SAFETY: the context is open; message, destination, associated data and
        // tag have these lengths.
        unsafe {
            self.introduce(context, bytes, aad, aad_bytes)?;
            if self.needs_tag_first {
                // Any earlier, GCM-SIV would take no associated data.
                check((ciphers.control)(handle, SET_DECRYPTION_TAG, tag.cast(), tag_bytes))?;
            }
            check((ciphers.decrypt)(handle, destination, bytes, message, bytes))?;
            if self.needs_tag_first {
                return Ok(());
            }
            check((ciphers.check_tag)(handle, tag, tag_bytes))
        }
    }

    /// Puts the tag of an empty plaintext, with the message as associated data,
    /// at the beginning of the destination.
    #[inline(always)]
    fn authenticate(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, destination, .. } = self.memory;
        // SAFETY: the context is open; the message has this length, and the
        // destination room for the tag.
        unsafe {
            self.introduce(context, 0, message, message_bytes)?;
            // The modes that compute their tag over the plaintext want to be
            // told that it is empty.
            check((self.ciphers.encrypt)(context.pointer(), destination, 0, message, 0))?;
            self.take_tag(context, destination)
        }
    }

    /// # Safety
    /// The destination has room for the tag.
    #[inline(always)]
    unsafe fn take_tag(&self, context: &Context, destination: *mut u8) -> Result<(), Failure> {
        let take_tag = self.ciphers.take_tag;
        // SAFETY: the context is open; the room is valid by the caller's contract.
        check(unsafe { take_tag(context.pointer(), destination, self.tag_bytes) })
    }
}

/// Tells CCM what it will get.
#[inline(always)]
pub(super) fn set_lengths(
    ciphers: &Ciphers,
    context: &Context,
    text_bytes: usize,
    aad_bytes: usize,
    tag_bytes: usize,
) -> Result<(), Failure> {
    let mut lengths = [text_bytes as u64, aad_bytes as u64, tag_bytes as u64];
    let (numbers, bytes) = (lengths.as_mut_ptr().cast(), size_of_val(&lengths));
    // SAFETY: the context is open; the command reads three such numbers.
    check(unsafe { (ciphers.control)(context.pointer(), SET_CCM_LENGTHS, numbers, bytes) })
}

impl Call for Aead {
    type Context = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self) -> Result<Context, Failure> {
        open(&self.ciphers, &self.cipher, &self.memory)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Context) -> Result<(), Failure> {
        if self.needs_reset { command(&self.ciphers, context, RESET) } else { Ok(()) }
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        let Memory { destination, message_bytes, .. } = self.memory;
        match self.operation {
            Operation::Open => self.unseal(context),
            Operation::Auth => self.authenticate(context),
            // SAFETY: the destination has room for message and tag.
            _ => unsafe {
                self.seal(context, destination)?;
                self.take_tag(context, destination.add(message_bytes))
            },
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
    use crate::runtime::ErrorText;
    use cpb_model::{CallSpec, Parameters};
    use cpb_provider::inputs_of;

    #[test]
    fn what_was_tampered_with_is_an_error() {
        let Ok(library) = open_library(None) else {
            println!("skipped: libgcrypt is not installed");
            return;
        };
        if library.functions.core.forbids_late() {
            println!("skipped: in FIPS mode nothing that fails can be prepared");
            return;
        }
        // SAFETY: each byte is one of those whose length stands beside it.
        let spoils: [fn(&mut Aead); 4] = [
            |_| (),
            |aead| unsafe { *aead.memory.tag ^= 1 },
            |aead| unsafe { *aead.memory.message.add(36) ^= 1 },
            |aead| unsafe { *aead.memory.aad.cast_mut().add(19) ^= 1 },
        ];
        let mut opened = 0;
        for offer in library.offers.list() {
            let Ok(Recipe::Cipher(cipher)) = library.offers.find(offer, Contract::Keyed) else {
                continue;
            };
            if offer.operation != Operation::Open {
                continue;
            }
            for contract in [Contract::Keyed, Contract::Oneshot] {
                let parameters =
                    Parameters { message_bytes: 37, aad_bytes: 20, ..Parameters::default() };
                let (primitive, operation) = (offer.primitive.clone(), offer.operation);
                let workload = CallSpec { primitive, operation, contract, parameters };
                let outputs = spoils.map(|spoil| {
                    let inputs = inputs_of(&library, offer, &workload).unwrap();
                    let mut aead = Aead::new(&library.functions, offer, *cipher, inputs);
                    spoil(&mut aead);
                    let mut call = ready(library.functions.core, aead, contract).unwrap();
                    call.run(2);
                    call.output()
                });
                assert_eq!(outputs[0], Ok((0..37).collect()), "{}", offer.spelling);
                for output in &outputs[1..] {
                    assert_eq!(*output, Err("Checksum error".to_owned()), "{}", offer.spelling);
                }
                opened += 1;
            }
        }
        assert!(opened >= 10, "{opened}");
    }
}
