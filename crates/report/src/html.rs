//! One page that shows runs: for reading in a browser, without a network.
//!
//! The page is one file. What was measured lies in it as compact JSON (its
//! shape stands in `data`); a script without dependencies draws charts and
//! tables from it. The machine, and whether its figures can be trusted, is plain
//! HTML, readable without the script. A content security policy inside
//! the page keeps it from loading anything.

mod compared;
mod data;
mod evidence;
mod page;
mod past;
mod samples;
mod scaled;
mod section;
mod trust;
mod window;

use cpb_model::Run;

pub use compared::Paired;
pub use page::{PageContext, page, page_among, style};
pub use past::Past;
pub use section::section;

/// A run with what a page needs beside it.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// What the reader calls it.
    pub name: &'a str,
    /// What was measured.
    pub run: &'a Run,
}
