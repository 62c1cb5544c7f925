//! Hashes, checksums and extendable-output functions.

use super::Item;
use super::calls::{Call, Memory, repeat};
use super::functions::{FINALIZE, Failure, Functions, Handle, Kind, check};
use crate::sizes::FREE_OUTPUT;
use crate::{Inputs, PrepareError, Prepared, names};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_int;

/// The numbers bench-slopes asks for.
pub(super) const NUMBERS: std::ops::Range<c_int> = 1..400;

/// A digest by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    algorithm: c_int,
}

/// Every digest the library knows, each with its row.
pub(super) fn items(functions: &Functions) -> Vec<Item> {
    NUMBERS
        .filter_map(|algorithm| {
            let spelling = functions.name(Kind::Digest, algorithm)?;
            let output = digest_bytes(functions, algorithm);
            let primitive = names::hash(&spelling);
            let lengths = Lengths {
                granularity: 1,
                block: block_bytes(&primitive),
                output: Some(output.map_or(FREE_OUTPUT, Length::fixed)),
                ..Lengths::default()
            };
            let offer = Offer {
                primitive,
                operation: if output.is_some() { Operation::Hash } else { Operation::Xof },
                row: Some(RowName {
                    group: "hash".to_owned(),
                    algorithm: spelling.clone(),
                    mode: String::new(),
                }),
                spelling,
                backend: "default".to_owned(),
                default_backend: true,
                lengths,
                unavailable: functions.refusal(Kind::Digest, algorithm),
            };
            Some(Item { offer, recipe: super::Recipe::Hash(Recipe { algorithm }) })
        })
        .collect()
}

/// Length of a digest; `None` for an extendable-output function, for which some
/// versions state one, too.
pub(super) fn digest_bytes(functions: &Functions, algorithm: c_int) -> Option<usize> {
    // SAFETY: any number may be asked about.
    let length = unsafe { (functions.md_get_algo_dlen)(algorithm) };
    (length != 0 && !extracts(functions, algorithm)).then_some(length as usize)
}

/// Whether output of any length can be had.
fn extracts(functions: &Functions, algorithm: c_int) -> bool {
    let mut handle = std::ptr::null_mut();
    let mut byte = 0_u8;
    // SAFETY: the handle is room for a handle, which is closed once; the output
    // has this room.
    unsafe {
        if check((functions.md_open)(&raw mut handle, algorithm, 0)).is_err() {
            return false;
        }
        let extracted = (functions.md_extract)(handle, algorithm, &raw mut byte, 1);
        (functions.md_close)(handle);
        check(extracted).is_ok()
    }
}

/// What the compression function or permutation takes in, which the library
/// cannot be asked. Checksums have no such step.
fn block_bytes(primitive: &str) -> Option<usize> {
    Some(match primitive {
        "md4" | "md5" | "sha1" | "sha224" | "sha256" | "ripemd160" | "tiger" | "tiger-gnupg"
        | "tiger2" | "whirlpool" | "sm3" | "streebog-256" | "streebog-512" | "blake2s-256"
        | "blake2s-224" | "blake2s-160" | "blake2s-128" => 64,
        "sha384" | "sha512" | "sha512-224" | "sha512-256" | "blake2b-512" | "blake2b-384"
        | "blake2b-256" | "blake2b-160" => 128,
        "gosthash94" | "gosthash94-cp" => 32,
        "sha3-224" => 144,
        "sha3-256" | "shake256" | "cshake256" => 136,
        "sha3-384" => 104,
        "sha3-512" => 72,
        "shake128" | "cshake128" => 168,
        _ => return None,
    })
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let end = match (contract, offer.operation) {
        (Contract::Compat, _) => End::Finalize,
        (_, Operation::Xof) => End::Extract,
        _ => End::Read,
    };
    let digest = Digest {
        functions: *functions,
        algorithm: recipe.algorithm,
        end,
        output_bytes: inputs.output_bytes,
        memory: Memory::new(inputs),
    };
    repeat(functions, digest, contract)
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
    functions: Functions,
    algorithm: c_int,
    end: End,
    output_bytes: usize,
    memory: Memory,
}

impl Call for Digest {
    fn open(&self) -> Result<Handle, Failure> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle is room for a handle.
        check(unsafe { (self.functions.md_open)(&raw mut handle, self.algorithm, 0) })?;
        Ok(handle)
    }

    fn restart(&self, handle: Handle) -> Result<(), Failure> {
        // SAFETY: the handle comes from `open` and was not closed.
        unsafe { (self.functions.md_reset)(handle) };
        Ok(())
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        let Self { functions, algorithm, memory, .. } = self;
        // SAFETY: the handle is open; the message has this length.
        unsafe { (functions.md_write)(handle, memory.message, memory.message_bytes) };
        match self.end {
            End::Read => {
                // SAFETY: the handle is open.
                let digest = unsafe { (functions.md_read)(handle, *algorithm) };
                if digest.is_null() {
                    return Err(Failure::UNEXPLAINED);
                }
                // SAFETY: the context holds a digest of this length, and the
                // destination has room for it.
                unsafe { digest.copy_to_nonoverlapping(memory.destination, self.output_bytes) };
                Ok(())
            }
            End::Extract => {
                let Memory { destination, .. } = memory;
                // SAFETY: the handle is open; the destination has room for the
                // output.
                check(unsafe {
                    (functions.md_extract)(handle, *algorithm, *destination, self.output_bytes)
                })
            }
            End::Finalize => {
                let nothing = std::ptr::null_mut();
                // SAFETY: the handle is open; the command takes no buffer.
                check(unsafe { (functions.md_ctl)(handle, FINALIZE, nothing, 0) })
            }
        }
    }

    fn close(&self, handle: Handle) {
        // SAFETY: the handle comes from `open` and is closed once.
        unsafe { (self.functions.md_close)(handle) }
    }

    fn output(&self) -> &[u8] {
        self.memory.result(self.output_bytes)
    }
}
