//! The C side of `cpb_provider.h`, version 1.

use crate::{Call, Implementation, Workload};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

const ABI: u32 = 1;
const COLD: u32 = 2;
const COMPAT: u32 = 3;

/// `cpb_implementation`.
#[repr(C)]
pub struct RawImplementation {
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

/// `cpb_workload`.
#[repr(C)]
pub struct RawWorkload {
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

/// `cpb_provider`.
#[repr(C)]
pub struct RawProvider {
    abi: u32,
    reserved: u32,
    name: *const c_char,
    version: *const c_char,
    code_path: Option<extern "C" fn() -> *const c_char>,
    count: extern "C" fn() -> u64,
    implementation: extern "C" fn(u64) -> *const RawImplementation,
    prepare:
        unsafe extern "C" fn(u64, *const RawWorkload, *mut *mut c_void, *mut c_char, u64) -> c_int,
    run: unsafe extern "C" fn(*mut c_void, u64),
    output: unsafe extern "C" fn(*mut c_void, *mut *const u8, *mut u64, *mut c_char, u64) -> c_int,
    release: unsafe extern "C" fn(*mut c_void),
}

struct Table {
    implementations: &'static [Implementation],
    raw: Vec<RawImplementation>,
    provider: RawProvider,
}

// SAFETY: all pointers in it point to constants.
unsafe impl Send for Table {}
// SAFETY: nothing of it changes once it is made.
unsafe impl Sync for Table {}

/// Each provider is a shared library with a copy of this crate of its own.
static TABLE: OnceLock<Table> = OnceLock::new();

pub fn export(
    name: &'static CStr,
    version: &'static CStr,
    implementations: &'static [Implementation],
) -> *const RawProvider {
    let table = TABLE.get_or_init(|| Table {
        implementations,
        raw: implementations.iter().map(raw).collect(),
        provider: RawProvider {
            abi: ABI,
            reserved: 0,
            name: name.as_ptr(),
            version: version.as_ptr(),
            code_path: None,
            count,
            implementation,
            prepare,
            run,
            output,
            release,
        },
    });
    &table.provider
}

fn raw(implementation: &Implementation) -> RawImplementation {
    let Implementation { primitive, operation, lengths, .. } = implementation;
    RawImplementation {
        primitive: primitive.as_ptr(),
        spelling: primitive.as_ptr(),
        backend: c"default".as_ptr(),
        operation: *operation as u32,
        is_default: 1,
        key_bytes: lengths.key,
        nonce_bytes: lengths.nonce,
        tag_bytes: lengths.tag,
        granularity: lengths.granularity,
        block_bytes: 0,
        output_bytes: lengths.output,
        row_group: std::ptr::null(),
        row_algorithm: std::ptr::null(),
        row_mode: std::ptr::null(),
    }
}

extern "C" fn count() -> u64 {
    TABLE.get().map_or(0, |table| table.raw.len() as u64)
}

extern "C" fn implementation(index: u64) -> *const RawImplementation {
    let found = TABLE.get().and_then(|table| table.raw.get(index as usize));
    found.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// # Safety
/// As `cpb_provider.h` says.
unsafe extern "C" fn prepare(
    index: u64,
    workload: *const RawWorkload,
    call: *mut *mut c_void,
    reason: *mut c_char,
    reason_bytes: u64,
) -> c_int {
    // SAFETY: the caller gives a workload whose memory stays until release.
    let (contract, workload) = unsafe { (&*workload).parts() };
    let prepared = match TABLE.get().and_then(|t| t.implementations.get(index as usize)) {
        _ if contract == COMPAT => Err("bench-slopes has no such row".to_owned()),
        None => Err("there is no such implementation".to_owned()),
        Some(implementation) => {
            catch_unwind(AssertUnwindSafe(|| (implementation.prepare)(workload)))
                .unwrap_or_else(|_| Err("the library panicked".to_owned()))
        }
    };
    match prepared {
        Ok(prepared) => {
            // SAFETY: the caller gives a place for the call.
            unsafe { *call = Box::into_raw(Box::new(prepared)).cast() };
            0
        }
        // SAFETY: the caller gives room for a reason.
        Err(why) => unsafe { refuse(&why, reason, reason_bytes) },
    }
}

impl RawWorkload {
    /// # Safety
    /// Its memory is as `cpb_provider.h` says.
    unsafe fn parts(&self) -> (u32, Workload) {
        // SAFETY: each pointer goes with its length, and nothing else uses the
        // memory until the call is released; without bytes it may be null.
        unsafe fn slice(start: *const u8, bytes: u64) -> &'static [u8] {
            if bytes == 0 {
                return &[];
            }
            // SAFETY: as the caller says.
            unsafe { std::slice::from_raw_parts(start, bytes as usize) }
        }
        // SAFETY: as above; written through this alone.
        unsafe fn slice_mut(start: *mut u8, bytes: u64) -> &'static mut [u8] {
            if bytes == 0 {
                return &mut [];
            }
            // SAFETY: as the caller says.
            unsafe { std::slice::from_raw_parts_mut(start, bytes as usize) }
        }
        // SAFETY: the struct's own promise.
        let workload = unsafe {
            Workload {
                cold: self.contract == COLD,
                message: slice_mut(self.message, self.message_bytes),
                destination: slice_mut(self.destination, self.destination_bytes),
                key: slice(self.key, self.key_bytes),
                nonce: slice(self.nonce, self.nonce_bytes),
                aad: slice(self.aad, self.aad_bytes),
                iterations: self.iterations.try_into().unwrap_or(u32::MAX),
                output_bytes: self.output_bytes as usize,
            }
        };
        (self.contract, workload)
    }
}

/// # Safety
/// `call` came from [`prepare`] and was not released.
unsafe extern "C" fn run(call: *mut c_void, calls: u64) {
    // SAFETY: as above.
    unsafe { &mut *call.cast::<Box<dyn Call>>() }.run(calls);
}

/// # Safety
/// As for [`run`]; the other pointers are as `cpb_provider.h` says.
unsafe extern "C" fn output(
    call: *mut c_void,
    bytes: *mut *const u8,
    length: *mut u64,
    reason: *mut c_char,
    reason_bytes: u64,
) -> c_int {
    // SAFETY: as above.
    match unsafe { &*call.cast::<Box<dyn Call>>() }.output() {
        Ok(output) => {
            // SAFETY: as above.
            unsafe {
                *bytes = output.as_ptr();
                *length = output.len() as u64;
            }
            0
        }
        // SAFETY: as above.
        Err(why) => unsafe { refuse(&why, reason, reason_bytes) },
    }
}

/// # Safety
/// As for [`run`]; the call is not used again.
unsafe extern "C" fn release(call: *mut c_void) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(call.cast::<Box<dyn Call>>()) });
}

/// # Safety
/// `reason` has room for `reason_bytes`.
unsafe fn refuse(why: &str, reason: *mut c_char, reason_bytes: u64) -> c_int {
    let room = (reason_bytes as usize).saturating_sub(1).min(why.len());
    // SAFETY: at most reason_bytes - 1 bytes and a zero.
    unsafe {
        std::ptr::copy_nonoverlapping(why.as_ptr(), reason.cast(), room);
        *reason.add(room) = 0;
    }
    1
}
