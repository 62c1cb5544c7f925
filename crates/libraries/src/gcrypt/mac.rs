//! Message authentication codes.

use super::Recipe;
use super::functions::{Context, Failure, Functions, Kind, Macs, RESET, check};
use crate::catalogue::lengths::{self, GMAC, POLY1305_CIPHER};
use crate::catalogue::names;
use crate::runtime::{Call, Entry, Memory, Owned, offer, ready, row};
use crate::sizes::HMAC_KEY;
use crate::{Inputs, Made, inputs};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, Role};
use cpb_provider::Case;
use std::ffi::c_int;
use std::ptr;

/// The numbers bench-slopes asks for.
pub(super) const NUMBERS: std::ops::Range<c_int> = 1..600;
/// bench-slopes' key length where the library does not prefer one.
const COMPAT_KEY_BYTES: usize = 32;
/// The part of a Poly1305 key that the cipher does not use.
const POLY1305_R_BYTES: usize = 16;
/// Ciphers of 16-byte blocks with several key lengths. The library has one MAC
/// for each, which takes them all; a row has one of them.
const SEVERAL_KEY_LENGTHS: &[&str] = &["AES", "CAMELLIA", "TWOFISH", "SERPENT", "ARIA"];
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// A MAC by its number, and the key length that the library prefers and bench-slopes takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    algorithm: c_int,
    compat_key_bytes: usize,
}

/// Every MAC the library knows, each with its row; then those with other keys,
/// which have none.
pub(super) fn entries(functions: &Functions) -> (Vec<Entry<Recipe>>, Vec<Entry<Recipe>>) {
    let mut rows = Vec::new();
    let mut extras = Vec::new();
    for algorithm in NUMBERS {
        let Some(name) = functions.name(Kind::Mac, algorithm) else { continue };
        // SAFETY: any number may be asked about.
        let compat_key_bytes = match unsafe { (functions.macs.key_length)(algorithm) } {
            0 => COMPAT_KEY_BYTES,
            preferred => preferred as usize,
        };
        let mac = Numbered { algorithm, compat_key_bytes };
        let is_hmac = name.starts_with("HMAC_");
        let key = if is_hmac { HMAC_KEY } else { Length::fixed(compat_key_bytes) };
        let mut with_row = entry(functions, mac, &name, name.clone(), key);
        with_row.offer.row = Some(row("mac", &name, ""));
        rows.push(with_row);
        let several = ["CMAC_", "GMAC_"]
            .iter()
            .filter_map(|construction| name.strip_prefix(construction))
            .any(|cipher| SEVERAL_KEY_LENGTHS.contains(&cipher));
        let others = KEY_LENGTHS.into_iter().filter(|&bytes| several && !key.takes(bytes));
        let taken =
            others.filter(|&bytes| open(&functions.macs, algorithm, &vec![0x5a; bytes]).is_ok());
        extras.extend(taken.map(|bytes| {
            let spelling = format!("{name}/{}", bytes * 8);
            entry(functions, mac, &name, spelling, Length::fixed(bytes))
        }));
    }
    (rows, extras)
}

fn entry(
    functions: &Functions,
    mac: Numbered,
    name: &str,
    spelling: String,
    key: Length,
) -> Entry<Recipe> {
    // SAFETY: any number may be asked about.
    let tag = unsafe { (functions.macs.length)(mac.algorithm) } as usize;
    let (primitive, nonce) = primitive_and_nonce(name, key.usual());
    let nonce = Length::fixed(nonce);
    let lengths = Lengths { key, nonce, ..lengths::hash(Some(tag), None) };
    let mut offer = offer(primitive, Operation::Mac, spelling, lengths);
    offer.unavailable = functions.refusal(Kind::Mac, mac.algorithm);
    Entry { offer, recipe: Recipe::Mac(mac) }
}

/// The canonical name, and the length of the nonce.
fn primitive_and_nonce(name: &str, key_bytes: usize) -> (String, usize) {
    let Some((construction, made_of)) = name.split_once('_') else {
        return (names::mac(name, ""), 0);
    };
    let cipher = |key_bytes: usize| names::cipher(made_of, key_bytes * 8);
    match construction {
        "HMAC" => (names::mac("hmac", &names::hash(made_of)), 0),
        "CMAC" => (names::mac("cmac", &cipher(key_bytes)), 0),
        "GMAC" => (names::mac("gmac", &cipher(key_bytes)), GMAC.0),
        "POLY1305" => {
            let cipher = cipher(key_bytes.saturating_sub(POLY1305_R_BYTES));
            (names::mac("poly1305", &cipher), POLY1305_CIPHER.0)
        }
        _ => (names::mac(&name.replace('_', "-"), ""), 0),
    }
}

#[inline(always)]
fn open(macs: &Macs, algorithm: c_int, key: &[u8]) -> Result<Context, Failure> {
    let mut handle = ptr::null_mut();
    // SAFETY: there is room for a handle, which is ours to close; the key has this length.
    unsafe {
        check((macs.open)(&raw mut handle, algorithm, 0, ptr::null_mut()))?;
        let context = Owned::new(handle, macs.close).ok_or(Failure::UNEXPLAINED)?;
        check((macs.set_key)(context.pointer(), key.as_ptr(), key.len()))?;
        Ok(context)
    }
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    mac: Numbered,
    contract: Contract,
    mut inputs: Inputs,
) -> Made {
    let Functions { core, macs, .. } = *functions;
    let is_compat = contract == Contract::Compat;
    if is_compat {
        inputs.put(Role::Key, inputs::key(mac.compat_key_bytes)?);
    }
    let call = Mac { macs, algorithm: mac.algorithm, memory: Memory::new(inputs) };
    if is_compat {
        // It never sets GMAC's nonce, and Poly1305's only here.
        let sets_nonce = offer.lengths.nonce.takes(POLY1305_CIPHER.0);
        return ready(core, Compat { mac: call, sets_nonce }, contract);
    }
    ready(core, call, contract)
}

struct Mac {
    macs: Macs,
    algorithm: c_int,
    memory: Memory,
}

impl Mac {
    #[inline(always)]
    fn reset(&self, context: &Context) -> Result<(), Failure> {
        // SAFETY: the context is open; the command takes no buffer.
        check(unsafe { (self.macs.control)(context.pointer(), RESET, ptr::null_mut(), 0) })
    }

    #[inline(always)]
    fn set_nonce(&self, context: &Context) -> Result<(), Failure> {
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the context is open; the nonce has this length.
        check(unsafe { (self.macs.set_nonce)(context.pointer(), nonce, nonce_bytes) })
    }

    #[inline(always)]
    fn take_message(&self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, .. } = self.memory;
        // SAFETY: the context is open; the message has this length.
        check(unsafe { (self.macs.write)(context.pointer(), message, message_bytes) })
    }

    /// Puts out the first bytes of the tag, at most all.
    #[inline(always)]
    fn read(&self, context: &Context, mut tag_bytes: usize) -> Result<(), Failure> {
        let destination = self.memory.destination;
        // SAFETY: the context is open; the destination has room for the tag.
        check(unsafe { (self.macs.read)(context.pointer(), destination, &raw mut tag_bytes) })
    }
}

impl Call for Mac {
    type Context = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self) -> Result<Context, Failure> {
        open(&self.macs, self.algorithm, self.memory.key())
    }

    #[inline(always)]
    fn restart(&mut self, context: &Context) -> Result<(), Failure> {
        // A new nonce restarts, too; without one, a reset is refused.
        if self.memory.nonce_bytes == 0 { self.reset(context) } else { Ok(()) }
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        if self.memory.nonce_bytes != 0 {
            self.set_nonce(context)?;
        }
        self.take_message(context)?;
        self.read(context, self.memory.output_bytes)
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}

/// As bench-slopes has it: one byte of the tag is read, and a nonce is set
/// once, if at all.
struct Compat {
    mac: Mac,
    sets_nonce: bool,
}

impl Call for Compat {
    type Context = Context;
    type Failure = Failure;

    fn begin(&self) -> Result<Context, Failure> {
        let context = self.mac.begin()?;
        if self.sets_nonce {
            self.mac.set_nonce(&context)?;
        }
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Context) -> Result<(), Failure> {
        self.mac.reset(context)
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        self.mac.take_message(context)?;
        // GMAC refuses so short a tag, and bench-slopes does not notice.
        let _ = self.mac.read(context, 1);
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &[]
    }
}
