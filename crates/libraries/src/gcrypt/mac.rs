//! Message authentication codes.

use super::Item;
use super::calls::{Call, Memory, repeat};
use super::functions::{Failure, Functions, Handle, Kind, RESET, check};
use crate::sizes::HMAC_KEY;
use crate::{Inputs, PrepareError, Prepared, inputs, names};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_int;

/// The numbers bench-slopes asks for.
pub(super) const NUMBERS: std::ops::Range<c_int> = 1..600;
/// bench-slopes' key length where the library does not prefer one.
const COMPAT_KEY_BYTES: usize = 32;
const GMAC_NONCE_BYTES: usize = 12;
const POLY1305_NONCE_BYTES: usize = 16;
/// The part of a Poly1305 key that the cipher does not use.
const POLY1305_R_BYTES: usize = 16;
/// Ciphers of 16-byte blocks with several key lengths. The library has one MAC
/// for each, which takes them all; a row has one of them.
const SEVERAL_KEY_LENGTHS: &[&str] = &["AES", "CAMELLIA", "TWOFISH", "SERPENT", "ARIA"];
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// A MAC by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    algorithm: c_int,
    /// What the library prefers, and bench-slopes takes.
    compat_key_bytes: usize,
}

/// Every MAC the library knows, each with its row; then those with other keys,
/// which have none.
pub(super) fn items(functions: &Functions) -> (Vec<Item>, Vec<Item>) {
    let mut rows = Vec::new();
    let mut extras = Vec::new();
    for algorithm in NUMBERS {
        let Some(spelling) = functions.name(Kind::Mac, algorithm) else { continue };
        // SAFETY: any number may be asked about.
        let compat_key_bytes = match unsafe { (functions.mac_get_algo_keylen)(algorithm) } {
            0 => COMPAT_KEY_BYTES,
            preferred => preferred as usize,
        };
        let recipe = Recipe { algorithm, compat_key_bytes };
        let key =
            if spelling.starts_with("HMAC_") { HMAC_KEY } else { Length::fixed(compat_key_bytes) };
        rows.push(item(functions, recipe, &spelling, key, true));
        let several = ["CMAC_", "GMAC_"]
            .iter()
            .filter_map(|construction| spelling.strip_prefix(construction))
            .any(|cipher| SEVERAL_KEY_LENGTHS.contains(&cipher));
        let others = KEY_LENGTHS.into_iter().filter(|&length| several && !key.takes(length));
        extras.extend(
            others
                .filter(|&length| takes_key(functions, algorithm, length))
                .map(|length| item(functions, recipe, &spelling, Length::fixed(length), false)),
        );
    }
    (rows, extras)
}

fn item(
    functions: &Functions,
    recipe: Recipe,
    algorithm_name: &str,
    key: Length,
    has_row: bool,
) -> Item {
    let key_bytes = key.usual();
    // SAFETY: any number may be asked about.
    let output = unsafe { (functions.mac_get_algo_maclen)(recipe.algorithm) } as usize;
    let spelling = if has_row {
        algorithm_name.to_owned()
    } else {
        format!("{algorithm_name}/{}", key_bytes * 8)
    };
    let (primitive, nonce) = primitive_and_nonce(algorithm_name, key_bytes);
    let offer = Offer {
        primitive,
        operation: Operation::Mac,
        spelling,
        backend: "default".to_owned(),
        default_backend: true,
        row: has_row.then(|| RowName {
            group: "mac".to_owned(),
            algorithm: algorithm_name.to_owned(),
            mode: String::new(),
        }),
        lengths: Lengths {
            key,
            nonce: Length::fixed(nonce),
            granularity: 1,
            output: Some(Length::fixed(output)),
            ..Lengths::default()
        },
        unavailable: functions.refusal(Kind::Mac, recipe.algorithm),
    };
    Item { offer, recipe: super::Recipe::Mac(recipe) }
}

/// The canonical name, and the length of the nonce.
fn primitive_and_nonce(name: &str, key_bytes: usize) -> (String, usize) {
    if let Some(hash) = name.strip_prefix("HMAC_") {
        (names::mac("hmac", &names::hash(hash)), 0)
    } else if let Some(cipher) = name.strip_prefix("CMAC_") {
        (names::mac("cmac", &names::cipher(cipher, key_bytes * 8)), 0)
    } else if let Some(cipher) = name.strip_prefix("GMAC_") {
        (names::mac("gmac", &names::cipher(cipher, key_bytes * 8)), GMAC_NONCE_BYTES)
    } else if let Some(cipher) = name.strip_prefix("POLY1305_") {
        let bits = key_bytes.saturating_sub(POLY1305_R_BYTES) * 8;
        (names::mac("poly1305", &names::cipher(cipher, bits)), POLY1305_NONCE_BYTES)
    } else {
        (names::mac(&name.replace('_', "-"), ""), 0)
    }
}

fn takes_key(functions: &Functions, algorithm: c_int, key_bytes: usize) -> bool {
    open(functions, algorithm, &vec![0x5a; key_bytes])
        // SAFETY: it was just opened.
        .map(|handle| unsafe { (functions.mac_close)(handle) })
        .is_ok()
}

fn open(functions: &Functions, algorithm: c_int, key: &[u8]) -> Result<Handle, Failure> {
    let mut handle = std::ptr::null_mut();
    // SAFETY: the handle is room for a handle; the key has this length.
    unsafe {
        check((functions.mac_open)(&raw mut handle, algorithm, 0, std::ptr::null_mut()))?;
        if let Err(failure) = check((functions.mac_setkey)(handle, key.as_ptr(), key.len())) {
            (functions.mac_close)(handle);
            return Err(failure);
        }
    }
    Ok(handle)
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    recipe: Recipe,
    contract: Contract,
    mut inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let is_compat = contract == Contract::Compat;
    if is_compat {
        inputs.key = inputs::key(recipe.compat_key_bytes)?;
    }
    let mac = Mac {
        functions: *functions,
        algorithm: recipe.algorithm,
        output_bytes: inputs.output_bytes,
        memory: Memory::new(inputs),
    };
    if is_compat {
        // It never sets GMAC's nonce, and Poly1305's only here.
        let sets_nonce = offer.lengths.nonce.takes(POLY1305_NONCE_BYTES);
        return repeat(functions, Compat { mac, sets_nonce }, contract);
    }
    repeat(functions, mac, contract)
}

struct Mac {
    functions: Functions,
    algorithm: c_int,
    output_bytes: usize,
    memory: Memory,
}

impl Mac {
    fn reset(&self, handle: Handle) -> Result<(), Failure> {
        // SAFETY: the handle is open; the command takes no buffer.
        check(unsafe { (self.functions.mac_ctl)(handle, RESET, std::ptr::null_mut(), 0) })
    }

    fn set_nonce(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the handle is open; the nonce has this length.
        check(unsafe { (self.functions.mac_setiv)(handle, nonce, nonce_bytes) })
    }

    fn take_message(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, .. } = self.memory;
        // SAFETY: the handle is open; the message has this length.
        check(unsafe { (self.functions.mac_write)(handle, message, message_bytes) })
    }

    /// Puts out the first bytes of the tag.
    fn read(&self, handle: Handle, mut tag_bytes: usize) -> Result<(), Failure> {
        let Memory { destination, .. } = self.memory;
        // SAFETY: the handle is open; the destination has room for the tag.
        check(unsafe { (self.functions.mac_read)(handle, destination, &raw mut tag_bytes) })
    }
}

impl Call for Mac {
    fn open(&self) -> Result<Handle, Failure> {
        open(&self.functions, self.algorithm, &self.memory.inputs.key)
    }

    fn restart(&self, handle: Handle) -> Result<(), Failure> {
        // A new nonce restarts, too; without one, a reset is refused.
        if self.memory.nonce_bytes == 0 { self.reset(handle) } else { Ok(()) }
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        if self.memory.nonce_bytes != 0 {
            self.set_nonce(handle)?;
        }
        self.take_message(handle)?;
        self.read(handle, self.output_bytes)
    }

    fn close(&self, handle: Handle) {
        // SAFETY: the handle comes from `open` and is closed once.
        unsafe { (self.functions.mac_close)(handle) }
    }

    fn output(&self) -> &[u8] {
        self.memory.result(self.output_bytes)
    }
}

/// As bench-slopes has it: one byte of the tag is read, and a nonce is set
/// once, if at all.
struct Compat {
    mac: Mac,
    sets_nonce: bool,
}

impl Call for Compat {
    fn open(&self) -> Result<Handle, Failure> {
        let handle = self.mac.open()?;
        if self.sets_nonce
            && let Err(failure) = self.mac.set_nonce(handle)
        {
            self.mac.close(handle);
            return Err(failure);
        }
        Ok(handle)
    }

    fn restart(&self, handle: Handle) -> Result<(), Failure> {
        self.mac.reset(handle)
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        self.mac.take_message(handle)?;
        // GMAC refuses so short a tag, and bench-slopes does not notice.
        let _ = self.mac.read(handle, 1);
        Ok(())
    }

    fn close(&self, handle: Handle) {
        self.mac.close(handle);
    }

    fn output(&self) -> &[u8] {
        &[]
    }
}
