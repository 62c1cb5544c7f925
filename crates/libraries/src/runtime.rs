//! Opens library files, and finds the file a library came from.

use cpb_provider::{OpenError, as_file, c_text, loader_words};
use std::ffi::c_void;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::path::Path;

/// A library as systems install it.
#[derive(Debug)]
pub struct Installed {
    pub name: &'static str,
    /// The possible names of its file, newest first.
    pub files: &'static [&'static str],
    /// How to get it.
    pub remedy: &'static str,
    /// Libraries with the same names but other types for some of them: each a symbol that only it
    /// has, and its name. They are rejected.
    pub others: &'static [(&'static str, &'static str)],
}

/// A loaded library. It is never unloaded, so that its functions can be called wherever they were
/// copied to.
pub(crate) struct Loaded {
    name: &'static str,
    /// The name or path that was requested.
    shown: String,
    library: ManuallyDrop<libloading::os::unix::Library>,
}

/// Loads the library at `path`, or the installed one.
///
/// # Errors
/// [`OpenError::Load`] and [`OpenError::Missing`].
pub(crate) fn load(installed: &Installed, path: Option<&Path>) -> Result<Loaded, OpenError> {
    let library = load_any(installed, path)?;
    let is_exported = |(symbol, _): &&(&str, &str)| library.exports(symbol);
    match installed.others.iter().find(is_exported) {
        Some((_, other)) => Err(library.is_another(other)),
        None => Ok(library),
    }
}

fn load_any(installed: &Installed, path: Option<&Path>) -> Result<Loaded, OpenError> {
    let name = installed.name;
    if let Some(path) = path {
        let shown = path.display().to_string();
        return match load_file(&as_file(path)) {
            Ok(library) => Ok(Loaded { name, shown, library }),
            Err(reason) => Err(OpenError::Load { path: shown, reason }),
        };
    }
    let mut reason = String::new();
    for file in installed.files {
        match load_file(Path::new(file)) {
            Ok(library) => return Ok(Loaded { name, shown: (*file).to_owned(), library }),
            // An existing but broken file says more than a missing one.
            Err(words) if reason.is_empty() || reason.contains("No such file") => reason = words,
            Err(_) => {}
        }
    }
    let remedy = installed.remedy.to_owned();
    Err(OpenError::Missing { library: name.to_owned(), reason, remedy })
}

/// Loads the file as a library; the error is the loader's message.
pub(crate) fn load_file(
    file: &Path,
) -> Result<ManuallyDrop<libloading::os::unix::Library>, String> {
    // SAFETY: loading runs the library's initialisers. The user asked for it, and this process
    // exists so that a crash ends nothing else.
    let library =
        unsafe { libloading::Library::new(file) }.map_err(|error| loader_words(&error))?;
    Ok(ManuallyDrop::new(library.into()))
}

impl Loaded {
    /// Returns the loader's handle, which stays valid, for a shim to look up functions.
    pub(crate) fn handle(&self) -> *mut c_void {
        // SAFETY: the copy is never dropped either, so that nobody closes the handle.
        let copy = unsafe { std::ptr::read(&raw const *self.library) };
        copy.into_raw()
    }

    fn exports(&self, symbol: &str) -> bool {
        // SAFETY: the symbol is only looked up, and nothing is read there.
        unsafe { self.library.get::<*const c_void>(symbol) }.is_ok()
    }

    /// Returns the error for a library that is really `other`, whose functions of the same names
    /// differ.
    fn is_another(&self, other: &str) -> OpenError {
        let reason = format!(
            "it is {other}, where functions of {}'s names take other types; build {other} for cpb \
             by `make providers`, in cpb's sources",
            self.name
        );
        OpenError::Load { path: self.shown.clone(), reason }
    }

    /// Returns the error for a library without this symbol, which must be another one.
    pub(crate) fn lacks(&self, symbol: &str) -> OpenError {
        OpenError::WrongLibrary {
            path: self.shown.clone(),
            library: self.name.to_owned(),
            symbol: symbol.to_owned(),
        }
    }

    /// Returns the file that the function of this symbol came from, or else what was requested.
    pub(crate) fn file(&self, symbol: &str) -> String {
        // SAFETY: the symbol is only looked up, and nothing is read there.
        let address = unsafe { self.library.get::<*const c_void>(symbol) };
        let address = address.ok().map(libloading::os::unix::Symbol::as_raw_ptr);
        address.and_then(|address| file_of(address)).unwrap_or_else(|| self.shown.clone())
    }
}

/// Returns the file that the code at `address` was loaded from, with links resolved.
pub(crate) fn file_of(address: *const c_void) -> Option<String> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be passed; `found` has room for the answer, and its fields may be
    // zero.
    let found = unsafe {
        if libc::dladdr(address, found.as_mut_ptr()) == 0 {
            return None;
        }
        found.assume_init()
    };
    // SAFETY: the loader keeps the name, which ends in a zero, as long as the library.
    let name = unsafe { c_text(found.dli_fname) }?;
    Some(Path::new(&name).canonicalize().map_or(name, |file| file.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_comes_with_a_remedy() {
        let files = &["libcpb-none.so.2", "libcpb-none.so.1"];
        let installed = Installed { name: "none", files, remedy: "install it", others: &[] };
        let error = load(&installed, None).err();
        let Some(OpenError::Missing { library, reason, remedy }) = error else {
            panic!("{error:?}")
        };
        assert_eq!((library.as_str(), remedy.as_str()), ("none", "install it"));
        assert!(reason.contains("libcpb-none.so."), "{reason}");
    }

    #[test]
    fn a_file_is_found_by_an_address_in_it() {
        let here: fn(*const c_void) -> Option<String> = file_of;
        let file = file_of(here as *const c_void).unwrap();
        assert!(file.contains("cpb_libraries"), "{file}");
        assert_eq!(file_of(std::ptr::null()), None);
    }
}
