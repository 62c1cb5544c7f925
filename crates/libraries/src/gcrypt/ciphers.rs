//! Ciphers in their modes: what bench-slopes has a row for, in its order, and
//! what it has none for.

use super::functions::{Functions, Kind, check};
use super::{NUMBERS, Recipe};
use crate::catalogue::modes::Mode;
use crate::catalogue::{lengths, names};
use crate::runtime::{Entry, offer, row};
use crate::sizes;
use cpb_model::{Length, Lengths, Offer, Operation};
use std::ffi::c_int;

/// A mode as the library and bench-slopes have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    pub(super) mode: Mode,
    pub(super) number: c_int,
    /// The ciphers it works with. The library checks it late, or not at all.
    ciphers: Ciphers,
    /// bench-slopes' nonce, where it makes a tag.
    pub(super) compat_nonce_bytes: usize,
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

const fn mode(mode: Mode, number: c_int, ciphers: Ciphers, compat_nonce_bytes: usize) -> Numbered {
    Numbered { mode, number, ciphers, compat_nonce_bytes }
}

/// In the order of the rows; CFB8 has none.
const MODES: [Numbered; 15] = [
    mode(Mode::Ecb, 1, Ciphers::Block, 0),
    mode(Mode::Cbc, 3, Ciphers::Block, 0),
    mode(Mode::Cfb, 2, Ciphers::Block, 0),
    mode(Mode::Ofb, 5, Ciphers::Block, 0),
    mode(Mode::Ctr, 6, Ciphers::Block, 0),
    mode(Mode::Xts, 13, Ciphers::WideBlock, 0),
    mode(Mode::Ccm, 8, Ciphers::WideBlock, 11),
    mode(Mode::Eax, 14, Ciphers::Block, 16),
    mode(Mode::Gcm, 9, Ciphers::WideBlock, 12),
    mode(Mode::Ocb, 11, Ciphers::WideBlock, 15),
    mode(Mode::Siv, 15, Ciphers::WideBlock, 0),
    mode(Mode::GcmSiv, 16, Ciphers::WideBlockPlainKey, 12),
    mode(Mode::Stream, 4, Ciphers::Stream, 0),
    mode(Mode::Poly1305, 10, Ciphers::ChaCha20, 8),
    mode(Mode::Cfb8, 12, Ciphers::Block, 0),
];

/// RC4 has no nonce to begin anew with, and with CryptoPro's key meshing the
/// key itself changes every 1024 bytes: these need a reset.
const KEEP_STATE: &[&str] = &["ARCFOUR", "GOST28147_MESH"];

const WIDE_BLOCK_BYTES: usize = 16;

/// A cipher in a mode.
#[derive(Debug, Clone, Copy)]
pub(super) struct InMode {
    pub(super) algorithm: c_int,
    pub(super) mode: Numbered,
    /// Whether a new nonce is not enough to begin anew.
    pub(super) keeps_state: bool,
}

/// Every mode of every cipher the library knows, those with a row apart.
pub(super) fn entries(functions: &Functions) -> (Vec<Entry<Recipe>>, Vec<Entry<Recipe>>) {
    entries_of(functions, &|_| true)
}

/// The same of those whose spelling is wanted.
pub(super) fn entries_of(
    functions: &Functions,
    is_wanted: &dyn Fn(&str) -> bool,
) -> (Vec<Entry<Recipe>>, Vec<Entry<Recipe>>) {
    let ciphers = NUMBERS.filter_map(|algorithm| Cipher::find(functions, algorithm));
    ciphers
        .flat_map(|cipher| {
            let modes = MODES.into_iter().filter(|it| is_wanted(&cipher.spelling(it.mode)));
            let modes = modes.filter(|&mode| cipher.has(functions, mode));
            modes.flat_map(|mode| cipher.entries(mode)).collect::<Vec<_>>()
        })
        .partition(|entry| entry.offer.row.is_some())
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
        let ciphers = &functions.ciphers;
        // SAFETY: any number may be asked about.
        let (key_bytes, block_bytes) =
            unsafe { ((ciphers.key_length)(algorithm), (ciphers.block_length)(algorithm)) };
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

    fn has(&self, functions: &Functions, mode: Numbered) -> bool {
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

    fn entries(&self, mode: Numbered) -> impl Iterator<Item = Entry<Recipe>> {
        let steps: &[(Operation, &str)] = if mode.mode.has_tag() {
            &[(Operation::Seal, "enc"), (Operation::Open, "dec"), (Operation::Auth, "auth")]
        } else {
            &[(Operation::Encrypt, "enc"), (Operation::Decrypt, "dec")]
        };
        steps.iter().map(move |&(operation, step)| {
            let name = mode.mode.name();
            let primitive = names::with_mode(&self.canonical_name, name);
            let spelling = self.spelling(mode.mode);
            let row = row("cipher", &self.name, &format!("{name} {step}"));
            let offer = Offer {
                row: (mode.mode != Mode::Cfb8).then_some(row),
                unavailable: self.refusal.clone(),
                ..offer(primitive, operation, spelling, self.lengths(mode.mode, operation))
            };
            let keeps_state = KEEP_STATE.contains(&self.name.as_str());
            let in_mode = InMode { algorithm: self.algorithm, mode, keeps_state };
            Entry { offer, recipe: Recipe::Cipher(in_mode) }
        })
    }

    fn spelling(&self, mode: Mode) -> String {
        format!("{}/{}", self.name, mode.name())
    }

    fn lengths(&self, mode: Mode, operation: Operation) -> Lengths {
        let nonce = match mode {
            Mode::Ecb => 0,
            Mode::Stream => lengths::stream_nonce(&self.canonical_name).unwrap_or(0),
            _ => mode.aead_nonce().unwrap_or(self.block_bytes),
        };
        Lengths {
            key: Length::fixed(self.key_bytes * if mode.doubles_key() { 2 } else { 1 }),
            nonce: Length::fixed(nonce),
            aad: sizes::aad(operation),
            tag: mode.tag(self.block_bytes),
            granularity: mode.granularity(self.block_bytes),
            ..Lengths::default()
        }
    }
}

fn opens(functions: &Functions, algorithm: c_int, mode: c_int) -> bool {
    let mut handle = std::ptr::null_mut();
    // SAFETY: there is room for a handle; what was opened is closed.
    unsafe {
        let opened = (functions.ciphers.open)(&raw mut handle, algorithm, mode, 0);
        check(opened).map(|()| (functions.ciphers.close)(handle)).is_ok()
    }
}
