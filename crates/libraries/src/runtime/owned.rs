//! What a library made and we own, and what it says.

use std::ffi::{CStr, c_char};

/// A context of a library's, freed with its owner.
pub(crate) struct Owned<T> {
    pointer: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Owns what `pointer` points at; nothing where that is null.
    ///
    /// # Safety
    /// A `pointer` that is not null is live, and `free` is what ends it; nobody else does.
    #[inline(always)]
    pub(crate) unsafe fn new(pointer: *mut T, free: unsafe extern "C" fn(*mut T)) -> Option<Self> {
        (!pointer.is_null()).then_some(Self { pointer, free })
    }

    /// The context, which is live as long as this is.
    #[inline(always)]
    pub(crate) fn pointer(&self) -> *mut T {
        self.pointer
    }
}

impl<T> Drop for Owned<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: by the contract of `new` it is live, and this is its only end.
        unsafe { (self.free)(self.pointer) };
    }
}

/// The text at `pointer`, copied, unless that is null.
///
/// # Safety
/// A `pointer` that is not null points at text that ends in a zero.
pub(crate) unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and as the caller promises.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
