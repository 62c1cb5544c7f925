//! Every digest and cipher that can be found in a library.

use super::candidates::{
    MORE_CIPHERS, MORE_DIGESTS, MORE_MODES, NO_CIPHERS, NO_DIGESTS, ROW_CIPHERS, ROW_DIGESTS,
    ROW_MODES,
};
use super::functions::{CIPHER_MODE_BITS, Cipher, DIGEST_IS_XOF, Digest, Functions};
use super::sources::{Found, Sources};
use super::{Recipe, digest};
use crate::catalogue::modes::Mode;
use crate::catalogue::{lengths, names};
use crate::runtime::{Entry, offer, row};
use cpb_model::{Lengths, Operation};
use std::ffi::c_int;

/// A hash or XOF, with what MACs and derivations made of it need to know.
pub(super) struct FoundDigest {
    pub(super) digest: *const Digest,
    pub(super) entry: Entry<Recipe>,
}

pub(super) fn digests(functions: &Functions, sources: &Sources) -> Vec<FoundDigest> {
    let known = [ROW_DIGESTS, MORE_DIGESTS].concat();
    let mut found: Vec<FoundDigest> = known
        .iter()
        .filter_map(|name| {
            let has_row = ROW_DIGESTS.contains(name);
            Some(describe_digest(functions, name, has_row, sources.digests.find(name)?))
        })
        .collect();
    for (name, candidate) in sources.digests.others(&[&known, NO_DIGESTS].concat()) {
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
    let digests = &functions.digests;
    // SAFETY: digests that were found are live and never freed.
    let (size, block, flags) =
        unsafe { ((digests.size)(digest), (digests.block)(digest), (digests.flags)(digest)) };
    let is_xof = flags & DIGEST_IS_XOF != 0;
    let (size, block) = (positive(size), positive(block));
    let lengths = match size {
        // A digest without a length is not one that can be run.
        None if !is_xof => Lengths { output: None, ..lengths::hash(None, block) },
        size => lengths::hash(size.filter(|_| !is_xof), block),
    };
    let operation = if is_xof { Operation::Xof } else { Operation::Hash };
    let mut offer = offer(names::hash(name), operation, name.to_owned(), lengths);
    offer.row = (has_row && candidate.in_bench_slopes).then(|| row("hash", name, ""));
    offer.unavailable = candidate.unavailable;
    let recipe = Recipe::Digest(digest::Recipe { digest, is_xof, is_named_anew: false });
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
    pub(super) nonce_bytes: usize,
    /// Its name in bench-slopes.
    pub(super) row: Option<&'static str>,
}

pub(super) fn ciphers(functions: &Functions, sources: &Sources) -> Vec<FoundCipher> {
    let mut candidates: Vec<(String, Option<&'static str>)> = Vec::new();
    for (modes, have_rows) in [(ROW_MODES, true), (MORE_MODES, false)] {
        for (row, name) in ROW_CIPHERS {
            candidates.extend(
                modes.iter().map(|mode| (spelling(*mode, name), have_rows.then_some(*row))),
            );
        }
    }
    candidates.extend(MORE_CIPHERS.iter().map(|name| ((*name).to_owned(), None)));

    // "DES", "BF" and their like without a mode are other names of CBC.
    let is_whole = |name: &str, cipher: &Found<Cipher>| {
        // SAFETY: ciphers that were found are live and never freed.
        let flags = unsafe { (functions.ciphers.flags)(cipher.algorithm) };
        Mode::split(name).is_some() || flags & CIPHER_MODE_BITS == 0
    };
    let mut found: Vec<FoundCipher> = candidates
        .iter()
        .filter_map(|(name, row)| {
            let candidate = sources.ciphers.find(name).filter(|found| is_whole(name, found))?;
            Some(describe_cipher(functions, name, *row, candidate))
        })
        .collect();
    let names = candidates.iter().map(|(name, _)| name.as_str());
    let known: Vec<&str> = names.chain(NO_CIPHERS.iter().copied()).collect();
    let others = sources.ciphers.others(&known).into_iter();
    let whole = others.filter(|(name, candidate)| is_whole(name, candidate));
    found.extend(whole.map(|(name, other)| describe_cipher(functions, &name, None, other)));
    found
}

/// The name of `cipher` in this mode, as libcrypto spells it.
fn spelling(mode: Mode, cipher: &str) -> String {
    match mode {
        Mode::Stream => cipher.to_owned(),
        Mode::Poly1305 => format!("{cipher}-Poly1305"),
        _ => format!("{cipher}-{}", mode.name()),
    }
}

fn describe_cipher(
    functions: &Functions,
    name: &str,
    row: Option<&'static str>,
    candidate: Found<Cipher>,
) -> FoundCipher {
    let (cipher, ciphers) = (candidate.algorithm, &functions.ciphers);
    // SAFETY: ciphers that were found are live and never freed.
    let lengths = unsafe {
        [(ciphers.key_length)(cipher), (ciphers.nonce_length)(cipher), (ciphers.block)(cipher)]
    };
    let [key_bytes, own_nonce, block_bytes] = lengths.map(|length| positive(length).unwrap_or(0));
    let (algorithm, mode) = Mode::split(name).unwrap_or((name, Mode::Stream));
    let key_bits = if mode.doubles_key() { key_bytes * 4 } else { key_bytes * 8 };
    let algorithm = algorithm.strip_suffix(&format!("-{key_bits}")).unwrap_or(algorithm);
    let primitive = names::cipher(algorithm, key_bits);
    let nonce_bytes = match mode {
        Mode::Ecb => 0,
        Mode::Stream => lengths::stream_nonce(&primitive).unwrap_or(own_nonce),
        _ => mode.aead_nonce().unwrap_or(own_nonce),
    };
    FoundCipher {
        cipher,
        spelling: name.to_owned(),
        primitive,
        mode,
        block_bytes,
        key_bytes,
        unavailable: candidate.unavailable,
        nonce_bytes,
        row: row.filter(|_| candidate.in_bench_slopes),
    }
}

/// A length; libcrypto's 0 and -1 stand for none.
fn positive(number: c_int) -> Option<usize> {
    usize::try_from(number).ok().filter(|number| *number != 0)
}
