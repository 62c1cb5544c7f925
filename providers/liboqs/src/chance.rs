//! Supplies liboqs with random bytes: those given to a call, then the system's, as it does
//! by itself.

use oqs_sys::rand::OQS_randombytes_custom_algorithm;
use std::cell::Cell;
use std::ptr;

thread_local! {
    /// The remaining bytes given to a call.
    static GIVEN: Cell<&'static [u8]> = const { Cell::new(&[]) };
}

/// Makes liboqs draw from here.
pub(crate) fn begin() {
    // SAFETY: the function fills exactly the memory that it is given.
    unsafe { OQS_randombytes_custom_algorithm(Some(draw)) };
}

/// Calls `work`, which draws `bytes` first, and then from the system.
pub(crate) fn with<T>(bytes: &[u8], work: impl FnOnce() -> T) -> T {
    // SAFETY: the reference is cleared before this function returns.
    GIVEN.set(unsafe { &*ptr::from_ref(bytes) });
    let _clears = ClearsGiven;
    work()
}

/// Clears the reference when it is dropped, also while a panic unwinds.
struct ClearsGiven;

impl Drop for ClearsGiven {
    fn drop(&mut self) {
        GIVEN.set(&[]);
    }
}

unsafe extern "C" fn draw(to: *mut u8, bytes: usize) {
    // SAFETY: liboqs has room for this many bytes.
    let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
    let given = GIVEN.get();
    let (now, rest) = given.split_at(given.len().min(bytes));
    let (front, behind) = to.split_at_mut(now.len());
    front.copy_from_slice(now);
    GIVEN.set(rest);
    if !behind.is_empty() && getrandom::fill(behind).is_err() {
        // liboqs itself does the same.
        std::process::abort();
    }
}
