//! Finding algorithms: fetched from providers since 3.0, by name before.

use super::functions::{Cipher, Digest, Fetching, Functions, Provider, Providers};
use super::wanted::Wanted;
use crate::runtime::text;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Mutex;

const LEGACY: &CStr = c"legacy";
const DEFAULT: &CStr = c"default";

/// Per library, known by an address in it, what [`load_legacy`] said.
static LOADED: Mutex<Vec<(usize, Legacy)>> = Mutex::new(Vec::new());

/// Where algorithms are looked for.
pub(super) struct Sources<'a> {
    pub(super) digests: Source<'a, Digest>,
    pub(super) ciphers: Source<'a, Cipher>,
}

/// The legacy provider.
#[derive(Clone, Copy, Default)]
struct Legacy {
    /// Whether it was active before we asked for it: only then a program that loads no
    /// providers, such as bench-slopes, sees it.
    unasked: bool,
    /// Whether it is active now.
    there: bool,
}

impl<'a> Sources<'a> {
    /// Loads the legacy provider, where there is one, beside what is active, unless one offer
    /// alone is wanted.
    pub(super) fn new(functions: &'a Functions, wanted: Wanted<'a>) -> Self {
        if wanted.is_all() {
            return Self::with_legacy(functions, wanted);
        }
        Self::of(functions, wanted, Legacy::default())
    }

    /// Loads it in any case.
    pub(super) fn with_legacy(functions: &'a Functions, wanted: Wanted<'a>) -> Self {
        let legacy = match &functions.providers {
            Some(providers) => legacy(providers),
            None => Legacy { unasked: true, there: true },
        };
        functions.core.clear_errors();
        Self::of(functions, wanted, legacy)
    }

    fn of(functions: &'a Functions, wanted: Wanted<'a>, legacy: Legacy) -> Self {
        let (by_name, fetching) = (functions.digests.by_name, functions.digest_fetching.as_ref());
        let digests = Source { functions, wanted, legacy, by_name, fetching };
        let (by_name, fetching) = (functions.ciphers.by_name, functions.cipher_fetching.as_ref());
        let ciphers = Source { functions, wanted, legacy, by_name, fetching };
        Self { digests, ciphers }
    }
}

/// Where one kind of algorithm is looked for.
pub(super) struct Source<'a, T> {
    functions: &'a Functions,
    wanted: Wanted<'a>,
    legacy: Legacy,
    by_name: unsafe extern "C" fn(*const c_char) -> *const T,
    fetching: Option<&'a Fetching<T>>,
}

/// An algorithm. It is never freed.
pub(super) struct Found<T> {
    pub(super) algorithm: *const T,
    /// Whether bench-slopes finds it, too.
    pub(super) in_bench_slopes: bool,
    pub(super) unavailable: Option<String>,
}

impl<T> Source<'_, T> {
    pub(super) fn find(&self, name: &str) -> Option<Found<T>> {
        if !self.wanted.needs(name) {
            return None;
        }
        let c_name = CString::new(name).ok()?;
        // Where it can be fetched, its name alone says only what bench-slopes would find.
        let named = match self.fetching.is_some() && !self.wanted.is_all() {
            true => ptr::null(),
            // SAFETY: the name ends in a zero.
            false => unsafe { (self.by_name)(c_name.as_ptr()) },
        };
        let Some(fetching) = self.fetching else {
            return (!named.is_null()).then_some(Found {
                algorithm: named,
                in_bench_slopes: true,
                unavailable: None,
            });
        };
        self.functions.core.clear_errors();
        // SAFETY: the name ends in a zero; nulls are the default context and no properties.
        let fetched = unsafe { (fetching.fetch)(ptr::null_mut(), c_name.as_ptr(), ptr::null()) };
        if !fetched.is_null() {
            // SAFETY: what was fetched is live.
            let is_legacy = self.is_legacy(unsafe { (fetching.provider)(fetched) });
            return Some(Found {
                algorithm: fetched,
                in_bench_slopes: !named.is_null() && (!is_legacy || self.legacy.unasked),
                unavailable: None,
            });
        }
        let reason = self.functions.core.last_error();
        (!named.is_null()).then(|| Found {
            algorithm: named,
            in_bench_slopes: false,
            unavailable: Some(if self.legacy.there {
                format!("no provider that is loaded has it ({reason})")
            } else {
                format!(
                    "it may be in OpenSSL's legacy provider (legacy.so), which is not there \
                     (from Debian 13 on, package openssl-provider-legacy); {reason}"
                )
            }),
        })
    }

    /// What providers have under none of the `known` names, by its first name.
    pub(super) fn others(&self, known: &[&str]) -> Vec<(String, Found<T>)> {
        let Some(fetching) = self.fetching else { return Vec::new() };
        if !self.wanted.is_all() {
            return Vec::new();
        }
        let mut search = Search {
            known: known.iter().filter_map(|name| CString::new(*name).ok()).collect(),
            is_a: fetching.is_a,
            name: fetching.name,
            found: Vec::new(),
        };
        // SAFETY: null is the default context; the callback gets the search back, which
        // outlives the call.
        unsafe { (fetching.all)(ptr::null_mut(), note::<T>, (&raw mut search).cast()) };
        search
            .found
            .into_iter()
            .filter_map(|name| Some((self.find(&name)?, name)))
            .map(|(found, name)| (name, found))
            .collect()
    }

    fn is_legacy(&self, provider: *const Provider) -> bool {
        let Some(providers) = &self.functions.providers else { return false };
        // SAFETY: an algorithm's provider stays with it, and its name is text.
        let name = unsafe { text((providers.name)(provider)) };
        name.as_deref().is_some_and(|name| LEGACY.to_str() == Ok(name))
    }
}

/// What became of the legacy provider. Opened again, a library still has what was loaded
/// the first time.
fn legacy(providers: &Providers) -> Legacy {
    let Ok(mut loaded) = LOADED.lock() else { return Legacy::default() };
    let address = providers.load as usize;
    if let Some((_, known)) = loaded.iter().find(|(library, _)| *library == address) {
        return *known;
    }
    let legacy = load_legacy(providers);
    loaded.push((address, legacy));
    legacy
}

/// Loads the legacy provider into the default context.
fn load_legacy(providers: &Providers) -> Legacy {
    // SAFETY: the name ends in a zero; null is the default library context.
    let available =
        |name: &CStr| unsafe { (providers.available)(ptr::null_mut(), name.as_ptr()) == 1 };
    // SAFETY: the name ends in a zero; what is loaded into the default context, which null
    // stands for, is never unloaded.
    let load = |name: &CStr| unsafe { !(providers.load)(ptr::null_mut(), name.as_ptr()).is_null() };
    let unasked = available(LEGACY);
    // Loading one provider by hand ends the automatic loading of the default
    // one. Where a configuration left that out, it stays out.
    let default_is_active = available(DEFAULT);
    let there = unasked || load(LEGACY);
    if default_is_active {
        load(DEFAULT);
    }
    Legacy { unasked, there }
}

struct Search<T> {
    known: Vec<CString>,
    is_a: unsafe extern "C" fn(*const T, *const c_char) -> c_int,
    name: unsafe extern "C" fn(*const T) -> *const c_char,
    found: Vec<String>,
}

/// Called for every algorithm of every provider, with a [`Search`].
extern "C" fn note<T>(algorithm: *mut T, search: *mut c_void) {
    // SAFETY: it is the search that `others` passed along, used by nobody else meanwhile.
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
