//! Makes a page that shows runs in a browser, without network access.
//!
//! The page is a single file. It contains the results as compact JSON (`data` describes its shape),
//! from which a script without dependencies draws charts and tables. The machine, and whether its
//! figures can be trusted, is plain HTML, readable without the script. A content security policy
//! keeps the page from loading anything.

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

pub use page::{PageContext, page, page_among, style};
pub use past::Past;
pub use section::section;
