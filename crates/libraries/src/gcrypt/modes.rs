//! Ciphers in their modes: what bench-slopes has a row for, in its order, and
//! what it has none for.

use super::Item;
use super::functions::{Functions, Kind, check};
use crate::{names, sizes};
use cpb_model::{Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_int;

/// The numbers bench-slopes asks for.
pub(super) const NUMBERS: std::ops::Range<c_int> = 1..400;

/// A mode, by the library's number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode {
    pub(super) number: c_int,
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// The ciphers it works with. The library checks it late, or not at all.
    ciphers: Ciphers,
    /// Whether it takes two keys in one.
    has_two_keys: bool,
    has_row: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Plain {
        nonce: Nonce,
        /// Whether it takes whole blocks only.
        whole_blocks: bool,
    },
    Authenticated {
        nonce_bytes: usize,
        /// bench-slopes' nonce.
        compat_nonce_bytes: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nonce {
    None,
    /// An initial value of one block, or a stream cipher's nonce.
    Initial,
    /// A counter of one block.
    Counter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ciphers {
    Block,
    /// Of 16-byte blocks.
    WideBlock,
    /// Of 16-byte blocks and a key of 16 or 32 bytes.
    WideBlockPlainKey,
    Stream,
    ChaCha20,
}

const ECB: c_int = 1;
const CFB: c_int = 2;
const CBC: c_int = 3;
const STREAM: c_int = 4;
const OFB: c_int = 5;
const CTR: c_int = 6;
pub(super) const CCM: c_int = 8;
const GCM: c_int = 9;
const POLY1305: c_int = 10;
const OCB: c_int = 11;
const CFB8: c_int = 12;
const XTS: c_int = 13;
pub(super) const EAX: c_int = 14;
pub(super) const SIV: c_int = 15;
pub(super) const GCM_SIV: c_int = 16;

const fn plain(
    number: c_int,
    name: &'static str,
    ciphers: Ciphers,
    nonce: Nonce,
    whole_blocks: bool,
) -> Mode {
    let shape = Shape::Plain { nonce, whole_blocks };
    Mode { number, name, shape, ciphers, has_two_keys: number == XTS, has_row: number != CFB8 }
}

const fn authenticated(
    number: c_int,
    name: &'static str,
    ciphers: Ciphers,
    nonce_bytes: usize,
    compat_nonce_bytes: usize,
) -> Mode {
    let shape = Shape::Authenticated { nonce_bytes, compat_nonce_bytes };
    Mode { number, name, shape, ciphers, has_two_keys: number == SIV, has_row: true }
}

const MODES: [Mode; 15] = [
    plain(ECB, "ECB", Ciphers::Block, Nonce::None, true),
    plain(CBC, "CBC", Ciphers::Block, Nonce::Initial, true),
    plain(CFB, "CFB", Ciphers::Block, Nonce::Initial, false),
    plain(OFB, "OFB", Ciphers::Block, Nonce::Initial, false),
    plain(CTR, "CTR", Ciphers::Block, Nonce::Counter, false),
    plain(XTS, "XTS", Ciphers::WideBlock, Nonce::Initial, true),
    authenticated(CCM, "CCM", Ciphers::WideBlock, 12, 11),
    authenticated(EAX, "EAX", Ciphers::Block, 16, 16),
    authenticated(GCM, "GCM", Ciphers::WideBlock, 12, 12),
    authenticated(OCB, "OCB", Ciphers::WideBlock, 12, 15),
    authenticated(SIV, "SIV", Ciphers::WideBlock, 0, 0),
    authenticated(GCM_SIV, "GCM-SIV", Ciphers::WideBlockPlainKey, 12, 12),
    plain(STREAM, "STREAM", Ciphers::Stream, Nonce::Initial, false),
    authenticated(POLY1305, "POLY1305", Ciphers::ChaCha20, 12, 8),
    plain(CFB8, "CFB8", Ciphers::Block, Nonce::Initial, false),
];

/// Nonces of the stream ciphers that have one; ChaCha20's is RFC 8439's, after
/// which the counter begins at 0.
const STREAM_NONCES: &[(&str, usize)] = &[("SALSA20", 8), ("SALSA20R12", 8), ("CHACHA20", 12)];
/// RC4 has no nonce to begin anew with, and with CryptoPro's key meshing the
/// key itself changes every 1024 bytes: these need a reset.
const KEEP_STATE: &[&str] = &["ARCFOUR", "GOST28147_MESH"];

const WIDE_BLOCK_BYTES: usize = 16;
const TAG_BYTES: usize = 16;

/// A cipher in a mode.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    pub(super) algorithm: c_int,
    pub(super) mode: Mode,
    /// Whether a new nonce is not enough to begin anew.
    pub(super) keeps_state: bool,
}

/// Every mode of every cipher the library knows, those with a row apart.
pub(super) fn items(functions: &Functions) -> (Vec<Item>, Vec<Item>) {
    let mut rows = Vec::new();
    let mut extras = Vec::new();
    for algorithm in NUMBERS {
        let Some(cipher) = Cipher::find(functions, algorithm) else { continue };
        for mode in MODES.into_iter().filter(|&mode| cipher.has(functions, mode)) {
            let items = if mode.has_row { &mut rows } else { &mut extras };
            items.extend(cipher.items(mode));
        }
    }
    (rows, extras)
}

struct Cipher {
    algorithm: c_int,
    name: String,
    canonical_name: String,
    key_bytes: usize,
    block_bytes: usize,
    refusal: Option<String>,
}

impl Cipher {
    fn find(functions: &Functions, algorithm: c_int) -> Option<Self> {
        let name = functions.name(Kind::Cipher, algorithm)?;
        // SAFETY: any number may be asked about.
        let (key_bytes, block_bytes) = unsafe {
            (
                (functions.cipher_get_algo_keylen)(algorithm),
                (functions.cipher_get_algo_blklen)(algorithm),
            )
        };
        if key_bytes == 0 || block_bytes == 0 {
            return None;
        }
        let key_bits = key_bytes * 8;
        let without_bits = name.strip_suffix(&key_bits.to_string()).unwrap_or(&name);
        Some(Self {
            algorithm,
            canonical_name: names::cipher(without_bits.trim_end_matches('_'), key_bits),
            key_bytes,
            block_bytes,
            refusal: functions.refusal(Kind::Cipher, algorithm),
            name,
        })
    }

    fn has(&self, functions: &Functions, mode: Mode) -> bool {
        let is_wide = self.block_bytes == WIDE_BLOCK_BYTES;
        let fits = match mode.ciphers {
            Ciphers::Block => (2..=WIDE_BLOCK_BYTES).contains(&self.block_bytes),
            Ciphers::WideBlock => is_wide,
            Ciphers::WideBlockPlainKey => is_wide && [16, 32].contains(&self.key_bytes),
            Ciphers::Stream => self.block_bytes == 1,
            Ciphers::ChaCha20 => self.name == "CHACHA20",
        };
        // A cipher that is refused is refused in any mode; then nobody can say
        // which modes there are.
        fits && (self.refusal.is_some() || opens(functions, self.algorithm, mode.number))
    }

    fn items(&self, mode: Mode) -> impl Iterator<Item = Item> {
        let steps: &[(Operation, &str)] = match mode.shape {
            Shape::Plain { .. } => &[(Operation::Encrypt, "enc"), (Operation::Decrypt, "dec")],
            Shape::Authenticated { .. } => {
                &[(Operation::Seal, "enc"), (Operation::Open, "dec"), (Operation::Auth, "auth")]
            }
        };
        steps.iter().map(move |&(operation, step)| {
            let offer = Offer {
                primitive: names::with_mode(&self.canonical_name, mode.name),
                operation,
                spelling: format!("{}/{}", self.name, mode.name),
                backend: "default".to_owned(),
                default_backend: true,
                row: mode.has_row.then(|| RowName {
                    group: "cipher".to_owned(),
                    algorithm: self.name.clone(),
                    mode: format!("{} {step}", mode.name),
                }),
                lengths: self.lengths(mode, operation),
                unavailable: self.refusal.clone(),
            };
            let keeps_state = KEEP_STATE.contains(&self.name.as_str());
            let recipe = Recipe { algorithm: self.algorithm, mode, keeps_state };
            Item { offer, recipe: super::Recipe::Cipher(recipe) }
        })
    }

    fn lengths(&self, mode: Mode, operation: Operation) -> Lengths {
        let key = Length::fixed(self.key_bytes * if mode.has_two_keys { 2 } else { 1 });
        let lengths = Lengths { key, granularity: 1, ..Lengths::default() };
        match mode.shape {
            Shape::Plain { nonce, whole_blocks } => Lengths {
                nonce: Length::fixed(match nonce {
                    Nonce::None => 0,
                    Nonce::Initial if mode.ciphers == Ciphers::Stream => STREAM_NONCES
                        .iter()
                        .find(|(name, _)| *name == self.name)
                        .map_or(0, |&(_, length)| length),
                    Nonce::Initial | Nonce::Counter => self.block_bytes,
                }),
                granularity: if whole_blocks { self.block_bytes } else { 1 },
                ..lengths
            },
            Shape::Authenticated { nonce_bytes, .. } => Lengths {
                nonce: Length::fixed(nonce_bytes),
                aad: sizes::aad(operation),
                // EAX of a narrow block has a tag of one block.
                tag: if self.block_bytes == 1 { TAG_BYTES } else { self.block_bytes },
                ..lengths
            },
        }
    }
}

fn opens(functions: &Functions, algorithm: c_int, mode: c_int) -> bool {
    let mut handle = std::ptr::null_mut();
    // SAFETY: the handle is room for a handle; what was opened is closed.
    unsafe {
        let opened = (functions.cipher_open)(&raw mut handle, algorithm, mode, 0);
        check(opened).map(|()| (functions.cipher_close)(handle)).is_ok()
    }
}
