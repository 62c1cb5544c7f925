//! Where implementations come from, and how to prepare and run a workload.
//!
//! A [`Library`] offers implementations of the primitives in the
//! [`catalogue`], one [`Offer`] for each backend it has. [`Library::prepare`]
//! turns an offer and its parameters into a [`Prepared`] call that an engine
//! can run any number of times. [`LIBRARIES`] is the visible list.

#![warn(unreachable_pub)]

mod buffer;
pub mod catalogue;
mod native;

pub use buffer::Buffer;
pub use catalogue::{Output, Primitive};

use cpb_model::{LibraryId, Workload};

/// An implementation of a primitive that a library has, or says it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The primitive.
    pub primitive: &'static Primitive,
    /// The backend's name.
    pub backend: &'static str,
    /// Whether the library uses this backend when not told otherwise.
    pub is_default: bool,
    /// Why it cannot run here, with the remedy; `None` where it can.
    pub unavailable: Option<String>,
}

/// Why a workload could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The library does not implement it.
    #[error("{library} has no {primitive} with backend {backend}")]
    NotOffered {
        /// The library.
        library: String,
        /// The primitive.
        primitive: String,
        /// The backend.
        backend: String,
    },
    /// It has it, but it cannot run here.
    #[error("{0}")]
    Unavailable(String),
}

/// A call that is ready to run: keys, buffers and contexts are in place.
pub trait Prepared {
    /// Makes the call `calls` times.
    fn run(&mut self, calls: u64);
    /// What the last call put out. Empty before the first.
    fn output(&self) -> &[u8];
}

/// A source of implementations.
pub trait Library {
    /// Name, version and path.
    fn id(&self) -> LibraryId;
    /// Everything it has, and what it would have on another machine.
    fn offers(&self) -> Vec<Offer>;
    /// Makes `backend`'s implementation of `workload` ready to run.
    ///
    /// # Errors
    /// [`PrepareError`], where it has none or it cannot run here.
    fn prepare(
        &self,
        workload: &Workload,
        backend: &str,
    ) -> Result<Box<dyn Prepared>, PrepareError>;
}

/// A library that can be opened by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The library's name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Opens it.
    pub open: fn() -> Box<dyn Library>,
}

/// Every library cpb knows.
pub const LIBRARIES: &[Entry] =
    &[Entry { name: "native", about: "cpb's own kernels", open: native::open }];

/// The output of the oracle, the native portable kernel, for `workload`;
/// `None` where there is none for it.
#[must_use]
pub fn reference_output(workload: &Workload) -> Option<Vec<u8>> {
    let mut prepared = native::open().prepare(workload, REFERENCE_BACKEND).ok()?;
    prepared.run(1);
    Some(prepared.output().to_vec())
}

/// The library that [`reference_output`] comes from.
pub const REFERENCE_LIBRARY: &str = "native";
/// The backend that [`reference_output`] comes from.
pub const REFERENCE_BACKEND: &str = "portable";
