//! Traces calls on Linux on x86-64.

mod classes;
mod code;
mod data;
mod follow;
mod image;
mod memory;
mod modules;
mod names;
mod process;
mod summary;
mod system_calls;

use crate::{Limits, NotTraced, Traced};
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
/// A process whose call exceeds the limits is ended; what it did so far is returned.
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
        let making = follower.follow(limits, Heap::beside(modules.callers()));
        let making = making.map_err(|reason| NotTraced::Making(Box::new(reason)))?;
        objects = summary::objects(&making);
        follower.run_to_mark()?;
        if making.is_cut {
            // It was on its way to the final mark.
            follower.run_to_mark()?;
        }
    }
    let nothing = follower.follow(limits, Heap::default())?;
    follower.run_to_mark()?;
    let call = follower.follow(limits, Heap::default())?;
    // Read while the process exists, because files in memory end with it.
    let mut modules = Modules::of(process);
    let traced = summary::of(&call, &nothing, follower.code(), &mut modules);
    if !call.is_cut {
        follower.release()?;
    }
    Ok(Traced { objects, ..traced })
}

/// Returns the build ID of an ELF file.
#[must_use]
pub fn build_id(file: &Path) -> Option<String> {
    image::build_id(&std::fs::read(file).ok()?)
}

/// Returns whether the code in an ELF file has instructions of a class; `None` if it cannot be
/// read.
#[must_use]
pub fn uses(file: &Path, class: &str) -> Option<bool> {
    let data = std::fs::read(file).ok()?;
    let image = image::Image::parse(&data)?;
    Some(image.code(&data).any(|(address, bytes)| code::has_class(address, bytes, class)))
}
