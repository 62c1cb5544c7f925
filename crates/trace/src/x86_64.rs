//! Following calls on Linux on x86-64.

mod classes;
mod code;
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
use modules::Modules;
use process::Process;
use std::path::Path;

/// Follows what `process` does between the next four breakpoint instructions that it executes: two
/// around no call, and two around one. `is_attached` is called once it can be let go there.
///
/// A process whose call is longer than the limits is ended; what it did so far is told.
///
/// # Errors
/// Why it cannot be followed; it is ended then, unless it was never attached to.
pub fn trace(
    process: i32,
    limits: Limits,
    is_attached: &mut dyn FnMut(),
) -> Result<Traced, NotTraced> {
    let attached = Process::attach(process)?;
    is_attached();
    let allocators = Modules::of(process).allocators();
    let mut follower = Follower::at_mark(attached, allocators)?;
    let nothing = follower.follow(limits)?;
    follower.run_to_mark()?;
    let call = follower.follow(limits)?;
    // While the process is there: files in memory end with it.
    let mut modules = Modules::of(process);
    let traced = summary::of(&call, &nothing, follower.code(), &mut modules);
    if !call.is_cut {
        follower.release()?;
    }
    Ok(traced)
}

/// The number that the build of an ELF file was given.
#[must_use]
pub fn build_id(file: &Path) -> Option<String> {
    image::build_id(&std::fs::read(file).ok()?)
}

/// Whether the code in an ELF file has instructions of a class; `None` where that cannot be read.
#[must_use]
pub fn uses(file: &Path, class: &str) -> Option<bool> {
    let data = std::fs::read(file).ok()?;
    let image = image::Image::parse(&data)?;
    Some(image.code(&data).any(|(address, bytes)| code::has_class(address, bytes, class)))
}
