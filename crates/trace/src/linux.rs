//! Traces calls on Linux.

mod architecture;
pub(crate) mod code;
mod data;
pub(crate) mod effects;
mod follow;
mod image;
mod memory;
mod modules;
mod names;
mod process;
mod summary;
mod system_calls;

use crate::{Limits, NotTraced, Traced};
use cpb_model::{HeapUse, ObjectsUse};
use follow::Follower;
use memory::Heap;
use modules::Modules;
use process::Process;
use std::path::Path;
use std::time::Duration;

/// The time limit for tracing how objects are made, which may include key pairs.
const MAKING: Duration = Duration::from_secs(2);

/// Traces `process` between its next breakpoint instructions: two around no call, and two around
/// one; before these, if it `makes_objects`, two around making the call's objects. Calls
/// `is_attached` once the process may proceed.
///
/// Of a call that exceeds the limits, what it ran so far is returned, and the heap use of all of it;
/// a process that exceeds the time limit once more is ended, and its heap use is unknown.
///
/// # Errors
/// Why it cannot be traced. The process is then ended, unless it was never attached to.
pub fn trace(
    process: i32,
    limits: Limits,
    makes_objects: bool,
    is_attached: &mut dyn FnMut(),
) -> Result<Traced, NotTraced> {
    let attached = Process::attach(process)?;
    is_attached();
    let mut modules = Modules::of(process);
    let mut follower = Follower::at_mark(attached, modules.allocators())?;
    let mut objects = None;
    if makes_objects {
        let time = limits.time.min(MAKING);
        let limits = Limits { reads_data: false, time, ..limits };
        let mut heap = Heap::beside(modules.callers());
        let is_counted = made(&mut follower, limits, &mut heap);
        if is_counted.map_err(|reason| NotTraced::Making(Box::new(reason)))? {
            let HeapUse { allocations, peak_bytes } = heap.used;
            objects = Some(ObjectsUse { allocations, peak_bytes, kept_bytes: heap.bytes });
        }
        follower.run_to_mark()?;
    }
    // No call takes only a few instructions, however few of it are to be followed.
    let unlimited = Limits { instructions: u64::MAX, ..limits };
    let nothing = follower.follow(unlimited, &mut Heap::default())?;
    follower.run_to_mark()?;
    let mut heap = Heap::default();
    let call = follower.follow(limits, &mut heap)?;
    // Read while the process exists, because files in memory end with it.
    let mut modules = Modules::of(process);
    let mut traced = summary::of(&call, &nothing, follower.code(), &mut modules);
    // If the rest of a long call cannot be counted, its process is ended.
    let is_finished = !call.is_cut || follower.finish(limits.time, &mut heap).unwrap_or(false);
    if is_finished {
        traced.call.heap = follower.knows_heap().then_some(heap.used);
        follower.release()?;
    }
    Ok(Traced { objects, ..traced })
}

/// Follows the making of objects to its end. Returns whether all its heap use was counted.
fn made(follower: &mut Follower, limits: Limits, heap: &mut Heap) -> Result<bool, NotTraced> {
    if follower.follow(limits, heap)?.is_cut && !follower.finish(limits.time, heap)? {
        follower.run_to_mark()?;
        return Ok(false);
    }
    Ok(follower.knows_heap())
}

/// Returns the build ID of an ELF file.
pub fn build_id(file: &Path) -> Option<String> {
    image::build_id(&std::fs::read(file).ok()?)
}

/// Returns whether the code in an ELF file has instructions of a class; `None` if it cannot be
/// read.
pub fn uses(file: &Path, class: &str) -> Option<bool> {
    let data = std::fs::read(file).ok()?;
    let image = image::Image::parse(&data)?;
    Some(image.code(&data).any(|(address, bytes)| architecture::has_class(address, bytes, class)))
}
