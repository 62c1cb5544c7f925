//! Defines version 2 of `cpb_provider.h` as Rust types. A test of [`crate::host`] compares their
//! layout with that of a C compiler.

use std::ffi::{CStr, c_char, c_int, c_void};

/// `CPB_PROVIDER_ABI`.
pub(crate) const ABI: u32 = 2;
pub(crate) const ENTRY_POINT: &str = "cpb_provider_v2";

/// `cpb_length`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct LengthRange {
    pub(crate) role: u32,
    pub(crate) reserved: u32,
    pub(crate) least: u64,
    pub(crate) usual: u64,
    pub(crate) most: u64,
}

/// `cpb_implementation`.
#[repr(C)]
pub(crate) struct Implementation {
    pub(crate) primitive: *const c_char,
    pub(crate) spelling: *const c_char,
    pub(crate) backend: *const c_char,
    pub(crate) operation: u32,
    pub(crate) is_default: u32,
    pub(crate) lengths: *const LengthRange,
    pub(crate) length_count: u64,
    pub(crate) granularity: u32,
    pub(crate) block_bytes: u32,
    pub(crate) row_group: *const c_char,
    pub(crate) row_algorithm: *const c_char,
    pub(crate) row_mode: *const c_char,
}

/// `cpb_buffer`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) role: u32,
    pub(crate) reserved: u32,
    pub(crate) bytes: *mut u8,
    pub(crate) length: u64,
}

/// `cpb_case`.
#[repr(C)]
pub(crate) struct Case {
    pub(crate) inputs: *const Buffer,
    pub(crate) input_count: u64,
    pub(crate) outputs: *const Buffer,
    pub(crate) output_count: u64,
}

/// `cpb_workload`.
#[repr(C)]
pub(crate) struct Workload {
    pub(crate) contract: u32,
    pub(crate) reserved: u32,
    pub(crate) iterations: u64,
    pub(crate) cases: *const Case,
    pub(crate) case_count: u64,
}

pub(crate) type CodePath = unsafe extern "C" fn() -> *const c_char;
pub(crate) type Count = unsafe extern "C" fn() -> u64;
pub(crate) type At = unsafe extern "C" fn(u64) -> *const Implementation;
pub(crate) type Prepare =
    unsafe extern "C" fn(u64, *const Workload, *mut *mut c_void, *mut c_char, u64) -> c_int;
pub(crate) type Run = unsafe extern "C" fn(*mut c_void, u64);
pub(crate) type Output =
    unsafe extern "C" fn(*mut c_void, *mut Buffer, u64, *mut c_char, u64) -> c_int;
pub(crate) type Release = unsafe extern "C" fn(*mut c_void);

/// `cpb_provider`; functions that its author left out are null.
#[repr(C)]
pub struct Provider {
    pub(crate) abi: u32,
    pub(crate) reserved: u32,
    pub(crate) name: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) code_path: Option<CodePath>,
    pub(crate) count: Option<Count>,
    pub(crate) implementation: Option<At>,
    pub(crate) prepare: Option<Prepare>,
    pub(crate) run: Option<Run>,
    pub(crate) output: Option<Output>,
    pub(crate) release: Option<Release>,
}

/// `enum cpb_contract`, in both directions.
const CONTRACTS: [(u32, cpb_model::Contract); 3] = [
    (1, cpb_model::Contract::Keyed),
    (2, cpb_model::Contract::Oneshot),
    (3, cpb_model::Contract::Compat),
];

pub(crate) fn number_of(contract: cpb_model::Contract) -> u32 {
    CONTRACTS.iter().find(|(_, known)| *known == contract).map_or(0, |(number, _)| *number)
}

pub(crate) fn contract_of(number: u32) -> Option<cpb_model::Contract> {
    CONTRACTS.iter().find(|(known, _)| *known == number).map(|(_, contract)| *contract)
}

/// Copies the text at `pointer`; `None` if that is null.
///
/// # Safety
/// A `pointer` that is not null points at text that ends in a zero.
pub unsafe fn c_text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and as the caller promises.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
