//! Serves the dashboard: the contents of a store, as pages for a browser.
//!
//! | module | what it does |
//! |---|---|
//! | `server` | takes connections, and ends with those that are open |
//! | `answers` | the HTTP interface of the pages: hosts, methods, tags, compression, refusals |
//! | `page_request` | what an address requests |
//! | `site` | the store, by several connections, and what is known of it |
//! | `survey` | what takes too long to find while somebody waits: versions and steps of every series |
//! | `markup` | HTML that cannot be broken by what stands in it |
//! | `frame`, `form`, `parts`, `table`, `history`, `words` | what pages are made of |
//! | `pages` | one file for each |
//!
//! It only reads. Every page works without a script, and shows the store's current state.

#![forbid(unsafe_code)]

mod answers;
mod form;
mod frame;
mod history;
mod markup;
mod page_request;
mod pages;
mod parts;
mod server;
mod site;
mod survey;
mod table;
mod words;

pub use server::{ServeError, Server};
pub use site::Site;
