//! Exports a [`Library`] written in Rust through the C interface.

use crate::inputs::{Case, outputs};
use crate::{Buffer, Inputs, Library, Prepared, abi};
use cpb_model::{Alignment, Contract, LengthRange, Offer, Operation, Role};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A library that lives as long as the process.
type Kept = Box<dyn Library + Send + Sync>;

/// The exported table, with everything that its pointers refer to.
struct Exported {
    library: Kept,
    offers: Vec<Offer>,
    raw: Vec<abi::Implementation>,
    provider: abi::Provider,
    _texts: Vec<CString>,
    _lengths: Vec<Vec<abi::LengthRange>>,
}

// SAFETY: its pointers point to what it owns itself and to constants.
unsafe impl Send for Exported {}
// SAFETY: nothing of it changes once it is made; the library is `Sync` by its type.
unsafe impl Sync for Exported {}

/// Each provider is a shared library with its own copy of this crate.
static EXPORTED: OnceLock<Exported> = OnceLock::new();

/// Returns the table for [`crate::provider!`].
pub fn export(
    name: &'static CStr,
    version: &'static CStr,
    open: fn() -> Kept,
) -> *const abi::Provider {
    let made = catch_unwind(|| EXPORTED.get_or_init(|| Exported::new(name, version, open())));
    made.map_or(std::ptr::null(), |exported| &raw const exported.provider)
}

impl Exported {
    fn new(name: &'static CStr, version: &'static CStr, library: Kept) -> Self {
        let offers: Vec<Offer> =
            library.offers().iter().filter(|it| it.unavailable.is_none()).cloned().collect();
        let mut texts = Vec::new();
        let mut text = |text: &str| {
            // No name contains a zero.
            texts.push(CString::new(text).unwrap_or_default());
            texts.last().map_or(std::ptr::null(), |text| text.as_ptr())
        };
        let lengths: Vec<Vec<abi::LengthRange>> = offers.iter().map(stated).collect();
        let raw = offers.iter().zip(&lengths).map(|(offer, lengths)| abi::Implementation {
            primitive: text(&offer.primitive),
            spelling: text(&offer.spelling),
            backend: text(&offer.backend),
            operation: offer.operation.row().number.unwrap_or(0),
            is_default: u32::from(offer.default_backend),
            lengths: lengths.as_ptr(),
            length_count: lengths.len() as u64,
            granularity: u32::try_from(offer.lengths.granularity).unwrap_or(u32::MAX),
            block_bytes: offer.lengths.block.and_then(|it| it.try_into().ok()).unwrap_or(0),
            row_group: offer.row.as_ref().map_or(std::ptr::null(), |row| text(&row.group)),
            row_algorithm: offer.row.as_ref().map_or(std::ptr::null(), |row| text(&row.algorithm)),
            row_mode: offer.row.as_ref().map_or(std::ptr::null(), |row| text(&row.mode)),
        });
        let raw = raw.collect();
        let provider = abi::Provider {
            abi: abi::ABI,
            reserved: 0,
            name: name.as_ptr(),
            version: version.as_ptr(),
            code_path: None,
            count: Some(count),
            implementation: Some(implementation),
            prepare: Some(prepare),
            run: Some(run),
            output: Some(output),
            release: Some(release),
        };
        Self { library, offers, raw, provider, _texts: texts, _lengths: lengths }
    }
}

/// Returns the lengths of an offer, by role.
fn stated(offer: &Offer) -> Vec<abi::LengthRange> {
    let row = offer.operation.row();
    let of = |role: &Role| offer.lengths.of(*role).filter(|_| *role != row.message);
    let stated = |role: &Role| {
        let length = of(role).filter(|length| *length != LengthRange::NONE)?;
        let (least, most) = length.range();
        Some(abi::LengthRange {
            role: *role as u32,
            reserved: 0,
            least: least as u64,
            usual: length.default_length() as u64,
            most: most as u64,
        })
    };
    row.takes.iter().chain(row.gives).filter_map(stated).collect()
}

extern "C" fn count() -> u64 {
    EXPORTED.get().map_or(0, |exported| exported.raw.len() as u64)
}

extern "C" fn implementation(index: u64) -> *const abi::Implementation {
    let found = EXPORTED.get().and_then(|exported| exported.raw.get(index as usize));
    found.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// A call, and its last output as long as cpb may read it.
struct Call {
    prepared: Box<dyn Prepared>,
    outputs: Vec<(Role, usize)>,
    output: Vec<u8>,
}

/// # Safety
/// As `cpb_provider.h` says.
unsafe extern "C" fn prepare(
    index: u64,
    workload: *const abi::Workload,
    call: *mut *mut c_void,
    reason: *mut c_char,
    reason_bytes: u64,
) -> c_int {
    let made = catch_unwind(AssertUnwindSafe(|| {
        let exported = EXPORTED.get().ok_or("the provider was not opened")?;
        let offer = exported.offers.get(index as usize).ok_or("there is no such offer")?;
        // SAFETY: the caller gives a workload as the header says.
        let (contract, inputs) = unsafe { (*workload).inputs(offer) }?;
        let outputs = inputs.outputs.clone();
        let ready = exported.library.ready(offer, contract, inputs);
        let prepared = ready.map_err(|reason| reason.to_string())?;
        Ok(Call { prepared, outputs, output: Vec::new() })
    }));
    match made.unwrap_or_else(|_| Err("the library panicked".to_owned())) {
        Ok(made) => {
            // SAFETY: the caller gives a place for the call.
            unsafe { *call = Box::into_raw(Box::new(made)).cast() };
            0
        }
        // SAFETY: the caller gives room for a reason.
        Err(why) => unsafe { refuse(&why, reason, reason_bytes) },
    }
}

impl abi::Workload {
    /// Copies the workload's contents, so that no lifetime is taken on trust. The message keeps its
    /// offset from a page boundary.
    ///
    /// # Safety
    /// Its memory is as `cpb_provider.h` says.
    unsafe fn inputs(&self, offer: &Offer) -> Result<(Contract, Inputs), String> {
        let contract = abi::contract_of(self.contract).ok_or("there is no such contract")?;
        // SAFETY: the header promises one case or more, and each pointer its count.
        let raw = unsafe { slice(self.cases, self.case_count) };
        // SAFETY: each case is one of those that the header promises.
        let cases = raw.iter().map(|case| unsafe { case.copied(offer.operation) });
        let cases = cases.collect::<Result<Vec<Case>, String>>()?;
        let first = raw.first().ok_or("the workload has no case")?;
        // SAFETY: the header promises the first case its outputs and their number.
        let room = unsafe { slice(first.outputs, first.output_count) };
        let result_bytes = room.iter().map(|output| output.length as usize).sum();
        let destination = Buffer::zeroed(result_bytes).map_err(|reason| reason.to_string())?;
        let inputs = Inputs {
            cases,
            destination,
            iterations: self.iterations,
            output_bytes: result_bytes,
            result_bytes,
            outputs: outputs(offer, result_bytes),
            shorter_by: 0,
        };
        Ok((contract, inputs))
    }
}

impl abi::Case {
    /// # Safety
    /// As of [`abi::Workload::inputs`].
    unsafe fn copied(&self, operation: Operation) -> Result<Case, String> {
        // SAFETY: pointers and counts are valid by the caller's contract.
        let given = unsafe { slice(self.inputs, self.input_count) };
        let row = operation.row();
        let of = |role: Role| given.iter().find(|buffer| buffer.role == role as u32);
        let is_unaligned = of(row.message).is_some_and(|it| it.bytes.addr() % 2 == 1);
        let alignment = if is_unaligned { Alignment::Unaligned } else { Alignment::Page };
        let message_bytes = of(row.message).map_or(0, |it| it.length as usize);
        let mut case = Buffer::with_pattern(message_bytes, alignment)
            .and_then(Case::new)
            .map_err(|reason| reason.to_string())?;
        for role in row.takes {
            let Some(raw) = of(*role) else { continue };
            // SAFETY: a buffer's pointer is passed with its length, by the header.
            let bytes = unsafe { slice(raw.bytes.cast_const(), raw.length) };
            case.set(row, *role, bytes);
        }
        Ok(case)
    }
}

/// # Safety
/// `call` came from [`prepare`] and was not released.
unsafe extern "C" fn run(call: *mut c_void, calls: u64) {
    // SAFETY: the handle is one that `prepare` made and nobody released.
    unsafe { &mut *call.cast::<Call>() }.prepared.run(calls);
}

/// # Safety
/// As for [`run`]; the other pointers are as `cpb_provider.h` says.
unsafe extern "C" fn output(
    call: *mut c_void,
    found: *mut abi::Buffer,
    count: u64,
    reason: *mut c_char,
    reason_bytes: u64,
) -> c_int {
    // SAFETY: the handle is one that `prepare` made and nobody released.
    let call = unsafe { &mut *call.cast::<Call>() };
    match call.prepared.output() {
        Ok(output) => call.output = output,
        // SAFETY: the caller gives room for a reason.
        Err(why) => return unsafe { refuse(&why, reason, reason_bytes) },
    }
    let mut rest = call.output.as_mut_slice();
    for index in 0..count as usize {
        let last = index + 1 == count as usize;
        let bytes = call.outputs.get(index).map_or(0, |(_, bytes)| *bytes).min(rest.len());
        let (this, behind) = rest.split_at_mut(if last { rest.len() } else { bytes });
        rest = behind;
        // SAFETY: the caller promises room for this number of outputs.
        let place = unsafe { &mut *found.add(index) };
        (place.bytes, place.length) = (this.as_mut_ptr(), this.len() as u64);
    }
    0
}

/// # Safety
/// As for [`run`]; the call is not used again.
unsafe extern "C" fn release(call: *mut c_void) {
    // SAFETY: the handle is one that `prepare` made, and this its only release.
    drop(unsafe { Box::from_raw(call.cast::<Call>()) });
}

/// # Safety
/// `start` points to `count` items that live as long as is asked for, or `count` is 0.
unsafe fn slice<'a, T>(start: *const T, count: u64) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: not null here; the caller promises as many items, for as long.
    unsafe { std::slice::from_raw_parts(start, count as usize) }
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
