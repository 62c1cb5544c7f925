//! Runs that last: a SQLite file of every run with its records and raw
//! samples.
//!
//! A run is saved in one transaction: it is there whole or not at all,
//! whenever the process or the machine ends. Several processes may use one
//! file at once. A file that is damaged, newer, or of another program is
//! refused ([`StoreError`]) and left as it is.

#![forbid(unsafe_code)]

mod bounded;
mod document;
mod error;
mod history;
mod insert;
mod label;
mod place;
mod schema;
mod series;
mod store;

pub use bounded::{Bounded, from_json};
pub use error::StoreError;
pub use history::{Reading, RunEntry};
pub use place::{default_path, is_path};
pub use series::Series;
pub use store::{Name, Store};
