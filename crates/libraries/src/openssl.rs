//! OpenSSL's libcrypto through EVP: 1.1.1, 3.x and what follows.
//!
//! Algorithms are fetched once, when the library is opened, and contexts are
//! reused as its manual pages advise. Some contexts go back to the start only
//! with their key, so that each call sets it, even under the contract keyed:
//! RC4, whose state is its key; Poly1305 and SipHash; SIV and GCM-SIV, which
//! libcrypto limits to one message.
//!
//! The legacy provider is loaded where it is installed. What it adds has rows
//! in bench-slopes only where a configuration activates it for everybody.

mod aead;
mod calls;
mod candidates;
mod catalogue;
mod cipher;
mod derive;
mod digest;
mod functions;
mod keyed_catalogue;
mod mac;
mod modes;
mod parameters;
mod sources;

use crate::{Identity, Inputs, Library, OpenError, PrepareError, Prepared};
use cpb_model::{Contract, Offer};
use functions::{Functions, LOAD_CONFIGURATION, VERSION_TEXT, text};
use sources::Sources;
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

const NAME: &str = "openssl";
/// The newest first; the last is what development packages install.
const FILE_NAMES: &[&str] =
    &["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"];
const REMEDY: &str = "install OpenSSL's library (Debian: package libssl3, from Debian 13 on \
                      libssl3t64), or give its path, as openssl=/opt/openssl/lib/libcrypto.so.3";

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    Ok(Box::new(open_file_or_installed(path)?))
}

fn open_file_or_installed(path: Option<&Path>) -> Result<OpenSsl, OpenError> {
    let (library, shown) = match path {
        Some(path) => load_file(path)?,
        None => load_installed(FILE_NAMES)?,
    };
    let functions = Functions::load(&library).map_err(|symbol| OpenError::WrongLibrary {
        path: shown,
        library: NAME.to_owned(),
        symbol: symbol.to_owned(),
    })?;
    // The process ends with the round; until then everything stays loaded.
    std::mem::forget(library);
    let functions: &'static Functions = Box::leak(Box::new(functions));
    // SAFETY: the function takes options and, where there are none, null.
    if unsafe { (functions.core.initialise)(LOAD_CONFIGURATION, ptr::null()) } != 1 {
        return Err(OpenError::Refused {
            library: NAME.to_owned(),
            reason: functions.last_error(),
        });
    }
    let entries = catalogue::entries(functions, &Sources::new(functions));
    Ok(OpenSsl { functions, entries })
}

/// The file at `path`, and how to show it.
fn load_file(path: &Path) -> Result<(libloading::Library, String), OpenError> {
    let shown = path.display().to_string();
    // A bare file name would be searched for in the system's folders.
    let file = if path.is_relative() && path.components().count() == 1 {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    };
    match load(&file) {
        Ok(library) => Ok((library, shown)),
        Err(reason) => Err(OpenError::Load { path: shown, reason }),
    }
}

/// The first of `names` that the system has.
fn load_installed(names: &[&str]) -> Result<(libloading::Library, String), OpenError> {
    let mut reason = String::new();
    for name in names {
        match load(Path::new(name)) {
            Ok(library) => return Ok((library, (*name).to_owned())),
            // One that is there and broken says more than one that is not.
            Err(words) if reason.is_empty() || reason.contains("No such file") => reason = words,
            Err(_) => {}
        }
    }
    Err(OpenError::Missing { library: NAME.to_owned(), reason, remedy: REMEDY.to_owned() })
}

/// The file as a library, or the loader's words.
fn load(file: &Path) -> Result<libloading::Library, String> {
    // SAFETY: loading runs the library's initialisers. The user asked for it,
    // and this process exists to bear what may come of it.
    unsafe { libloading::Library::new(file) }.map_err(|error| cpb_provider::loader_words(&error))
}

struct OpenSsl {
    functions: &'static Functions,
    entries: Vec<Entry>,
}

/// An offer, and how it is carried out.
#[derive(Clone)]
struct Entry {
    offer: Offer,
    recipe: Recipe,
}

#[derive(Clone)]
enum Recipe {
    Digest(digest::Recipe),
    Cipher(cipher::Recipe),
    Aead(aead::Recipe),
    Mac(mac::Recipe),
    Derive(derive::Recipe),
}

impl Library for OpenSsl {
    fn identity(&self) -> Identity {
        // SAFETY: the function takes a number and returns static text.
        let banner = unsafe { text((self.functions.core.version)(VERSION_TEXT)) };
        let banner = banner.unwrap_or_else(|| "unknown".to_owned());
        // "OpenSSL 1.1.1w  11 Sep 2023": before 3.0 there is no shorter form.
        let version = banner.split_whitespace().nth(1).unwrap_or(&banner).to_owned();
        Identity {
            version,
            banner,
            path: file_of(self.functions),
            code_path: self.functions.fetching.and_then(|fetching| fetching.cpu_settings()),
        }
    }

    fn offers(&self) -> Vec<Offer> {
        self.entries.iter().map(|entry| entry.offer.clone()).collect()
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let not_offered = |what| PrepareError::NotOffered { library: NAME.to_owned(), what };
        let entry = (self.entries.iter())
            .find(|entry| entry.offer == *offer)
            .ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if let Some(reason) = &offer.unavailable {
            return Err(PrepareError::Unavailable(reason.clone()));
        }
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        self.functions.clear_errors();
        match &entry.recipe {
            Recipe::Digest(recipe) => digest::prepare(self.functions, *recipe, contract, inputs),
            Recipe::Cipher(recipe) => cipher::prepare(self.functions, *recipe, contract, inputs),
            Recipe::Aead(recipe) => aead::prepare(self.functions, *recipe, contract, inputs),
            Recipe::Mac(recipe) => mac::prepare(self.functions, recipe, contract, inputs),
            Recipe::Derive(recipe) => derive::prepare(self.functions, recipe, contract, inputs),
        }
    }
}

/// The file that the functions came from.
fn file_of(functions: &Functions) -> Option<String> {
    let mut place = Place {
        file: ptr::null(),
        base: ptr::null_mut(),
        symbol: ptr::null(),
        address: ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; `place` has the shape of Dl_info.
    let file = unsafe {
        let known = dladdr(functions.core.version as *const c_void, &raw mut place) != 0;
        if known { text(place.file) } else { None }
    }?;
    Some(Path::new(&file).canonicalize().map_or(file, |path| path.display().to_string()))
}

/// `Dl_info`.
#[repr(C)]
struct Place {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

unsafe extern "C" {
    /// What an address belongs to, in the C library; 0 if nothing is known.
    fn dladdr(address: *const c_void, place: *mut Place) -> c_int;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_says_how_to_get_it() {
        let error = load_installed(&["libcrypto.so.none", "libcrypto.so.neither"]).err();
        let Some(OpenError::Missing { library, reason, remedy }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(library, "openssl");
        assert!(reason.contains("libcrypto.so.n"), "{reason}");
        assert!(remedy.contains("libssl3"), "{remedy}");
    }
}
