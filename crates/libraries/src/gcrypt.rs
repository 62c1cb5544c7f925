//! `gcrypt`: libgcrypt 1.8 and newer.
//!
//! It lists its algorithms by number, with names of its own, so nearly all is
//! asked of the library. A cipher in a mode is spelt `AES/GCM`.

mod aead;
mod aead_compat;
mod cipher;
mod ciphers;
mod functions;
mod hash;
mod kdf;
mod keys;
mod mac;
mod random;

use crate::first_use::{self, Passed};
use crate::runtime::{Entry, Installed, Loaded, Offers, load, text};
use crate::{Identity, Inputs, Library, Made, OpenError};
use cpb_model::{Contract, Offer, Operation};
use functions::{
    DISABLE_SECURE_MEMORY, Functions, INITIALIZATION_FINISHED, INITIALIZATION_FINISHED_P,
};
use keys::Keys;
use std::ffi::c_int;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const INSTALLED: Installed = Installed {
    name: "gcrypt",
    files: &["libgcrypt.so.20"],
    remedy: "install it, on Debian: apt install libgcrypt20",
    others: &[],
};
/// The oldest version whose functions are the ones called here.
const OLDEST: &std::ffi::CStr = c"1.8.0";
/// The numbers of digests and ciphers that bench-slopes asks for.
const NUMBERS: std::ops::Range<c_int> = 1..400;

pub(crate) fn open(
    path: Option<&Path>,
    wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    Ok(Box::new(open_library_for(path, wanted)?))
}

#[cfg(test)]
fn open_library(path: Option<&Path>) -> Result<Gcrypt, OpenError> {
    open_library_for(path, None)
}

fn open_library_for(path: Option<&Path>, wanted: Option<&Offer>) -> Result<Gcrypt, OpenError> {
    let library = load(&INSTALLED, path)?;
    let functions = Functions::resolve(&library)?;
    let keys = Keys::resolve(&library).ok();
    first_use::passed(Passed::Loaded);
    let version = initialise(&library, &functions)?;
    let entries = match wanted {
        Some(wanted) => entries_for(&functions, wanted),
        None => entries(&functions, keys.is_some()),
    };
    first_use::passed(Passed::Found);
    let file = library.file("gcry_check_version");
    let offers = Offers::new(INSTALLED.name, entries);
    Ok(Gcrypt { functions, keys, version, file, offers })
}

struct Gcrypt {
    functions: Functions,
    /// Since 1.9.
    keys: Option<Keys>,
    version: String,
    file: String,
    offers: Offers<Recipe>,
}

#[derive(Debug, Clone, Copy)]
enum Recipe {
    Hash(c_int),
    Mac(mac::Numbered),
    Cipher(ciphers::InMode),
    Derive(kdf::Numbered),
    Key(keys::Done),
    Random,
}

impl Library for Gcrypt {
    fn identity(&self) -> Identity {
        Identity {
            banner: format!("libgcrypt: {}", self.version),
            version: self.version.clone(),
            path: Some(self.file.clone()),
            code_path: self.hardware_features(),
        }
    }

    fn offers(&self) -> &[Offer] {
        self.offers.list()
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> Made {
        let functions = &self.functions;
        match *self.offers.find(offer, contract)? {
            Recipe::Hash(number) => hash::prepare(functions, offer, number, contract, inputs),
            Recipe::Mac(mac) => mac::prepare(functions, offer, mac, contract, inputs),
            Recipe::Derive(kdf) => kdf::prepare(functions, kdf, contract, inputs),
            Recipe::Random => random::prepare(functions, inputs),
            Recipe::Key(on) => keys::prepare(functions, self.keys, on, contract, inputs),
            Recipe::Cipher(cipher) if !cipher.mode.mode.has_tag() => {
                cipher::prepare(functions, offer, cipher, contract, inputs)
            }
            Recipe::Cipher(cipher) if contract == Contract::Compat => {
                aead_compat::prepare(functions, offer, cipher, inputs)
            }
            Recipe::Cipher(cipher) => aead::prepare(functions, offer, cipher, contract, inputs),
        }
    }
}

impl Gcrypt {
    /// The CPU's features that the library found and was not told to leave.
    fn hardware_features(&self) -> Option<String> {
        let line = self.functions.configuration?.line;
        // SAFETY: the mode is the only one there is, and the name is text. What is returned
        // is text, or null, and ours to free once it was copied.
        let line = unsafe {
            let pointer = line(0, c"hwflist".as_ptr());
            let line = text(pointer)?;
            (self.functions.core.free)(pointer.cast());
            line
        };
        Some(line.trim().trim_end_matches(':').replace("hwflist:", ""))
    }
}

/// Everything the library has: bench-slopes' rows in its order, then the rest.
fn entries(functions: &Functions, has_keys: bool) -> Vec<Entry<Recipe>> {
    let mut rows = hash::entries(functions);
    let mut extras = Vec::new();
    for (more_rows, more_extras) in
        [mac::entries(functions), ciphers::entries(functions), kdf::entries(functions)]
    {
        rows.extend(more_rows);
        extras.extend(more_extras);
    }
    rows.append(&mut extras);
    rows.push(random::entry());
    if has_keys {
        rows.extend(keys::entries());
    }
    rows
}

/// What may be the `wanted` offer: a program knows the number of what it needs.
fn entries_for(functions: &Functions, wanted: &Offer) -> Vec<Entry<Recipe>> {
    let (rows, extras) = match wanted.operation {
        Operation::Hash | Operation::Xof => (hash::entries(functions), Vec::new()),
        Operation::Mac => mac::entries(functions),
        Operation::Derive => kdf::entries(functions),
        Operation::Random => (vec![random::entry()], Vec::new()),
        operation if operation.is_public_key() => (keys::entries(), Vec::new()),
        _ => ciphers::entries_of(functions, &|spelling| spelling == wanted.spelling),
    };
    rows.into_iter().chain(extras).filter(|it| it.offer.operation == wanted.operation).collect()
}

/// Makes the library usable, and returns its version.
fn initialise(library: &Loaded, functions: &Functions) -> Result<String, OpenError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let core = &functions.core;
    // SAFETY: the function takes text or null, and returns static text or null; asking for
    // no version in particular is how the library wants to be woken.
    let (version, is_new_enough) = unsafe {
        let version = text((core.check_version)(std::ptr::null()));
        (version, !(core.check_version)(OLDEST.as_ptr()).is_null())
    };
    let version = version.unwrap_or_else(|| "unknown".to_owned());
    if !is_new_enough {
        let reason = format!("version {version} is too old; 1.8 or newer is needed");
        return Err(library.refuses(reason));
    }
    // SAFETY: each command takes no more than the number given.
    unsafe {
        if (core.control)(INITIALIZATION_FINISHED_P) == 0 {
            // Locked memory is scarce and nothing here is secret.
            (core.control)(DISABLE_SECURE_MEMORY, 0);
            (core.control)(INITIALIZATION_FINISHED, 0);
        }
    }
    drop(guard);
    Ok(version)
}

#[test]
fn functions_are_called_as_the_header_declares_them() {
    crate::runtime::agree_with_headers(&["gcrypt.h"], || open_library(None));
}
