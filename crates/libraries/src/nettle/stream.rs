//! Stream ciphers, which the library has functions for, but no descriptors.

use super::call::{DIRECTIONS, Implementation, Places, Routine, contexts, ready};
use super::cipher::canonical;
use super::symbols::{Crypt, File, SetKey};
use crate::{Buffer, names};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_void;

/// `sizeof` of arcfour's context. Those of Salsa20 and ChaCha have 64 bytes.
const ARCFOUR_CONTEXT_BYTES: usize = 258;
/// Room for any of them.
const CONTEXT_BYTES: usize = 512;

struct Stream {
    /// As in bench-slopes, where it has it.
    name: &'static str,
    /// In a spelling that cpb's table of names knows.
    family: &'static str,
    key_bytes: usize,
    set_key: &'static str,
    /// Sets the counter to zero, too. Absent where there is no nonce.
    set_nonce: Option<&'static str>,
    nonce_bytes: usize,
    /// The first one that the library has, for the contracts keyed and cold.
    crypt: &'static [&'static str],
    /// What bench-slopes times; absent where it has no row.
    compat: Option<&'static str>,
}

const STREAMS: &[Stream] = &[
    Stream {
        name: "arcfour",
        family: "arcfour",
        key_bytes: 16,
        set_key: "nettle_arcfour128_set_key",
        set_nonce: None,
        nonce_bytes: 0,
        crypt: &["nettle_arcfour_crypt"],
        compat: Some("nettle_arcfour_crypt"),
    },
    Stream {
        name: "salsa20",
        family: "salsa20",
        key_bytes: 32,
        set_key: "nettle_salsa20_256_set_key",
        set_nonce: Some("nettle_salsa20_set_nonce"),
        nonce_bytes: 8,
        crypt: &["nettle_salsa20_crypt"],
        compat: Some("nettle_salsa20_crypt"),
    },
    Stream {
        name: "salsa20r12",
        family: "salsa20r12",
        key_bytes: 32,
        set_key: "nettle_salsa20_256_set_key",
        set_nonce: Some("nettle_salsa20_set_nonce"),
        nonce_bytes: 8,
        crypt: &["nettle_salsa20r12_crypt"],
        compat: Some("nettle_salsa20r12_crypt"),
    },
    // RFC 8439: a nonce of 96 and a counter of 32 bits, which the first
    // function keeps apart. bench-slopes takes the other.
    Stream {
        name: "chacha",
        family: "chacha",
        key_bytes: 32,
        set_key: "nettle_chacha_set_key",
        set_nonce: Some("nettle_chacha_set_nonce96"),
        nonce_bytes: 12,
        crypt: &["nettle_chacha_crypt32", "nettle_chacha_crypt"],
        compat: Some("nettle_chacha_crypt"),
    },
    Stream {
        name: "chacha_nonce64",
        family: "chacha20-djb",
        key_bytes: 32,
        set_key: "nettle_chacha_set_key",
        set_nonce: Some("nettle_chacha_set_nonce"),
        nonce_bytes: 8,
        crypt: &["nettle_chacha_crypt"],
        compat: None,
    },
    Stream {
        name: "salsa20_128",
        family: "salsa20",
        key_bytes: 16,
        set_key: "nettle_salsa20_128_set_key",
        set_nonce: Some("nettle_salsa20_set_nonce"),
        nonce_bytes: 8,
        crypt: &["nettle_salsa20_crypt"],
        compat: None,
    },
    Stream {
        name: "salsa20r12_128",
        family: "salsa20r12",
        key_bytes: 16,
        set_key: "nettle_salsa20_128_set_key",
        set_nonce: Some("nettle_salsa20_set_nonce"),
        nonce_bytes: 8,
        crypt: &["nettle_salsa20r12_crypt"],
        compat: None,
    },
];

/// The functions of one stream cipher.
#[derive(Clone, Copy)]
struct Functions {
    set_key: SetKey,
    set_nonce: Option<SetKey>,
    crypt: Crypt,
    compat: Crypt,
}

/// The offers of all stream ciphers.
pub(super) fn implementations(file: &File) -> Vec<Implementation> {
    let mut found = Vec::new();
    for stream in STREAMS {
        let Some(functions) = functions(file, stream) else { continue };
        for (operation, direction) in DIRECTIONS {
            found.push(implementation(stream, functions, operation, direction));
        }
    }
    found
}

fn functions(file: &File, stream: &Stream) -> Option<Functions> {
    // SAFETY: the types are those of arcfour.h, chacha.h and salsa20.h.
    unsafe {
        let crypt = stream.crypt.iter().find_map(|name| file.symbol(name).ok())?;
        Some(Functions {
            set_key: file.symbol(stream.set_key).ok()?,
            set_nonce: match stream.set_nonce {
                Some(name) => Some(file.symbol(name).ok()?),
                None => None,
            },
            crypt,
            compat: match stream.compat {
                Some(name) => file.symbol(name).ok()?,
                None => crypt,
            },
        })
    }
}

fn implementation(
    stream: &Stream,
    functions: Functions,
    operation: Operation,
    direction: &str,
) -> Implementation {
    let cipher = canonical(stream.family, stream.key_bytes * 8);
    let offer = Offer {
        primitive: names::with_mode(&cipher, "stream"),
        operation,
        spelling: stream.name.to_owned(),
        backend: "default".to_owned(),
        default_backend: true,
        row: stream.compat.map(|_| RowName {
            group: "cipher".to_owned(),
            algorithm: stream.name.to_owned(),
            mode: format!("STREAM {direction}"),
        }),
        lengths: Lengths {
            key: Length::fixed(stream.key_bytes),
            nonce: Length::fixed(stream.nonce_bytes),
            granularity: 1,
            ..Lengths::default()
        },
        unavailable: None,
    };
    let make = move |places: Places, contract| {
        let Functions { set_key, set_nonce, crypt, compat } = functions;
        if contract == Contract::Compat {
            let base = Base::new(set_key, places.in_place());
            return Ok(ready(Running { crypt: compat, base }, contract));
        }
        let base = Base::new(set_key, places);
        Ok(match set_nonce {
            Some(set_nonce) => ready(WithNonce { set_nonce, crypt, base }, contract),
            None => ready(Restored { crypt, saved: [0; ARCFOUR_CONTEXT_BYTES], base }, contract),
        })
    };
    Implementation { offer, make: Box::new(make) }
}

/// What every stream cipher needs.
struct Base {
    set_key: SetKey,
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Base {
    fn new(set_key: SetKey, places: Places) -> Self {
        let ([context], memory) = contexts([CONTEXT_BYTES]);
        Self { set_key, context, places, _memory: memory }
    }

    fn key(&self) {
        // SAFETY: the context has room enough, the key the cipher's length.
        unsafe { (self.set_key)(self.context, self.places.key) };
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: the destination has room for the whole message.
        Ok(unsafe { self.places.written(self.places.length) })
    }
}

/// A cipher with a nonce, which every call sets anew.
struct WithNonce {
    set_nonce: SetKey,
    crypt: Crypt,
    base: Base,
}

impl Routine for WithNonce {
    fn key(&mut self) {
        self.base.key();
    }

    fn call(&mut self) {
        let Places { source, length, destination, nonce, .. } = self.base.places;
        // SAFETY: the context is keyed, the nonce has the cipher's length; the
        // destination has room for the message.
        unsafe {
            (self.set_nonce)(self.base.context, nonce);
            (self.crypt)(self.base.context, length, destination, source);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}

/// Arcfour. It has no nonce and its key schedule is its state, so a call that
/// shall begin at the beginning copies that state back.
struct Restored {
    crypt: Crypt,
    saved: [u8; ARCFOUR_CONTEXT_BYTES],
    base: Base,
}

impl Routine for Restored {
    fn key(&mut self) {
        self.base.key();
        // SAFETY: the context has more bytes than are saved.
        unsafe {
            let state = self.base.context.cast::<u8>();
            state.copy_to_nonoverlapping(self.saved.as_mut_ptr(), ARCFOUR_CONTEXT_BYTES);
        }
    }

    fn call(&mut self) {
        let Places { source, length, destination, .. } = self.base.places;
        // SAFETY: as in `key`, and as in `WithNonce`.
        unsafe {
            let state = self.base.context.cast::<u8>();
            state.copy_from_nonoverlapping(self.saved.as_ptr(), ARCFOUR_CONTEXT_BYTES);
            (self.crypt)(self.base.context, length, destination, source);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}

/// As bench-slopes does it: no nonce is ever set, and the stream goes on from
/// call to call.
struct Running {
    crypt: Crypt,
    base: Base,
}

impl Routine for Running {
    fn key(&mut self) {
        self.base.key();
    }

    fn call(&mut self) {
        let Places { source, length, destination, .. } = self.base.places;
        // SAFETY: as in `WithNonce`.
        unsafe { (self.crypt)(self.base.context, length, destination, source) };
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.base.output()
    }
}
