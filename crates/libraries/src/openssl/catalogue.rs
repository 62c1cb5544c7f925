//! What a library offers: everything that can be found in it.

use super::aead::Restart;
use super::candidates::{
    MORE_CIPHERS, MORE_DIGESTS, MORE_MODES, NO_CIPHERS, NO_DIGESTS, ROW_CIPHERS, ROW_DIGESTS,
    ROW_MODES,
};
use super::functions::{CIPHER_MODE_BITS, Cipher, DIGEST_IS_XOF, Digest, Functions};
use super::keyed_catalogue::{derivations, macs};
use super::modes::Mode;
use super::sources::{Found, Sources};
use super::{Entry, Recipe, aead, cipher, digest};
use crate::{names, sizes};
use cpb_model::{Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_int;

/// Standard length of a nonce where a mode leaves a choice, and ChaCha20's.
pub(super) const NONCE_BYTES: usize = 12;

/// Every implementation, those with a row first and in the order of the rows.
pub(super) fn entries(functions: &'static Functions, sources: &Sources) -> Vec<Entry> {
    let digests = digests(functions, sources);
    let ciphers = ciphers(functions, sources);
    let mut entries: Vec<Entry> = digests.iter().map(|found| found.entry.clone()).collect();
    entries.extend(ciphers.iter().flat_map(FoundCipher::entries));
    entries.extend(macs(functions, &digests, &ciphers));
    entries.extend(derivations(functions, &digests));
    // The sort is stable: rows keep their order, and so does the rest.
    entries.sort_by_key(|entry| entry.offer.row.is_none());
    entries
}

/// A hash or XOF, with what MACs and derivations made of it need to know.
pub(super) struct FoundDigest {
    pub(super) digest: *const Digest,
    pub(super) entry: Entry,
}

fn digests(functions: &Functions, sources: &Sources) -> Vec<FoundDigest> {
    let mut found: Vec<FoundDigest> = Vec::new();
    for (name, has_row) in (ROW_DIGESTS.iter().map(|name| (*name, true)))
        .chain(MORE_DIGESTS.iter().map(|name| (*name, false)))
    {
        if let Some(candidate) = sources.digest(name) {
            found.push(describe_digest(functions, name, has_row, candidate));
        }
    }
    let known: Vec<&str> =
        ROW_DIGESTS.iter().chain(MORE_DIGESTS).chain(NO_DIGESTS).copied().collect();
    for (name, candidate) in sources.other_digests(&known) {
        let described = describe_digest(functions, &name, false, candidate);
        let Recipe::Digest(recipe) = described.entry.recipe else { continue };
        if digest::works(functions, recipe) {
            found.push(described);
        }
    }
    found
}

fn describe_digest(
    functions: &Functions,
    name: &str,
    has_row: bool,
    candidate: Found<Digest>,
) -> FoundDigest {
    let digest = candidate.algorithm;
    let core = &functions.core;
    // SAFETY: whatever was found is live and never freed.
    let (size, block, flags) = unsafe {
        ((core.digest_size)(digest), (core.digest_block)(digest), (core.digest_flags)(digest))
    };
    let is_xof = flags & DIGEST_IS_XOF != 0;
    let offer = Offer {
        primitive: names::hash(name),
        operation: if is_xof { Operation::Xof } else { Operation::Hash },
        spelling: name.to_owned(),
        row: (has_row && candidate.in_bench_slopes).then(|| RowName {
            group: "hash".to_owned(),
            algorithm: name.to_owned(),
            mode: String::new(),
        }),
        lengths: Lengths {
            granularity: 1,
            block: positive(block),
            output: if is_xof {
                Some(sizes::FREE_OUTPUT)
            } else {
                positive(size).map(Length::fixed)
            },
            ..Lengths::default()
        },
        unavailable: candidate.unavailable,
        ..blank_offer()
    };
    let recipe = Recipe::Digest(digest::Recipe { digest, is_xof });
    FoundDigest { digest, entry: Entry { offer, recipe } }
}

/// A cipher in a mode.
pub(super) struct FoundCipher {
    pub(super) cipher: *const Cipher,
    /// libcrypto's name, with the mode.
    pub(super) spelling: String,
    /// The canonical name, without the mode.
    pub(super) primitive: String,
    pub(super) mode: Mode,
    /// Of the block cipher itself, whatever its mode makes of it.
    pub(super) block_bytes: usize,
    pub(super) key_bytes: usize,
    pub(super) unavailable: Option<String>,
    nonce_bytes: usize,
    /// Its name in bench-slopes.
    row: Option<&'static str>,
}

fn ciphers(functions: &Functions, sources: &Sources) -> Vec<FoundCipher> {
    let mut candidates: Vec<(String, Option<&'static str>)> = Vec::new();
    for (modes, have_rows) in [(ROW_MODES, true), (MORE_MODES, false)] {
        for (row, name) in ROW_CIPHERS {
            candidates
                .extend(modes.iter().map(|mode| (mode.spelling(name), have_rows.then_some(*row))));
        }
    }
    candidates.extend(MORE_CIPHERS.iter().map(|name| ((*name).to_owned(), None)));

    // "DES", "BF" and their like without a mode are other names of CBC.
    let is_stream = |cipher| {
        // SAFETY: whatever was found is live and never freed.
        let flags = unsafe { (functions.core.cipher_flags)(cipher) };
        flags & CIPHER_MODE_BITS == 0
    };
    let mut found: Vec<FoundCipher> = candidates
        .iter()
        .filter_map(|(name, row)| {
            let candidate = sources.cipher(name)?;
            let split = Mode::split(name);
            (split.is_some() || is_stream(candidate.algorithm))
                .then(|| describe_cipher(functions, name, *row, candidate))
        })
        .collect();
    let known: Vec<&str> = candidates
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(NO_CIPHERS.iter().copied())
        .collect();
    for (name, candidate) in sources.other_ciphers(&known) {
        if Mode::split(&name).is_some() || is_stream(candidate.algorithm) {
            found.push(describe_cipher(functions, &name, None, candidate));
        }
    }
    found
}

fn describe_cipher(
    functions: &Functions,
    name: &str,
    row: Option<&'static str>,
    candidate: Found<Cipher>,
) -> FoundCipher {
    let cipher = candidate.algorithm;
    let core = &functions.core;
    // SAFETY: whatever was found is live and never freed.
    let (key_bytes, nonce_bytes, block_bytes) = unsafe {
        (
            length((core.cipher_key_length)(cipher)),
            length((core.cipher_nonce_length)(cipher)),
            length((core.cipher_block)(cipher)),
        )
    };
    let (algorithm, mode) = Mode::split(name).unwrap_or((name, Mode::Stream));
    let key_bits = if mode.doubles_key() { key_bytes * 4 } else { key_bytes * 8 };
    let algorithm = algorithm.strip_suffix(&format!("-{key_bits}")).unwrap_or(algorithm);
    let nonce_bytes = match mode {
        Mode::Ecb | Mode::Siv => 0,
        Mode::Stream if nonce_bytes == 0 => 0,
        Mode::Stream if algorithm.eq_ignore_ascii_case("ChaCha20") => NONCE_BYTES,
        _ if mode.has_tag() => NONCE_BYTES,
        _ => nonce_bytes,
    };
    FoundCipher {
        cipher,
        spelling: name.to_owned(),
        primitive: names::cipher(algorithm, key_bits),
        mode,
        block_bytes,
        key_bytes,
        unavailable: candidate.unavailable,
        nonce_bytes,
        row: row.filter(|_| candidate.in_bench_slopes),
    }
}

impl FoundCipher {
    fn entries(&self) -> Vec<Entry> {
        let operations: &[(Operation, &str)] = if !self.mode.has_tag() {
            &[(Operation::Encrypt, "enc"), (Operation::Decrypt, "dec")]
        } else if self.mode == Mode::Siv || self.mode == Mode::GcmSiv {
            // libcrypto makes no tag where there is no message.
            &[(Operation::Seal, "enc"), (Operation::Open, "dec")]
        } else {
            &[(Operation::Seal, "enc"), (Operation::Open, "dec"), (Operation::Auth, "auth")]
        };
        operations.iter().map(|(operation, label)| self.entry(*operation, label)).collect()
    }

    fn entry(&self, operation: Operation, label: &str) -> Entry {
        let mode = self.mode;
        let recipe = if mode.has_tag() {
            Recipe::Aead(aead::Recipe {
                cipher: self.cipher,
                operation,
                declares_lengths: mode == Mode::Ccm,
                restart: match mode {
                    Mode::Siv => Restart::Key,
                    Mode::GcmSiv => Restart::Cipher,
                    _ => Restart::Nonce,
                },
            })
        } else {
            Recipe::Cipher(cipher::Recipe {
                cipher: self.cipher,
                decrypt: operation == Operation::Decrypt,
                counter_bytes: if self.primitive == "chacha20" { 4 } else { 0 },
                starts_by_key: mode == Mode::Stream && self.nonce_bytes == 0,
            })
        };
        let offer = Offer {
            primitive: names::with_mode(&self.primitive, mode.name()),
            operation,
            spelling: self.spelling.clone(),
            row: self.row.map(|algorithm| RowName {
                group: "cipher".to_owned(),
                algorithm: algorithm.to_owned(),
                mode: format!("{} {label}", mode.name()),
            }),
            lengths: Lengths {
                key: Length::fixed(self.key_bytes),
                nonce: Length::fixed(self.nonce_bytes),
                aad: sizes::aad(operation),
                tag: if mode.has_tag() { aead::TAG_BYTES } else { 0 },
                granularity: mode.granularity(self.block_bytes),
                block: None,
                output: None,
            },
            unavailable: self.unavailable.clone(),
            ..blank_offer()
        };
        Entry { offer, recipe }
    }
}

/// An offer of the only backend libcrypto has, with the rest left to say.
pub(super) fn blank_offer() -> Offer {
    Offer {
        primitive: String::new(),
        operation: Operation::Hash,
        spelling: String::new(),
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        lengths: Lengths::default(),
        unavailable: None,
    }
}

fn positive(number: c_int) -> Option<usize> {
    usize::try_from(number).ok().filter(|number| *number != 0)
}

/// A length; libcrypto's -1 stands for none.
fn length(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(0)
}
