//! Holds the functions of a provider: those of every one, and optional ones of cpb's own shims.

use crate::abi::{self, c_text};
use cpb_model::{Contract, Offer};
use std::ffi::{CString, c_char, c_int, c_void};

/// The functions of a complete provider.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub(super) shim: ShimFunctions,
    pub(super) code_path: Option<abi::CodePath>,
    pub(super) prepare: abi::Prepare,
    pub(super) run: abi::Run,
    pub(super) output: abi::Output,
    pub(super) release: abi::Release,
}

/// Returns the bytes of its library's objects in the shim's own memory for a call.
type ObjectBytes = unsafe extern "C" fn(call: *mut c_void) -> u64;
/// Returns why the implementation with this index cannot run, with a remedy; null if it can.
type Unavailable = unsafe extern "C" fn(index: u64) -> *const c_char;
/// Tells whether that implementation is only another way to call an offered one, which is left out
/// unless requested.
type IsVariant = unsafe extern "C" fn(index: u64) -> c_int;
/// Makes the calls prepared from now on share key objects, whichever thread makes them; returns
/// whether it can for such calls.
type ShareKeys = unsafe extern "C" fn(operation: u32, contract: u32) -> c_int;

/// Those of these functions that a provider has.
#[derive(Clone, Copy)]
pub(super) struct ShimFunctions {
    object_bytes: Option<ObjectBytes>,
    unavailable: Option<Unavailable>,
    is_variant: Option<IsVariant>,
    share_keys: Option<ShareKeys>,
}

impl ShimFunctions {
    #[cfg(test)]
    pub(super) const NONE: Self =
        Self { object_bytes: None, unavailable: None, is_variant: None, share_keys: None };

    pub(super) fn of(library: &libloading::Library) -> Self {
        // SAFETY: a shim's symbol of this name is a function of this type.
        unsafe {
            Self {
                object_bytes: library.get("cpb_shim_object_bytes").ok().map(|symbol| *symbol),
                unavailable: library.get("cpb_shim_unavailable").ok().map(|symbol| *symbol),
                is_variant: library.get("cpb_shim_is_variant").ok().map(|symbol| *symbol),
                share_keys: library.get("cpb_shim_share_keys").ok().map(|symbol| *symbol),
            }
        }
    }

    /// Adds the shim's information about the `offer` with this index.
    pub(super) fn describe(&self, index: u64, offer: &mut Offer) {
        if offer.unavailable.is_none() {
            // SAFETY: it takes any index, and returns text that stays, or null.
            offer.unavailable = self.unavailable.and_then(|it| unsafe { c_text(it(index)) });
        }
        // SAFETY: it takes any index.
        offer.is_variant = self.is_variant.is_some_and(|it| unsafe { it(index) } != 0);
    }

    /// # Safety
    /// The call is one of this provider that was not released.
    pub(super) unsafe fn object_bytes(&self, call: *mut c_void) -> u64 {
        // SAFETY: the caller's promise.
        self.object_bytes.map_or(0, |it| unsafe { it(call) })
    }

    pub(super) fn share_keys(&self, offer: &Offer, contract: Contract) -> bool {
        let operation = offer.operation.row().number.unwrap_or(0);
        let contract = abi::number_of(contract);
        // SAFETY: it takes any two numbers; one thread at a time uses a library.
        self.share_keys.is_some_and(|it| unsafe { it(operation, contract) } != 0)
    }
}

/// Tells a shim which offer is wanted, so that it need not list the others.
pub(super) fn want(library: &libloading::Library, wanted: &Offer) {
    type Want = unsafe extern "C" fn(spelling: *const c_char, operation: u32);
    type WantBackend = unsafe extern "C" fn(backend: *const c_char);
    let text = |text: &str| CString::new(text).map(CString::into_raw);
    let (Ok(spelling), Ok(backend)) = (text(&wanted.spelling), text(&wanted.backend)) else {
        return;
    };
    let operation = wanted.operation.row().number.unwrap_or(0);
    // SAFETY: a shim's symbol of this name is a function of this type, which is given text that
    // stays valid.
    unsafe {
        if let Ok(want) = library.get::<Want>("cpb_shim_want") {
            want(spelling, operation);
        }
        if let Ok(want) = library.get::<WantBackend>("cpb_shim_want_backend") {
            want(backend);
        }
    }
}
