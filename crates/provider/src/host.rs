//! Loads providers: cpb's own shims, and those of users.

mod call;
mod functions;
mod lengths;
#[cfg(test)]
mod tests;

use crate::abi::{self, ABI, ENTRY_POINT, c_text};
use crate::first_use::{self, Passed};
use crate::{Identity, Inputs, Library, OpenError, PrepareError, PrepareResult};
use call::{Memory, ProviderCall, REASON_BYTES, reason_text};
use cpb_model::{BenchSlopesRow, Contract, Offer, Operation, Role};
use functions::{Functions, ShimFunctions, want};
use lengths::{lengths, wrong_lengths};
use std::error::Error;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};

/// More implementations than any library has; a larger count is a mistake.
const MOST_IMPLEMENTATIONS: u64 = 1 << 16;

/// Opens the provider at `path`; `name` is the user's name for it.
///
/// # Errors
/// [`OpenError`], with text for the user.
pub fn open_file(name: &str, path: &Path) -> Result<Provider, OpenError> {
    open_file_for(name, path, None)
}

/// Works like [`open_file`], reading only the `wanted` offer if one is given.
///
/// # Errors
/// As [`open_file`].
pub fn open_file_for(
    name: &str,
    path: &Path,
    wanted: Option<&Offer>,
) -> Result<Provider, OpenError> {
    let shown = path.display().to_string();
    // SAFETY: loading runs the library's initialisers. The user asked for it, and this process
    // exists so that a crash ends nothing else.
    let library = unsafe { libloading::Library::new(as_file(path)) }
        .map_err(|error| OpenError::Load { path: shown.clone(), reason: loader_words(&error) })?;
    let resolved = path.canonicalize().map_or(shown.clone(), |path| path.display().to_string());
    start(name, library, &shown, resolved, wanted)
}

/// Returns the message of the loader itself; libloading's own text only names the failed call.
pub fn loader_words(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns a path that the loader takes for a file; it would search the system's folders for a bare
/// name.
pub fn as_file(path: &Path) -> PathBuf {
    if path.is_relative() && path.components().count() == 1 {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    }
}

/// Starts a loaded provider. Errors call it `shown`; `file` is where its implementations come from.
/// If an offer is `wanted`, only that is read.
///
/// # Errors
/// [`OpenError`], if it is not a complete provider.
pub fn start(
    name: &str,
    library: libloading::Library,
    shown: &str,
    file: String,
    wanted: Option<&Offer>,
) -> Result<Provider, OpenError> {
    type EntryPoint = unsafe extern "C" fn() -> *const abi::Provider;
    let refused = |reason: String| OpenError::Refused { library: name.to_owned(), reason };
    // SAFETY: the symbol's type is that of cpb_provider.h.
    let symbol = unsafe { library.get::<EntryPoint>(ENTRY_POINT) };
    let symbol = symbol.map_err(|_| OpenError::WrongLibrary {
        path: shown.to_owned(),
        library: "provider (cpb_provider.h)".to_owned(),
        symbol: ENTRY_POINT.to_owned(),
    })?;
    if let Some(wanted) = wanted {
        want(&library, wanted);
    }
    first_use::passed(Passed::Loaded);
    // SAFETY: the symbol is only looked up.
    if unsafe { library.get::<*const c_char>("cpb_shim_only_lists") }.is_ok() {
        first_use::passed(Passed::Ready);
    }
    // SAFETY: by cpb_provider.h it takes nothing and returns a provider, or null.
    let provider = unsafe { symbol() };
    if provider.is_null() {
        return Err(refused(format!("{ENTRY_POINT} returned no provider")));
    }
    // SAFETY: not null; every version of the interface begins with its number.
    let found = unsafe { (*provider).abi };
    if found != ABI {
        return Err(OpenError::OtherAbi { path: shown.to_owned(), found, expected: ABI });
    }
    // SAFETY: not null and of our version, so that all of it is there.
    let raw = unsafe { &*provider };
    let missing = |function: &str| refused(format!("its function {function} is a null pointer"));
    let shim = ShimFunctions::of(&library);
    let functions = Functions {
        shim,
        code_path: raw.code_path,
        prepare: raw.prepare.ok_or_else(|| missing("prepare"))?,
        run: raw.run.ok_or_else(|| missing("run"))?,
        output: raw.output.ok_or_else(|| missing("output"))?,
        release: raw.release.ok_or_else(|| missing("release"))?,
    };
    let count = raw.count.ok_or_else(|| missing("count"))?;
    let implementation = raw.implementation.ok_or_else(|| missing("implementation"))?;
    // SAFETY: the function takes nothing.
    let count = unsafe { count() };
    if count > MOST_IMPLEMENTATIONS {
        return Err(refused(format!(
            "it states {count} implementations, where at most {MOST_IMPLEMENTATIONS} are believed"
        )));
    }
    let (indices, offers) = (0..count)
        .filter_map(|index| {
            // SAFETY: the index is below the count; the function returns an implementation that
            // stays valid, or null.
            let raw = unsafe { implementation(index).as_ref() }?;
            // SAFETY: its text is as cpb_provider.h says.
            if wanted.is_some_and(|wanted| !unsafe { may_be(raw, wanted) }) {
                return None;
            }
            // SAFETY: what it points to stays with it.
            let mut offer = unsafe { offer(raw) }?;
            shim.describe(index, &mut offer);
            Some((index, offer))
        })
        .unzip();
    first_use::passed(Passed::Found);
    // SAFETY: by cpb_provider.h both are text, or null.
    let [own_name, version] = unsafe { [c_text(raw.name), c_text(raw.version)] };
    let own_name = own_name.unwrap_or_else(|| name.to_owned());
    let version = version.unwrap_or_else(|| "unknown".to_owned());
    // The process ends with the round; until then everything stays loaded.
    std::mem::forget(library);
    Ok(Provider { name: name.to_owned(), own_name, version, file, functions, offers, indices })
}

/// A loaded provider with our version of the interface.
pub struct Provider {
    name: String,
    own_name: String,
    version: String,
    file: String,
    functions: Functions,
    offers: Vec<Offer>,
    /// The provider's own index of each offer.
    indices: Vec<u64>,
}

/// Whether an implementation may be the wanted offer.
///
/// # Safety
/// Its text is as cpb_provider.h says.
unsafe fn may_be(raw: &abi::Implementation, wanted: &Offer) -> bool {
    Some(raw.operation) == wanted.operation.row().number
        && !raw.spelling.is_null()
        // SAFETY: not null, and text by the caller's promise.
        && unsafe { CStr::from_ptr(raw.spelling) }.to_bytes() == wanted.spelling.as_bytes()
}

/// Returns the offer of an implementation; `None` if it has no name, or cpb does not know its
/// operation.
///
/// # Safety
/// Its text and lengths are as cpb_provider.h says.
unsafe fn offer(raw: &abi::Implementation) -> Option<Offer> {
    // SAFETY: the caller's promise.
    let text = |pointer| unsafe { c_text(pointer) };
    let operation = Operation::of_number(raw.operation)?;
    let spelling = text(raw.spelling)?;
    let row = text(raw.row_group).filter(|group| !group.is_empty()).map(|group| BenchSlopesRow {
        group,
        algorithm: text(raw.row_algorithm).unwrap_or_default(),
        mode: text(raw.row_mode).unwrap_or_default(),
    });
    let primitive = text(raw.primitive).unwrap_or_else(|| spelling.to_ascii_lowercase());
    // SAFETY: the caller's promise.
    let stated = unsafe { stated(raw) }.and_then(|stated| lengths(stated, operation));
    let mut lengths = stated.as_ref().map(|lengths| *lengths).unwrap_or_default();
    lengths.granularity = raw.granularity.max(1) as usize;
    lengths.block = (raw.block_bytes != 0).then_some(raw.block_bytes as usize);
    Some(Offer {
        unavailable: stated.err().or_else(|| wrong_lengths(operation, &lengths)),
        lengths,
        primitive,
        operation,
        spelling,
        backend: text(raw.backend).unwrap_or_else(|| "default".to_owned()),
        default_backend: raw.is_default != 0,
        is_variant: false,
        security: None,
        row,
    })
}

/// Returns the lengths that an implementation states.
///
/// # Safety
/// They are as many as it says, or it points to none.
unsafe fn stated(raw: &abi::Implementation) -> Result<&[abi::LengthRange], String> {
    let most = Role::ALL.len() as u64;
    match raw.length_count {
        0 => Ok(&[]),
        count if count > most => {
            Err(format!("the provider states {count} lengths, where there are {most} roles"))
        }
        count if raw.lengths.is_null() => {
            Err(format!("the provider states {count} lengths and a null pointer to them"))
        }
        // SAFETY: not null, and the caller promises this number of ranges.
        count => Ok(unsafe { std::slice::from_raw_parts(raw.lengths, count as usize) }),
    }
}

impl Provider {
    /// Renames its primitives by `name`.
    pub fn with_names(mut self, name: impl Fn(&str) -> String) -> Self {
        for offer in &mut self.offers {
            offer.primitive = name(&offer.primitive);
        }
        self
    }

    /// Sets block sizes that it does not state itself.
    pub fn with_blocks(mut self, block: impl Fn(&Offer) -> Option<usize>) -> Self {
        for offer in &mut self.offers {
            offer.lengths.block = offer.lengths.block.or_else(|| block(offer));
        }
        self
    }
}

impl Library for Provider {
    fn identity(&self) -> Identity {
        // SAFETY: the function takes nothing and returns text, or null.
        let code_path =
            self.functions.code_path.and_then(|code_path| unsafe { c_text(code_path()) });
        Identity {
            banner: format!("{} {}", self.own_name, self.version),
            version: self.version.clone(),
            path: Some(self.file.clone()),
            code_path,
        }
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn share_keys(&mut self, offer: &Offer, contract: Contract) -> bool {
        self.functions.shim.share_keys(offer, contract)
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        let not_offered =
            |what: String| PrepareError::NotOffered { library: self.name.clone(), what };
        let place = self.offers.iter().position(|offered| offered == offer);
        let place = place.ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        if let Some(reason) = &offer.unavailable {
            return Err(PrepareError::Unavailable(reason.clone()));
        }
        let memory = Memory::new(offer.operation.row(), contract, inputs);
        let mut handle = std::ptr::null_mut();
        let mut reason = [0; REASON_BYTES];
        // SAFETY: the workload points into memory that the call keeps; the reason has
        // the room stated.
        let status = unsafe {
            (self.functions.prepare)(
                self.indices[place],
                memory.workload.as_ptr(),
                &raw mut handle,
                reason.as_mut_ptr(),
                REASON_BYTES as u64,
            )
        };
        if status != 0 {
            return Err(PrepareError::Unavailable(reason_text(&mut reason)));
        }
        let functions = self.functions;
        Ok(Box::new(ProviderCall { functions, handle, contract, made: 0, memory }))
    }
}
