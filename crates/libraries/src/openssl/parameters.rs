//! Lists of parameters (`OSSL_PARAM`), with what they point at.

use super::functions::Parameter;
use std::ffi::{CStr, c_uint};
use std::ptr;

const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;

/// A list under construction. Its pointers stay valid as long as it lives.
pub(super) struct Parameters {
    list: Vec<Parameter>,
    /// What the list points at; a `Vec`'s bytes stay put when it is moved.
    data: Vec<Vec<u8>>,
}

impl Parameters {
    pub(super) fn new() -> Self {
        Self { list: vec![END], data: Vec::new() }
    }

    pub(super) fn text(self, key: &'static CStr, value: &str) -> Self {
        self.with(key, UTF8_STRING, value.as_bytes())
    }

    pub(super) fn bytes(self, key: &'static CStr, value: &[u8]) -> Self {
        self.with(key, OCTET_STRING, value)
    }

    pub(super) fn number(self, key: &'static CStr, value: u64) -> Self {
        self.with(key, UNSIGNED_INTEGER, &value.to_ne_bytes())
    }

    /// A number of any length, big-endian.
    pub(super) fn big_number(self, key: &'static CStr, value: &[u8]) -> Self {
        let little_endian: Vec<u8> = value.iter().rev().copied().collect();
        let native = if cfg!(target_endian = "big") { value } else { &little_endian };
        self.with(key, UNSIGNED_INTEGER, native)
    }

    /// The list, to pass on.
    pub(super) fn pointer(&self) -> *const Parameter {
        self.list.as_ptr()
    }

    fn with(mut self, key: &'static CStr, data_type: c_uint, value: &[u8]) -> Self {
        // Text is read up to its length, yet some readers want a zero there.
        let mut data = value.to_vec();
        data.push(0);
        let parameter = Parameter {
            key: key.as_ptr(),
            data_type,
            data: data.as_mut_ptr().cast(),
            data_size: value.len(),
            return_size: UNMODIFIED,
        };
        self.data.push(data);
        self.list.insert(self.list.len() - 1, parameter);
        self
    }
}

/// `OSSL_PARAM_UNMODIFIED`.
const UNMODIFIED: usize = usize::MAX;
/// `OSSL_PARAM_END`.
const END: Parameter = Parameter {
    key: ptr::null(),
    data_type: 0,
    data: ptr::null_mut(),
    data_size: 0,
    return_size: 0,
};
