//! The libraries a worker can open: the real ones, and cpb's own test of
//! itself.

use crate::selftest;
use cpb_libraries::{Entry, LIBRARIES, Library};

/// Every library that can be measured, real ones first.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let mut entries = LIBRARIES.to_vec();
    entries.push(selftest::ENTRY);
    entries
}

/// Opens the library called `name`; `None` where there is none.
#[must_use]
pub fn open(name: &str) -> Option<Box<dyn Library>> {
    entries().into_iter().find(|entry| entry.name == name).map(|entry| (entry.open)())
}
