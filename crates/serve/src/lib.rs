//! Serves the dashboard: the contents of a store, as pages for a browser.
//!
//! | module | what it does |
//! |---|---|
//! | `server` | accepts connections, and finishes running responses at the end |
//! | `answers` | the HTTP interface of the pages: hosts, methods, tags, compression, errors |
//! | `page_request` | parses the address of a request |
//! | `site` | shares the store between connections, with its findings |
//! | `survey` | finds the versions and steps of every series in the background |
//! | `markup` | HTML in which every text is escaped |
//! | `frame`, `form`, `parts`, `table`, `history`, `words` | the parts of pages |
//! | `pages` | one file for each page |
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
