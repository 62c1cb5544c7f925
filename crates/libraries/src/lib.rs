//! Opens the libraries that implementations come from: each as a [`Library`].
//!
//! [`LIBRARIES`] lists those known by name; [`open()`] also accepts the path of any library with the
//! interface of `cpb_provider.h`. Parameters may come from anywhere: [`Sizes`] resolves them
//! against an offer, or rejects them.
//!
//! Opening a library runs its code, so do it in a process that may crash.

#![allow(unsafe_code, reason = "calls into C")]
#![warn(unreachable_pub)]

mod catalogue;
mod children;
mod elf;
mod entry;
pub mod folder;
pub mod index;
pub mod inspect;
pub mod key_answers;
pub mod known_answers;
mod marks;
mod native;
mod open;
mod painted;
pub mod placement;
mod runtime;
pub mod sandbox;
mod shim;

pub use catalogue::canonical::canonical as canonical_name;
pub use catalogue::{families, names, rare};
pub use children::{go_on_supervised, leave};
pub use cpb_provider::{
    Buffer, DEFAULT_OUTPUT_BYTES, Identity, Inputs, Library, NoMemory, OpenError, PrepareError,
    PrepareResult, Prepared, Sizes, acceptance, attempts, buffer, codec, dependence, first_use,
    inputs_of_cases, prepare, scheme, seeds,
};
pub use entry::{Entry, LIBRARIES, Opened, shims};
pub use index::{Build, Index};
pub use marks::{between_marks, made_between_marks};
pub use native::{NAME as NATIVE, REFERENCE_BACKEND};
pub use open::{LOADS_LIBRARIES, open, open_for};
pub use painted::stack_written;
pub use runtime::Installed;
pub use shim::{Built, Shim, install_shims};
