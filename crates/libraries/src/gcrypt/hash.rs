//! Hashes, checksums and extendable-output functions.

use super::functions::{Context, Digests, FINALIZE, Failure, Functions, Kind, check};
use super::{NUMBERS, Recipe};
use crate::catalogue::{lengths, names};
use crate::runtime::{Call, Entry, Memory, Owned, offer, ready, row};
use crate::{Inputs, Made};
use cpb_model::{Contract, Offer, Operation};
use cpb_provider::Case;
use std::ffi::c_int;
use std::ptr;

/// Every digest the library knows, each with its row.
pub(super) fn entries(functions: &Functions) -> Vec<Entry<Recipe>> {
    let entry = |algorithm| {
        let spelling = functions.name(Kind::Digest, algorithm)?;
        let digest = digest_bytes(functions, algorithm);
        let primitive = names::hash(&spelling);
        let lengths = lengths::hash(digest, lengths::hash_block(&primitive));
        let operation = if digest.is_some() { Operation::Hash } else { Operation::Xof };
        let row = row("hash", &spelling, "");
        let unavailable = functions.refusal(Kind::Digest, algorithm);
        let offer = offer(primitive, operation, spelling, lengths);
        let offer = Offer { row: Some(row), unavailable, ..offer };
        Some(Entry { offer, recipe: Recipe::Hash(algorithm) })
    };
    NUMBERS.filter_map(entry).collect()
}

/// Length of a digest; `None` for an extendable-output function, for which some
/// versions state one, too.
pub(super) fn digest_bytes(functions: &Functions, algorithm: c_int) -> Option<usize> {
    // SAFETY: any number may be asked about.
    let length = unsafe { (functions.digests.length)(algorithm) };
    (length != 0 && !extracts(&functions.digests, algorithm)).then_some(length as usize)
}

/// Whether output of any length can be had.
fn extracts(digests: &Digests, algorithm: c_int) -> bool {
    let mut byte = 0_u8;
    open(digests, algorithm).is_ok_and(|context| {
        // SAFETY: the context is open, and the output has this room.
        let status = unsafe { (digests.extract)(context.pointer(), algorithm, &raw mut byte, 1) };
        check(status).is_ok()
    })
}

#[inline(always)]
fn open(digests: &Digests, algorithm: c_int) -> Result<Context, Failure> {
    let mut handle = ptr::null_mut();
    // SAFETY: there is room for a handle, which is ours to close.
    unsafe {
        check((digests.open)(&raw mut handle, algorithm, 0))?;
        Owned::new(handle, digests.close).ok_or(Failure::UNEXPLAINED)
    }
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    algorithm: c_int,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let end = match (contract, offer.operation) {
        (Contract::Compat, _) => End::Finalize,
        (_, Operation::Xof) => End::Extract,
        _ => End::Read,
    };
    let Functions { core, digests, .. } = *functions;
    let call = Digest { digests, algorithm, end, memory: Memory::new(inputs) };
    ready(core, call, contract)
}

/// How a digest ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// Its bytes are taken away.
    Read,
    /// Output of any length is taken away.
    Extract,
    /// It is computed and stays in its context, as bench-slopes has it.
    Finalize,
}

struct Digest {
    digests: Digests,
    algorithm: c_int,
    end: End,
    memory: Memory,
}

impl Call for Digest {
    type Context = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self) -> Result<Context, Failure> {
        open(&self.digests, self.algorithm)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Context) -> Result<(), Failure> {
        // SAFETY: the context is open.
        unsafe { (self.digests.reset)(context.pointer()) };
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, destination, output_bytes, .. } = self.memory;
        let Self { digests, algorithm, .. } = *self;
        let handle = context.pointer();
        // SAFETY: the context is open; the message has this length.
        unsafe { (digests.write)(handle, message, message_bytes) };
        match self.end {
            End::Read => {
                // SAFETY: the context is open.
                let digest = unsafe { (digests.read)(handle, algorithm) };
                if digest.is_null() {
                    return Err(Failure::UNEXPLAINED);
                }
                // SAFETY: the context holds a digest of this length, and the
                // destination has room for it.
                unsafe { digest.copy_to_nonoverlapping(destination, output_bytes) };
                Ok(())
            }
            End::Extract => {
                // SAFETY: the context is open; the destination has room for the output.
                check(unsafe { (digests.extract)(handle, algorithm, destination, output_bytes) })
            }
            End::Finalize => {
                // SAFETY: the context is open; the command takes no buffer.
                check(unsafe { (digests.control)(handle, FINALIZE, ptr::null_mut(), 0) })
            }
        }
    }

    fn output(&self) -> &[u8] {
        match self.end {
            End::Finalize => &[],
            End::Read | End::Extract => self.memory.result(),
        }
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}
