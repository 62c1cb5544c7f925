//! What every timed call has in common: its memory, the two ways of repeating
//! it, and what becomes of a failure.

use super::functions::{Failure, Functions, Handle};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::Contract;

/// A call to the library. A handle comes from [`Call::open`], and is given to
/// nothing else once it was given to [`Call::close`].
pub(super) trait Call {
    /// Makes a context and keys it.
    fn open(&self) -> Result<Handle, Failure>;
    /// Makes a used context ready for [`Call::once`].
    fn restart(&self, handle: Handle) -> Result<(), Failure>;
    /// Uses a context that is new or was restarted.
    fn once(&mut self, handle: Handle) -> Result<(), Failure>;
    /// Destroys a context.
    fn close(&self, handle: Handle);
    /// What [`Call::once`] put out.
    fn output(&self) -> &[u8];
}

/// Inputs, and where in memory they are, so that a call looks nothing up.
pub(super) struct Memory {
    pub(super) message: *mut u8,
    pub(super) message_bytes: usize,
    pub(super) destination: *mut u8,
    pub(super) key: *const u8,
    pub(super) key_bytes: usize,
    pub(super) nonce: *const u8,
    pub(super) nonce_bytes: usize,
    pub(super) aad: *const u8,
    pub(super) aad_bytes: usize,
    pub(super) inputs: Box<Inputs>,
}

impl Memory {
    pub(super) fn new(inputs: Inputs) -> Self {
        let mut inputs = Box::new(inputs);
        Self {
            message: inputs.message.bytes_mut().as_mut_ptr(),
            message_bytes: inputs.message.bytes().len(),
            destination: inputs.destination.bytes_mut().as_mut_ptr(),
            key: inputs.key.as_ptr(),
            key_bytes: inputs.key.len(),
            nonce: inputs.nonce.as_ptr(),
            nonce_bytes: inputs.nonce.len(),
            aad: inputs.aad.as_ptr(),
            aad_bytes: inputs.aad.len(),
            inputs,
        }
    }

    /// The first bytes of the destination.
    pub(super) fn result(&self, length: usize) -> &[u8] {
        &self.inputs.destination.bytes()[..length]
    }
}

/// Makes `call` repeatable as `contract` wants it.
pub(super) fn repeat<C: Call + 'static>(
    functions: &Functions,
    mut call: C,
    contract: Contract,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let unavailable = |failure| PrepareError::Unavailable(functions.explain(failure));
    let handle = call.open().map_err(unavailable)?;
    // FIPS mode forbids some of what can be opened only when it is done.
    if functions.is_in_fips_mode()
        && let Err(failure) = call.once(handle)
    {
        call.close(handle);
        return Err(unavailable(failure));
    }
    let end = End { functions: *functions, failure: None, ran: false };
    Ok(match contract {
        Contract::Keyed | Contract::Compat => {
            // Compat works in place again and again, so what it leaves depends
            // on how often it ran.
            Box::new(Keyed { call, handle, has_output: contract == Contract::Keyed, end })
        }
        Contract::Oneshot => {
            // It was opened only to learn that it can be.
            call.close(handle);
            Box::new(Cold { call, end })
        }
    })
}

/// How the calls went.
struct End {
    functions: Functions,
    failure: Option<Failure>,
    ran: bool,
}

impl End {
    fn output(&self, call: &impl Call) -> Result<Vec<u8>, String> {
        match self.failure {
            Some(failure) => Err(self.functions.words(failure)),
            None if self.ran => Ok(call.output().to_vec()),
            None => Ok(Vec::new()),
        }
    }
}

/// One context, used again and again.
struct Keyed<C: Call> {
    call: C,
    handle: Handle,
    has_output: bool,
    end: End,
}

impl<C: Call> Prepared for Keyed<C> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            let outcome = self.call.restart(self.handle).and_then(|()| self.call.once(self.handle));
            if let Err(failure) = outcome {
                self.end.failure = Some(failure);
                return;
            }
        }
        self.end.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        let output = self.end.output(&self.call)?;
        Ok(if self.has_output { output } else { Vec::new() })
    }
}

impl<C: Call> Drop for Keyed<C> {
    fn drop(&mut self) {
        self.call.close(self.handle);
    }
}

/// A context for each call.
struct Cold<C: Call> {
    call: C,
    end: End,
}

impl<C: Call> Prepared for Cold<C> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            let outcome = self.call.open().and_then(|handle| {
                let outcome = self.call.once(handle);
                self.call.close(handle);
                outcome
            });
            if let Err(failure) = outcome {
                self.end.failure = Some(failure);
                return;
            }
        }
        self.end.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.end.output(&self.call)
    }
}
