//! What all calls share: where they read and write, the loop around them, and
//! memory for the library's contexts.

use crate::{Buffer, Inputs, Prepared};
use cpb_model::{Alignment, Contract, Offer, Operation};
use std::ffi::c_void;

/// Where a call reads and writes. The pointers reach into an [`Inputs`] that
/// outlives the call, see [`Keeping`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) source: *mut u8,
    /// Of the source, in bytes.
    pub(super) length: usize,
    pub(super) destination: *mut u8,
    pub(super) key: *const u8,
    pub(super) key_bytes: usize,
    pub(super) nonce: *const u8,
    pub(super) nonce_bytes: usize,
    pub(super) aad: *const u8,
    pub(super) aad_bytes: usize,
    /// Of a ciphertext to open.
    pub(super) tag: *const u8,
    pub(super) tag_bytes: usize,
    pub(super) output_bytes: usize,
    pub(super) iterations: u64,
    pub(super) alignment: Alignment,
}

impl Places {
    pub(super) fn of(inputs: &mut Inputs) -> Self {
        Self {
            length: inputs.message.bytes().len(),
            source: inputs.message.bytes_mut().as_mut_ptr(),
            destination: inputs.destination.bytes_mut().as_mut_ptr(),
            key: inputs.key.as_ptr(),
            key_bytes: inputs.key.len(),
            nonce: inputs.nonce.as_ptr(),
            nonce_bytes: inputs.nonce.len(),
            aad: inputs.aad.as_ptr(),
            aad_bytes: inputs.aad.len(),
            tag: inputs.tag.as_ptr(),
            tag_bytes: inputs.tag.len(),
            output_bytes: inputs.output_bytes,
            iterations: inputs.iterations,
            alignment: inputs.alignment,
        }
    }

    /// The result goes where the message stands.
    pub(super) fn in_place(self) -> Self {
        Self { destination: self.source, ..self }
    }

    /// The first `bytes` bytes at the destination.
    ///
    /// # Safety
    /// There is that much room, and what the places reach into is alive.
    pub(super) unsafe fn written(&self, bytes: usize) -> Vec<u8> {
        // SAFETY: by the caller's contract; the memory was initialised.
        unsafe { std::slice::from_raw_parts(self.destination, bytes) }.to_vec()
    }
}

/// An operation, without the loop around it.
pub(super) trait Routine {
    /// Makes the context and the key schedule. Nettle leaves the memory to its
    /// caller, so there is nothing to allocate or to destroy.
    fn key(&mut self);
    /// All that a call does once the key is there.
    fn call(&mut self);
    /// What the last call put out, or why it failed.
    fn output(&self) -> Result<Vec<u8>, String>;
}

struct Call<R> {
    routine: R,
    oneshot: bool,
    ran: bool,
}

/// Makes `routine` ready to run under `contract`.
pub(super) fn ready<R: Routine + 'static>(mut routine: R, contract: Contract) -> Box<dyn Prepared> {
    routine.key();
    Box::new(Call { routine, oneshot: contract == Contract::Oneshot, ran: false })
}

impl<R: Routine> Prepared for Call<R> {
    fn run(&mut self, calls: u64) {
        if self.oneshot {
            for _ in 0..calls {
                self.routine.key();
                self.routine.call();
            }
        } else {
            for _ in 0..calls {
                self.routine.call();
            }
        }
        self.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        if self.ran { self.routine.output() } else { Ok(Vec::new()) }
    }
}

/// A call together with the inputs that it works on.
pub(super) struct Keeping {
    pub(super) call: Box<dyn Prepared>,
    /// What the call's [`Places`] point into.
    pub(super) _inputs: Inputs,
}

impl Prepared for Keeping {
    fn run(&mut self, calls: u64) {
        self.call.run(calls);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.call.output()
    }
}

/// Makes a call of an offer.
pub(super) type Maker = Box<dyn Fn(Places, Contract) -> Result<Box<dyn Prepared>, String>>;

/// An offer, and how to make calls of it.
pub(super) struct Implementation {
    pub(super) offer: Offer,
    pub(super) make: Maker,
}

/// The two directions of a cipher that has no tag.
pub(super) const DIRECTIONS: [(Operation, &str); 2] =
    [(Operation::Encrypt, "enc"), (Operation::Decrypt, "dec")];

/// Distance between contexts: none shares a cache line with another.
const LINE_BYTES: usize = 64;

/// Zeroed memory for contexts of these sizes, from a page boundary on: more
/// alignment than any of the library's structures asks for, and the same in
/// every process.
pub(super) fn contexts<const N: usize>(sizes: [usize; N]) -> ([*mut c_void; N], Buffer) {
    let rounded = sizes.map(|size| size.next_multiple_of(LINE_BYTES));
    let mut memory = Buffer::small(rounded.iter().sum());
    let mut next = memory.bytes_mut().as_mut_ptr();
    let pointers = rounded.map(|size| {
        let here = next;
        // SAFETY: the sizes add up to the length of the memory.
        next = unsafe { next.add(size) };
        here.cast()
    });
    (pointers, memory)
}
