//! `gcrypt`: libgcrypt 1.8 and newer.
//!
//! It lists its algorithms by number, with names of its own, so nearly all is
//! asked of the library. A cipher in a mode is spelt `AES/GCM`.

mod aead;
mod aead_compat;
mod calls;
mod cipher;
mod functions;
mod hash;
mod kdf;
mod mac;
mod modes;

use crate::{Identity, Inputs, Library, OpenError, PrepareError, Prepared};
use cpb_model::{Contract, Offer};
use functions::{
    DISABLE_SECURE_MEMORY, Functions, INITIALIZATION_FINISHED, INITIALIZATION_FINISHED_P, text,
};
use modes::Shape;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What the installed library is called.
const FILES: [&str; 1] = ["libgcrypt.so.20"];
const REMEDY: &str = "install it, on Debian: apt install libgcrypt20";
/// The oldest version whose functions are the ones called here.
const OLDEST: &std::ffi::CStr = c"1.8.0";

/// Opens the installed library, or the one at `path`.
pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    let (functions, version, file) = load_functions(path)?;
    let items = items(&functions);
    Ok(Box::new(Gcrypt { functions, version, path: file, items }))
}

/// An offer, and how it is made.
#[derive(Debug, Clone)]
struct Item {
    offer: Offer,
    recipe: Recipe,
}

#[derive(Debug, Clone, Copy)]
enum Recipe {
    Hash(hash::Recipe),
    Mac(mac::Recipe),
    Cipher(modes::Recipe),
    Derive(kdf::Recipe),
}

struct Gcrypt {
    functions: Functions,
    version: String,
    path: String,
    items: Vec<Item>,
}

impl Library for Gcrypt {
    fn identity(&self) -> Identity {
        Identity {
            banner: format!("libgcrypt: {}", self.version),
            version: self.version.clone(),
            path: Some(self.path.clone()),
            code_path: self.hardware_features(),
        }
    }

    fn offers(&self) -> Vec<Offer> {
        self.items.iter().map(|item| item.offer.clone()).collect()
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let not_offered = |what| PrepareError::NotOffered { library: "gcrypt".to_owned(), what };
        let item = self
            .items
            .iter()
            .find(|item| item.offer == *offer)
            .ok_or_else(|| not_offered(offer.spelling.clone()))?;
        let is_compat = contract == Contract::Compat;
        if is_compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        if let Some(reason) = &offer.unavailable {
            return Err(PrepareError::Unavailable(reason.clone()));
        }
        let functions = &self.functions;
        match item.recipe {
            Recipe::Hash(recipe) => hash::prepare(functions, offer, recipe, contract, inputs),
            Recipe::Mac(recipe) => mac::prepare(functions, offer, recipe, contract, inputs),
            Recipe::Derive(recipe) => kdf::prepare(functions, recipe, contract, inputs),
            Recipe::Cipher(recipe) => match recipe.mode.shape {
                Shape::Plain { nonce, .. } => {
                    cipher::prepare(functions, offer, (recipe, nonce), contract, inputs)
                }
                Shape::Authenticated { compat_nonce_bytes, .. } if is_compat => {
                    aead_compat::prepare(functions, offer, recipe, compat_nonce_bytes, inputs)
                }
                Shape::Authenticated { .. } => {
                    aead::prepare(functions, offer, recipe, contract, inputs)
                }
            },
        }
    }
}

impl Gcrypt {
    /// The CPU's features that the library found and was not told to leave.
    fn hardware_features(&self) -> Option<String> {
        let get_config = self.functions.get_config?;
        // SAFETY: the mode is the only one there is, and the name is text.
        let pointer = unsafe { get_config(0, c"hwflist".as_ptr()) };
        let line = text(pointer)?;
        // SAFETY: the text is ours to free, and was copied.
        unsafe { (self.functions.free)(pointer.cast()) };
        Some(line.trim().trim_end_matches(':').replace("hwflist:", ""))
    }
}

/// Everything the library has: bench-slopes' rows in its order, then the rest.
fn items(functions: &Functions) -> Vec<Item> {
    let mut rows = hash::items(functions);
    let mut extras = Vec::new();
    for (more_rows, more_extras) in
        [mac::items(functions), modes::items(functions), kdf::items(functions)]
    {
        rows.extend(more_rows);
        extras.extend(more_extras);
    }
    rows.append(&mut extras);
    rows
}

/// The functions of a library that is ready and never unloaded, its version,
/// and its file.
fn load_functions(path: Option<&Path>) -> Result<(Functions, String, String), OpenError> {
    let (library, shown) = load(path)?;
    let functions = Functions::find(&library).map_err(|symbol| OpenError::WrongLibrary {
        path: shown.clone(),
        library: "gcrypt".to_owned(),
        symbol: symbol.to_owned(),
    })?;
    let version = initialise(&functions)?;
    // The process ends with the round; until then everything stays loaded.
    std::mem::forget(library);
    let file = file_of(functions.check_version as usize).unwrap_or(shown);
    Ok((functions, version, file))
}

/// The library, and the name it was found by.
fn load(path: Option<&Path>) -> Result<(libloading::Library, String), OpenError> {
    let Some(path) = path else {
        return load_installed(&FILES);
    };
    // A bare file name would be searched for in the system's folders.
    let is_bare = path.is_relative() && path.components().count() == 1;
    let file = if is_bare { Path::new(".").join(path) } else { path.to_owned() };
    // SAFETY: loading runs the library's initialisers. The user asked for it,
    // and this process exists to bear what may come of it.
    let library = unsafe { libloading::Library::new(&file) }.map_err(|reason| OpenError::Load {
        path: path.display().to_string(),
        reason: cpb_provider::loader_words(&reason),
    })?;
    Ok((library, path.canonicalize().unwrap_or(file).display().to_string()))
}

fn load_installed(files: &[&str]) -> Result<(libloading::Library, String), OpenError> {
    let mut reasons = Vec::new();
    for &file in files {
        // SAFETY: as in `load`.
        match unsafe { libloading::Library::new(file) } {
            Ok(library) => return Ok((library, file.to_owned())),
            Err(reason) => reasons.push(cpb_provider::loader_words(&reason)),
        }
    }
    Err(OpenError::Missing {
        library: "gcrypt".to_owned(),
        reason: reasons.join("; "),
        remedy: REMEDY.to_owned(),
    })
}

/// Makes the library usable, and returns its version.
fn initialise(functions: &Functions) -> Result<String, OpenError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the function takes text or null; asking for no version in
    // particular is how the library wants to be woken.
    let version = text(unsafe { (functions.check_version)(std::ptr::null()) });
    // SAFETY: as before.
    let is_new_enough = unsafe { !(functions.check_version)(OLDEST.as_ptr()).is_null() };
    if !is_new_enough {
        return Err(OpenError::Refused {
            library: "gcrypt".to_owned(),
            reason: format!(
                "version {} is too old; 1.8 or newer is needed",
                version.as_deref().unwrap_or("unknown")
            ),
        });
    }
    // SAFETY: each command takes no more than the number given.
    unsafe {
        if (functions.control)(INITIALIZATION_FINISHED_P) == 0 {
            // Locked memory is scarce and nothing here is secret.
            (functions.control)(DISABLE_SECURE_MEMORY, 0);
            (functions.control)(INITIALIZATION_FINISHED, 0);
        }
    }
    drop(guard);
    Ok(version.unwrap_or_else(|| "unknown".to_owned()))
}

/// The file that is mapped at `address`.
fn file_of(address: usize) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let holds_it = (number(start)?..number(end)?).contains(&address);
        // Permissions, offset, device and inode come before the file.
        let file = rest.split_whitespace().skip(4).collect::<Vec<_>>().join(" ");
        (holds_it && !file.is_empty()).then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_comes_with_a_remedy() {
        let files = ["libgcrypt-nowhere.so.20", "libgcrypt-nowhere.so.21"];
        let error = load_installed(&files).err().unwrap();
        let OpenError::Missing { library, reason, remedy } = &error else { panic!("{error}") };
        assert_eq!(library, "gcrypt");
        assert!(files.iter().all(|file| reason.contains(file)), "{reason}");
        assert!(remedy.contains("apt install libgcrypt20"), "{remedy}");
    }

    #[test]
    fn a_file_is_found_by_an_address_in_it() {
        let file = file_of(file_of as fn(usize) -> Option<String> as usize).unwrap();
        assert!(file.contains("cpb_libraries"), "{file}");
        assert_eq!(file_of(0), None);
    }
}
