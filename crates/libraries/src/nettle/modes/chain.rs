//! ECB, and the modes with an initial value: CBC, CFB, CTR.

use super::Base;
use crate::Prepared;
use crate::nettle::call::{Places, Routine, ready};
use crate::nettle::cipher::LONGEST_BLOCK;
use crate::nettle::symbols::Crypt;
use cpb_model::Contract;
use std::ffi::c_void;

/// Context, cipher, block length, initial value, length, destination, source.
pub(super) type Chain =
    unsafe extern "C" fn(*mut c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8);
/// Context, initial value, length, destination, source.
pub(super) type ChainAes = unsafe extern "C" fn(*mut c_void, *mut u8, usize, *mut u8, *const u8);

/// ECB.
pub(super) struct Blocks {
    pub(super) crypt: Crypt,
    pub(super) base: Base,
}

impl Routine for Blocks {
    fn key(&mut self) {
        self.base.key();
    }

    fn call(&mut self) {
        let Places { source, length, destination, .. } = self.base.places;
        // SAFETY: the context is keyed; the destination has room for the
        // message, which is made of whole blocks.
        unsafe { (self.crypt)(self.base.context, length, destination, source) };
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}

#[derive(Clone, Copy)]
pub(super) enum Step {
    Generic { chain: Chain, crypt: Crypt, block_bytes: usize },
    Aes(ChainAes),
}

/// Makes the call of a mode with an initial value.
pub(super) fn chained(base: Base, step: Step, contract: Contract) -> Box<dyn Prepared> {
    let mut initial = [0; LONGEST_BLOCK];
    // bench-slopes starts from zero and goes on from call to call.
    let chains_on = contract == Contract::Compat;
    if !chains_on {
        // SAFETY: the nonce is one block, and no cipher is offered with a longer one.
        unsafe {
            base.places.nonce.copy_to_nonoverlapping(initial.as_mut_ptr(), base.places.nonce_bytes);
        }
    }
    match (step, chains_on) {
        (Step::Generic { chain, crypt, block_bytes }, false) => ready(
            Chained::<true> { chain, crypt, block_bytes, initial, value: initial, base },
            contract,
        ),
        (Step::Generic { chain, crypt, block_bytes }, true) => ready(
            Chained::<false> { chain, crypt, block_bytes, initial, value: initial, base },
            contract,
        ),
        (Step::Aes(chain), false) => {
            ready(ChainedAes::<true> { chain, initial, value: initial, base }, contract)
        }
        (Step::Aes(chain), true) => {
            ready(ChainedAes::<false> { chain, initial, value: initial, base }, contract)
        }
    }
}

/// CBC, CFB, CTR. `RESET` sets the initial value in every call.
struct Chained<const RESET: bool> {
    chain: Chain,
    crypt: Crypt,
    block_bytes: usize,
    initial: [u8; LONGEST_BLOCK],
    value: [u8; LONGEST_BLOCK],
    base: Base,
}

impl<const RESET: bool> Routine for Chained<RESET> {
    fn key(&mut self) {
        self.base.key();
    }

    fn call(&mut self) {
        if RESET {
            self.value = self.initial;
        }
        let Places { source, length, destination, .. } = self.base.places;
        // SAFETY: as in `Blocks`; the initial value has room for a block.
        unsafe {
            (self.chain)(
                self.base.context,
                self.crypt,
                self.block_bytes,
                self.value.as_mut_ptr(),
                length,
                destination,
                source,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}

/// CBC encryption with AES, in one function.
struct ChainedAes<const RESET: bool> {
    chain: ChainAes,
    initial: [u8; LONGEST_BLOCK],
    value: [u8; LONGEST_BLOCK],
    base: Base,
}

impl<const RESET: bool> Routine for ChainedAes<RESET> {
    fn key(&mut self) {
        self.base.key();
    }

    fn call(&mut self) {
        if RESET {
            self.value = self.initial;
        }
        let Places { source, length, destination, .. } = self.base.places;
        // SAFETY: as in `Chained`.
        unsafe {
            (self.chain)(self.base.context, self.value.as_mut_ptr(), length, destination, source);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}
