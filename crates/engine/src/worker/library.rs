//! Opens the library of a specification, in the process that this is called in.

use crate::plan::library::LibrarySpec;
use crate::recursive::library as recursive;
use crate::selftest;
use cpb_libraries::{Library, OpenError};
use cpb_model::{LibraryBuild, Offer};

/// Opens a library in this process, which it may crash.
pub(super) fn open(spec: &LibrarySpec) -> Result<Box<dyn Library>, OpenError> {
    match (spec.name.as_str(), &spec.index) {
        (selftest::NAME, _) => Ok(selftest::open()),
        (recursive::NAME, _) => Ok(recursive::open()),
        (_, Some(index)) => cpb_libraries::index::open(index),
        (name, None) => cpb_libraries::open(name, spec.path.as_deref()),
    }
}

/// Opens a library for this offer alone. Built-in libraries have nothing to open, and the
/// implementations of source folders are opened one by one.
pub(super) fn open_for(spec: &LibrarySpec, wanted: &Offer) -> Result<Box<dyn Library>, OpenError> {
    let is_known = ![selftest::NAME, recursive::NAME].contains(&spec.name.as_str());
    match spec.index {
        None if is_known => cpb_libraries::open_for(&spec.name, spec.path.as_deref(), Some(wanted)),
        _ => open(spec),
    }
}

/// Identifies an opened library.
pub(super) fn identify(spec: &LibrarySpec, library: &dyn Library) -> LibraryBuild {
    let identity = library.identity();
    LibraryBuild {
        label: spec.label(),
        name: spec.library().to_owned(),
        version: identity.version,
        banner: identity.banner,
        path: identity.path,
        digest: None,
        commit: None,
        code_path: identity.code_path,
    }
}
