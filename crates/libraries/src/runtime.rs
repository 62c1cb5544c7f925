//! What every adapter stands on: opening a library, its functions by symbol, its offers
//! by what tells them apart, and calls that repeat.
//!
//! An adapter is tables over this: what is offered, and one type with a [`Call`] for each
//! family of primitives.

mod call;
mod file;
mod memory;
mod offers;
mod owned;
#[cfg(test)]
mod prototypes;
mod symbols;
mod turns;

pub(crate) use call::{Call, ErrorText, ready};
pub use file::Installed;
pub(crate) use file::{Loaded, file_of, load, load_file};
pub(crate) use memory::Memory;
pub(crate) use offers::{Entry, Offers, offer, row};
pub(crate) use owned::{Owned, text};
#[cfg(test)]
pub(crate) use prototypes::agree_with_headers;
pub(crate) use symbols::symbols;
pub(crate) use turns::{Task, Turn, turns};
