//! Offers Botan 3, built from its sources, through its shim in `shims/`.

#![allow(unsafe_code, reason = "the C interface")]

use cpb_provider::RawProvider;

unsafe extern "C" {
    /// The shim's entry point, under the name that `build.rs` gives it.
    fn cpb_shim() -> *const RawProvider;
}

/// The entry point of `cpb_provider.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cpb_provider_v2() -> *const RawProvider {
    // SAFETY: the function takes nothing.
    unsafe { cpb_shim() }
}
