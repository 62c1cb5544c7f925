//! Hashes from the library's list, and the SHAKEs.

use super::call::{Implementation, Places, Routine, contexts, ready};
use super::symbols::{Digest, File, Init, Named, RawHash, Update};
use crate::sizes::FREE_OUTPUT;
use crate::{Buffer, names};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_void;

/// bench-slopes' own list, in its order. What else the library lists follows.
const ROWS: &[&str] = &[
    "md2",
    "md4",
    "md5",
    "gosthash94",
    "ripemd160",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512_224",
    "sha512_256",
    "sha3_224",
    "sha3_256",
    "sha3_384",
    "sha3_512",
];

/// XOFs: canonical name, prefix of the functions, rate. SHAKE128 came with
/// Nettle 3.10.
const SHAKES: &[(&str, &str, usize)] =
    &[("shake256", "sha3_256", 136), ("shake128", "sha3_128", 168)];

/// Room for `struct sha3_256_ctx` and `struct sha3_128_ctx`, which have 344
/// and 376 bytes.
const SHAKE_CONTEXT_BYTES: usize = 512;

/// Every hash that the library has, in the order of the rows.
pub(super) fn all(file: &File) -> Result<Vec<&'static RawHash>, String> {
    // SAFETY: nettle-meta.h declares the function so.
    let listed: Vec<&RawHash> = unsafe { file.list("nettle_get_hashes") }?;
    let mut hashes: Vec<&RawHash> = ROWS
        .iter()
        // SAFETY: nettle-meta.h declares hashes of these names.
        .filter_map(|name| unsafe { file.descriptor(name) })
        .collect();
    for hash in listed {
        if !hashes.iter().any(|known| known.name() == hash.name()) {
            hashes.push(hash);
        }
    }
    Ok(hashes)
}

/// The offers of all hashes.
pub(super) fn implementations(hashes: &[&'static RawHash]) -> Vec<Implementation> {
    hashes.iter().map(|hash| hash_implementation(hash)).collect()
}

/// The XOFs, which bench-slopes does not have.
pub(super) fn shakes(file: &File) -> Vec<Implementation> {
    SHAKES.iter().filter_map(|shake| shake_implementation(file, *shake)).collect()
}

fn hash_implementation(hash: &'static RawHash) -> Implementation {
    let name = hash.name();
    let offer = Offer {
        primitive: names::hash(&name),
        operation: Operation::Hash,
        spelling: name.clone(),
        backend: "default".to_owned(),
        default_backend: true,
        row: Some(RowName { group: "hash".to_owned(), algorithm: name, mode: String::new() }),
        lengths: Lengths {
            granularity: 1,
            block: Some(hash.block_size as usize),
            output: Some(Length::fixed(hash.digest_size as usize)),
            ..Lengths::default()
        },
        unavailable: None,
    };
    let make = move |places: Places, contract| {
        let ([context], memory) = contexts([hash.context_size as usize]);
        // bench-slopes asks for one byte of the digest.
        let output_bytes = if contract == Contract::Compat { 1 } else { places.output_bytes };
        Ok(ready(
            Hash {
                init: hash.init,
                update: hash.update,
                digest: hash.digest,
                context,
                places: Places { output_bytes, ..places },
                _memory: memory,
            },
            contract,
        ))
    };
    Implementation { offer, make: Box::new(make) }
}

fn shake_implementation(
    file: &File,
    (primitive, prefix, rate): (&str, &str, usize),
) -> Option<Implementation> {
    // SAFETY: the types are those of sha3.h.
    let (init, update, digest): (Init, Update, Digest) = unsafe {
        (
            file.symbol(&format!("nettle_{prefix}_init")).ok()?,
            file.symbol(&format!("nettle_{prefix}_update")).ok()?,
            file.symbol(&format!("nettle_{prefix}_shake")).ok()?,
        )
    };
    let offer = Offer {
        primitive: primitive.to_owned(),
        operation: Operation::Xof,
        spelling: format!("{prefix}_shake"),
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        lengths: Lengths {
            granularity: 1,
            block: Some(rate),
            output: Some(FREE_OUTPUT),
            ..Lengths::default()
        },
        unavailable: None,
    };
    let make = move |places, contract| {
        let ([context], memory) = contexts([SHAKE_CONTEXT_BYTES]);
        Ok(ready(Hash { init, update, digest, context, places, _memory: memory }, contract))
    };
    Some(Implementation { offer, make: Box::new(make) })
}

/// A hash or XOF: initialise, update once, finish.
struct Hash {
    init: Init,
    update: Update,
    digest: Digest,
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Routine for Hash {
    fn key(&mut self) {}

    fn call(&mut self) {
        let Places { source, length, destination, output_bytes, .. } = self.places;
        // SAFETY: the context has the size that the library asks for; the
        // places hold a message of this length and room for the output.
        unsafe {
            (self.init)(self.context);
            (self.update)(self.context, length, source);
            (self.digest)(self.context, output_bytes, destination);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: the destination has room for the output.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}
