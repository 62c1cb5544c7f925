//! What libraries stand on: opening the file of one, and its offers by what tells them apart.

mod file;
mod offers;

pub use file::Installed;
pub(crate) use file::{Loaded, file_of, load, load_file, text};
pub(crate) use offers::{Entry, Offers};
