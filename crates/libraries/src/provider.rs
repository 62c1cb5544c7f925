//! Libraries that speak `cpb_provider.h`: shims of ours, and the user's own.

mod lengths;

use crate::{Identity, Inputs, Library, OpenError, PrepareError, Prepared, names};
use cpb_model::{Contract, Offer, Operation, RowName};
use lengths::{Expected, lengths, wrong_lengths};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// The version of the interface.
const ABI: u32 = 1;
const ENTRY_POINT: &str = "cpb_provider_v1";
/// More implementations than any library has: a count beyond is a mistake.
const MOST_IMPLEMENTATIONS: u64 = 1 << 16;
/// Room for a provider's reasons.
const REASON_BYTES: usize = 512;

#[repr(C)]
struct RawImplementation {
    primitive: *const c_char,
    spelling: *const c_char,
    backend: *const c_char,
    operation: u32,
    is_default: u32,
    key_bytes: u32,
    nonce_bytes: u32,
    tag_bytes: u32,
    granularity: u32,
    block_bytes: u32,
    output_bytes: u32,
    row_group: *const c_char,
    row_algorithm: *const c_char,
    row_mode: *const c_char,
}

#[repr(C)]
struct RawWorkload {
    contract: u32,
    reserved: u32,
    message: *mut u8,
    message_bytes: u64,
    destination: *mut u8,
    destination_bytes: u64,
    key: *const u8,
    key_bytes: u64,
    nonce: *const u8,
    nonce_bytes: u64,
    aad: *const u8,
    aad_bytes: u64,
    iterations: u64,
    output_bytes: u64,
}

type CodePath = unsafe extern "C" fn() -> *const c_char;
type Count = unsafe extern "C" fn() -> u64;
type Implementation = unsafe extern "C" fn(u64) -> *const RawImplementation;
type Prepare =
    unsafe extern "C" fn(u64, *const RawWorkload, *mut *mut c_void, *mut c_char, u64) -> c_int;
type Run = unsafe extern "C" fn(*mut c_void, u64);
type Output =
    unsafe extern "C" fn(*mut c_void, *mut *const u8, *mut u64, *mut c_char, u64) -> c_int;
type Release = unsafe extern "C" fn(*mut c_void);

/// As it stands in memory; a function that its author left out is null.
#[repr(C)]
struct RawProvider {
    abi: u32,
    reserved: u32,
    name: *const c_char,
    version: *const c_char,
    code_path: Option<CodePath>,
    count: Option<Count>,
    implementation: Option<Implementation>,
    prepare: Option<Prepare>,
    run: Option<Run>,
    output: Option<Output>,
    release: Option<Release>,
}

/// The functions of a provider that has them all.
#[derive(Clone, Copy)]
struct Functions {
    code_path: Option<CodePath>,
    prepare: Prepare,
    run: Run,
    output: Output,
    release: Release,
}

/// Opens the provider at `path`; `name` is how the user calls it.
pub(crate) fn open(name: &str, path: &Path) -> Result<Box<dyn Library>, OpenError> {
    let shown = path.display().to_string();
    // SAFETY: loading runs the library's initialisers. The user asked for it,
    // and this process exists to bear what may come of it.
    let library = unsafe { libloading::Library::new(as_file(path)) }
        .map_err(|error| OpenError::Load { path: shown.clone(), reason: loader_words(&error) })?;
    let resolved = path.canonicalize().map_or(shown.clone(), |path| path.display().to_string());
    Ok(Box::new(start(name, library, &shown, resolved)?))
}

/// What the loader itself said: libloading's own text is only which call failed.
pub(crate) fn loader_words(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// A path that the loader takes for a file: it would look for a bare name in
/// the system's folders.
pub(crate) fn as_file(path: &Path) -> PathBuf {
    if path.is_relative() && path.components().count() == 1 {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    }
}

/// Starts a provider that is loaded. Errors call it `shown`; `file` is the one
/// its implementations come from.
pub(crate) fn start(
    name: &str,
    library: libloading::Library,
    shown: &str,
    file: String,
) -> Result<Provider, OpenError> {
    type EntryPoint = unsafe extern "C" fn() -> *const RawProvider;
    let refused = |reason: String| OpenError::Refused { library: name.to_owned(), reason };
    // SAFETY: the symbol's type is that of cpb_provider.h.
    let symbol = unsafe { library.get::<EntryPoint>(ENTRY_POINT) };
    let symbol = symbol.map_err(|_| OpenError::WrongLibrary {
        path: shown.to_owned(),
        library: "provider (cpb_provider.h)".to_owned(),
        symbol: ENTRY_POINT.to_owned(),
    })?;
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
    let functions = Functions {
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
    let offers = (0..count)
        .filter_map(|index| {
            // SAFETY: the index is below the count; what is returned is an
            // implementation that stays, or null.
            let raw = unsafe { implementation(index).as_ref() }?;
            Some((index, offer(raw)?))
        })
        .collect();
    let own_name = text(raw.name).unwrap_or_else(|| name.to_owned());
    let version = text(raw.version).unwrap_or_else(|| "unknown".to_owned());
    // The process ends with the round; until then everything stays loaded.
    std::mem::forget(library);
    Ok(Provider { name: name.to_owned(), own_name, version, file, functions, offers })
}

/// A provider that is loaded and speaks our version of the interface.
pub(crate) struct Provider {
    name: String,
    own_name: String,
    version: String,
    file: String,
    functions: Functions,
    /// With the index by which the provider itself knows each.
    offers: Vec<(u64, Offer)>,
}

/// `None` for an implementation without a name, or of an operation that cpb
/// does not know.
fn offer(raw: &RawImplementation) -> Option<Offer> {
    let operation = operation(raw.operation)?;
    let spelling = text(raw.spelling)?;
    let row = text(raw.row_group).filter(|group| !group.is_empty()).map(|group| RowName {
        group,
        algorithm: text(raw.row_algorithm).unwrap_or_default(),
        mode: text(raw.row_mode).unwrap_or_default(),
    });
    let primitive = text(raw.primitive).unwrap_or_else(|| names::hash(&spelling));
    let lengths = lengths(raw, operation, &primitive);
    Some(Offer {
        unavailable: wrong_lengths(operation, &lengths),
        lengths,
        primitive,
        operation,
        spelling,
        backend: text(raw.backend).unwrap_or_else(|| "default".to_owned()),
        default_backend: raw.is_default != 0,
        row,
    })
}

impl Library for Provider {
    fn identity(&self) -> Identity {
        // SAFETY: the function takes nothing and returns text, or null.
        let code_path = self.functions.code_path.and_then(|code_path| text(unsafe { code_path() }));
        Identity {
            banner: format!("{} {}", self.own_name, self.version),
            version: self.version.clone(),
            path: Some(self.file.clone()),
            code_path,
        }
    }

    fn offers(&self) -> Vec<Offer> {
        self.offers.iter().map(|(_, offer)| offer.clone()).collect()
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let not_offered =
            |what: String| PrepareError::NotOffered { library: self.name.clone(), what };
        let index =
            self.offers.iter().find(|(_, offered)| offered == offer).map(|(index, _)| *index);
        let index = index.ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        if let Some(reason) = &offer.unavailable {
            return Err(PrepareError::Unavailable(reason.clone()));
        }
        let mut inputs = Box::new(inputs);
        let expected = Expected {
            bytes: inputs.result_bytes,
            // What bench-slopes times puts out nothing that could be compared.
            may_be_less: contract == Contract::Compat,
        };
        let Inputs { message, destination, key, nonce, aad, iterations, output_bytes, .. } =
            inputs.as_mut();
        let raw_workload = Box::new(RawWorkload {
            contract: match contract {
                Contract::Keyed => 1,
                Contract::Cold => 2,
                Contract::Compat => 3,
            },
            reserved: 0,
            message_bytes: message.bytes().len() as u64,
            message: message.bytes_mut().as_mut_ptr(),
            destination_bytes: destination.bytes().len() as u64,
            destination: destination.bytes_mut().as_mut_ptr(),
            key: key.as_ptr(),
            key_bytes: key.len() as u64,
            nonce: nonce.as_ptr(),
            nonce_bytes: nonce.len() as u64,
            aad: aad.as_ptr(),
            aad_bytes: aad.len() as u64,
            iterations: *iterations,
            output_bytes: *output_bytes as u64,
        });
        let mut handle = std::ptr::null_mut();
        let mut reason = [0; REASON_BYTES];
        // SAFETY: the workload points into `inputs`, and the call keeps both; the
        // reason has the room stated.
        let status = unsafe {
            (self.functions.prepare)(
                index,
                &raw const *raw_workload,
                &raw mut handle,
                reason.as_mut_ptr(),
                REASON_BYTES as u64,
            )
        };
        if status != 0 {
            return Err(PrepareError::Unavailable(reason_text(&mut reason)));
        }
        Ok(Box::new(ProviderCall {
            functions: self.functions,
            handle,
            expected,
            ran: false,
            _workload: raw_workload,
            _inputs: inputs,
        }))
    }
}

struct ProviderCall {
    functions: Functions,
    handle: *mut c_void,
    expected: Expected,
    ran: bool,
    /// What the handle may point to, and into.
    _workload: Box<RawWorkload>,
    _inputs: Box<Inputs>,
}

impl Prepared for ProviderCall {
    fn run(&mut self, calls: u64) {
        // SAFETY: the handle came from `prepare` and was not released.
        unsafe { (self.functions.run)(self.handle, calls) };
        self.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        if !self.ran {
            return Ok(Vec::new());
        }
        let (mut bytes, mut length) = (std::ptr::null(), 0);
        let mut reason = [0; REASON_BYTES];
        // SAFETY: the handle is live; the reason has the room stated.
        let status = unsafe {
            (self.functions.output)(
                self.handle,
                &raw mut bytes,
                &raw mut length,
                reason.as_mut_ptr(),
                REASON_BYTES as u64,
            )
        };
        if status != 0 {
            return Err(reason_text(&mut reason));
        }
        let length = self.expected.length(bytes, length)?;
        if length == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: the provider states that this many bytes stand there until
        // the next call; they are as many as it offers, and not at null.
        Ok(unsafe { std::slice::from_raw_parts(bytes, length) }.to_vec())
    }
}

impl Drop for ProviderCall {
    fn drop(&mut self) {
        // SAFETY: the handle came from `prepare` and is released once.
        unsafe { (self.functions.release)(self.handle) };
    }
}

fn operation(number: u32) -> Option<Operation> {
    Some(match number {
        1 => Operation::Hash,
        2 => Operation::Xof,
        3 => Operation::Mac,
        4 => Operation::Encrypt,
        5 => Operation::Decrypt,
        6 => Operation::Seal,
        7 => Operation::Open,
        8 => Operation::Auth,
        9 => Operation::Derive,
        11 => Operation::Encode,
        12 => Operation::Decode,
        _ => return None,
    })
}

fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null; by cpb_provider.h text that ends in a zero.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

fn reason_text(reason: &mut [c_char; REASON_BYTES]) -> String {
    // Whatever the provider wrote, text ends within its room.
    reason[REASON_BYTES - 1] = 0;
    text(reason.as_ptr()).filter(|text| !text.is_empty()).unwrap_or("no reason given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::operation;
    use cpb_model::Operation;

    /// The header is what providers are written by.
    #[test]
    fn operations_have_the_numbers_of_the_header() {
        let header = include_str!("../../../shims/cpb_provider.h");
        for known in Operation::ALL.into_iter().filter(|known| *known != Operation::Iterate) {
            let enumerator = format!("CPB_{} = ", known.name().to_ascii_uppercase());
            let number = header.split(&enumerator).nth(1).expect(&enumerator);
            let digits = number.split(|c: char| !c.is_ascii_digit()).next();
            let number = digits.and_then(|digits| digits.parse().ok()).expect(&enumerator);
            assert_eq!(operation(number), Some(known), "{enumerator}");
        }
        assert_eq!(operation(0), None);
    }
}
