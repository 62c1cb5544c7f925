//! Calls optional functions of a shim besides those of a provider.

use super::Shim;
use crate::runtime;
use cpb_provider::{OpenError, c_text};
use libloading::os::unix::Library as Loaded;
use std::ffi::{c_char, c_void};

/// Looks up all library functions that the shim calls; returns the first missing symbol, or null.
type Use = unsafe extern "C" fn(library: *mut c_void) -> *const c_char;
const USE: &str = "cpb_shim_use";

/// Returns why its library cannot be used on this machine, and sets the remedy if there is one; or
/// returns null.
type Refusal = unsafe extern "C" fn(remedy: *mut *const c_char) -> *const c_char;
const REFUSAL: &str = "cpb_shim_refusal";

/// Returns its library's version as bench-slopes prints it.
type Banner = unsafe extern "C" fn() -> *const c_char;
const BANNER: &str = "cpb_shim_banner";

/// Hands a library to its shim.
pub(super) fn hand(shim: &Loaded, library: &runtime::Loaded) -> Result<(), OpenError> {
    // SAFETY: a shim's symbol of this name is a function of this type. It gets a handle that stays
    // valid, and returns text of the shim, or null.
    let lacking = unsafe {
        match shim.get::<Use>(USE) {
            Ok(function) => c_text(function(library.handle())),
            Err(_) => Some(USE.to_owned()),
        }
    };
    lacking.map_or(Ok(()), |symbol| Err(library.lacks(&symbol)))
}

/// Checks whether a shim's library can be used here at all.
pub(super) fn refusal(shim: &Shim, loaded: &Loaded) -> Result<(), OpenError> {
    let mut remedy = std::ptr::null();
    // SAFETY: a shim's symbol of this name is a function of this type, which writes a pointer to
    // the given address.
    let Ok(refusal) = (unsafe { loaded.get::<Refusal>(REFUSAL) }) else { return Ok(()) };
    // SAFETY: likewise; what is not null is text of the shim, which ends in a zero and stays.
    let (reason, remedy) = unsafe {
        let reason = c_text(refusal(&raw mut remedy));
        (reason, c_text(remedy))
    };
    let library = shim.name.to_owned();
    match (reason, remedy) {
        (None, _) => Ok(()),
        (Some(reason), Some(remedy)) => Err(OpenError::Missing { library, reason, remedy }),
        (Some(reason), None) => Err(OpenError::Refused { library, reason }),
    }
}

/// Returns the function that reads a shim's own version line once its provider has started.
pub(super) fn banner(shim: &Loaded) -> Option<impl FnOnce() -> String + use<>> {
    // SAFETY: a shim's symbol of this name is a function of this type.
    let banner = unsafe { *shim.get::<Banner>(BANNER).ok()? };
    // SAFETY: the function takes nothing and returns text that stays; a shim is never unloaded.
    Some(move || unsafe { c_text(banner()) }.unwrap_or_default())
}
