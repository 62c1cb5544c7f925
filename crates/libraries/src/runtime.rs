//! Opens library files, and finds offers.

mod file;
mod offers;

pub use file::Installed;
pub(crate) use file::{Loaded, file_of, load, load_file, text};
pub(crate) use offers::{Entry, Offers};
