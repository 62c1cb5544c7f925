//! Implements milo's benchmark: `milo`, and `cpb primitive` with its names and JSON.

pub mod arguments;
pub mod choice;
pub mod document;
pub mod json;
pub mod names;
pub mod outcome;
pub mod places;
