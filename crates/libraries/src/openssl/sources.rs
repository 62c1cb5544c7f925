//! Finding algorithms: fetched from providers since 3.0, by name before.

use super::functions::{Cipher, Digest, Fetching, Functions, Provider, text};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Mutex;

const LEGACY: &CStr = c"legacy";
const DEFAULT: &CStr = c"default";

/// Per library, known by an address in it, what [`load_legacy`] said.
static LOADED: Mutex<Vec<(usize, bool, bool)>> = Mutex::new(Vec::new());

/// Where algorithms are looked for.
pub(super) struct Sources {
    functions: &'static Functions,
    /// Whether the legacy provider was active before we asked for it: only
    /// then a program that loads no providers, such as bench-slopes, sees it.
    legacy_unasked: bool,
    legacy_loaded: bool,
}

/// An algorithm. It is never freed.
pub(super) struct Found<T> {
    pub(super) algorithm: *const T,
    /// Whether bench-slopes finds it, too.
    pub(super) in_bench_slopes: bool,
    pub(super) unavailable: Option<String>,
}

impl Sources {
    /// Loads the legacy provider, where there is one, beside what is active.
    pub(super) fn new(functions: &'static Functions) -> Self {
        let Some(fetching) = &functions.fetching else {
            return Self { functions, legacy_unasked: true, legacy_loaded: true };
        };
        let Ok(mut loaded) = LOADED.lock() else {
            return Self { functions, legacy_unasked: false, legacy_loaded: false };
        };
        // Opened again, a library still has what was loaded the first time.
        let address = fetching.provider_load as usize;
        let known = loaded.iter().find(|(library, ..)| *library == address).copied();
        let (_, legacy_unasked, legacy_loaded) = known.unwrap_or_else(|| {
            let (unasked, there) = load_legacy(fetching);
            loaded.push((address, unasked, there));
            (address, unasked, there)
        });
        drop(loaded);
        functions.clear_errors();
        Self { functions, legacy_unasked, legacy_loaded }
    }

    pub(super) fn digest(&self, name: &str) -> Option<Found<Digest>> {
        let fetching = self.functions.fetching.as_ref();
        self.find(
            name,
            self.functions.core.digest_by_name,
            fetching.map(|fetching| (fetching.digest_fetch, fetching.digest_provider)),
        )
    }

    pub(super) fn cipher(&self, name: &str) -> Option<Found<Cipher>> {
        let fetching = self.functions.fetching.as_ref();
        self.find(
            name,
            self.functions.core.cipher_by_name,
            fetching.map(|fetching| (fetching.cipher_fetch, fetching.cipher_provider)),
        )
    }

    /// What providers have under none of the `known` names, by its first name.
    pub(super) fn other_digests(&self, known: &[&str]) -> Vec<(String, Found<Digest>)> {
        let Some(fetching) = &self.functions.fetching else { return Vec::new() };
        let mut search = Search {
            known: c_strings(known),
            is_a: fetching.digest_is_a,
            name: fetching.digest_name,
            found: Vec::new(),
        };
        // SAFETY: the callback gets the search back, which outlives the call.
        unsafe {
            (fetching.digests)(ptr::null_mut(), note::<Digest>, (&raw mut search).cast());
        }
        let named = search.found.into_iter().filter_map(|name| Some((self.digest(&name)?, name)));
        named.map(|(found, name)| (name, found)).collect()
    }

    /// As [`Sources::other_digests`].
    pub(super) fn other_ciphers(&self, known: &[&str]) -> Vec<(String, Found<Cipher>)> {
        let Some(fetching) = &self.functions.fetching else { return Vec::new() };
        let mut search = Search {
            known: c_strings(known),
            is_a: fetching.cipher_is_a,
            name: fetching.cipher_name,
            found: Vec::new(),
        };
        // SAFETY: the callback gets the search back, which outlives the call.
        unsafe {
            (fetching.ciphers)(ptr::null_mut(), note::<Cipher>, (&raw mut search).cast());
        }
        let named = search.found.into_iter().filter_map(|name| Some((self.cipher(&name)?, name)));
        named.map(|(found, name)| (name, found)).collect()
    }

    fn find<T>(
        &self,
        name: &str,
        by_name: ByName<T>,
        fetching: Option<Fetch<T>>,
    ) -> Option<Found<T>> {
        let c_name = CString::new(name).ok()?;
        // SAFETY: the name ends in a zero.
        let named = unsafe { by_name(c_name.as_ptr()) };
        let Some((fetch, provider)) = fetching else {
            return (!named.is_null()).then_some(Found {
                algorithm: named,
                in_bench_slopes: true,
                unavailable: None,
            });
        };
        self.functions.clear_errors();
        // SAFETY: as above; nulls are the default context and no properties.
        let fetched = unsafe { fetch(ptr::null_mut(), c_name.as_ptr(), ptr::null()) };
        if !fetched.is_null() {
            // SAFETY: what was fetched is live.
            let is_legacy = self.is_legacy(unsafe { provider(fetched) });
            return Some(Found {
                algorithm: fetched,
                in_bench_slopes: !named.is_null() && (!is_legacy || self.legacy_unasked),
                unavailable: None,
            });
        }
        let reason = self.functions.last_error();
        (!named.is_null()).then(|| Found {
            algorithm: named,
            in_bench_slopes: false,
            unavailable: Some(if self.legacy_loaded {
                format!("no provider that is loaded has it ({reason})")
            } else {
                format!(
                    "it may be in OpenSSL's legacy provider (legacy.so), which is not there \
                     (from Debian 13 on, package openssl-provider-legacy); {reason}"
                )
            }),
        })
    }

    fn is_legacy(&self, provider: *const Provider) -> bool {
        let Some(fetching) = &self.functions.fetching else { return false };
        // SAFETY: an algorithm's provider stays with it, and so does its name.
        let name = unsafe { text((fetching.provider_name)(provider)) };
        name.as_deref().is_some_and(|name| LEGACY.to_str() == Ok(name))
    }
}

/// Loads the legacy provider into the default context. Whether it was active
/// before, and whether it is now.
fn load_legacy(fetching: &Fetching) -> (bool, bool) {
    // SAFETY: the name ends in a zero; null is the default library context.
    let available =
        |name: &CStr| unsafe { (fetching.provider_available)(ptr::null_mut(), name.as_ptr()) == 1 };
    // SAFETY: as above; what is loaded is never unloaded.
    let load = |name: &CStr| unsafe {
        !(fetching.provider_load)(ptr::null_mut(), name.as_ptr()).is_null()
    };
    let unasked = available(LEGACY);
    // Loading one provider by hand ends the automatic loading of the default
    // one. Where a configuration left that out, it stays out.
    let default_is_active = available(DEFAULT);
    let there = unasked || load(LEGACY);
    if default_is_active {
        load(DEFAULT);
    }
    (unasked, there)
}

type ByName<T> = unsafe extern "C" fn(*const c_char) -> *const T;
type Fetch<T> = (
    unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut T,
    unsafe extern "C" fn(*const T) -> *const Provider,
);

struct Search<T> {
    known: Vec<CString>,
    is_a: unsafe extern "C" fn(*const T, *const c_char) -> c_int,
    name: unsafe extern "C" fn(*const T) -> *const c_char,
    found: Vec<String>,
}

/// Called for every algorithm of every provider, with a [`Search`].
extern "C" fn note<T>(algorithm: *mut T, search: *mut c_void) {
    // SAFETY: it is the search that was passed along, used by nobody else
    // meanwhile.
    let search = unsafe { &mut *search.cast::<Search<T>>() };
    // SAFETY: the algorithm is live during the call, and names end in a zero.
    let name = unsafe {
        if search.known.iter().any(|name| (search.is_a)(algorithm, name.as_ptr()) == 1) {
            return;
        }
        text((search.name)(algorithm))
    };
    search.found.extend(name.filter(|name| !search.found.contains(name)));
}

fn c_strings(names: &[&str]) -> Vec<CString> {
    names.iter().filter_map(|name| CString::new(*name).ok()).collect()
}

impl Fetching {
    /// What the library says of the CPU, and of what it was told of it.
    pub(super) fn cpu_settings(&self) -> Option<String> {
        // SAFETY: the function takes a number and returns static text, or null.
        unsafe { text((self.info)(super::functions::CPU_SETTINGS)) }
    }
}
