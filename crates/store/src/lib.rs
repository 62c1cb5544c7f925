//! Saves runs with their records and raw samples, in an SQLite file or a PostgreSQL database.
//!
//! A run is saved in one transaction: it exists entirely or not at all, whenever the process or the
//! machine stops. Several processes may use one store at once. A store that is damaged, newer, or
//! of another program is rejected ([`StoreError`]) and left unchanged.

#![forbid(unsafe_code)]

#[cfg(feature = "postgres")]
mod address;
mod bounded;
mod database;
mod document;
mod error;
mod history;
mod insert;
mod label;
mod limit;
mod location;
mod location_error;
mod machine;
mod name;
#[cfg(not(feature = "postgres"))]
mod no_postgres;
mod outbox;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod redaction;
mod renew;
mod series;
mod sqlite;
mod store;

#[cfg(feature = "postgres")]
pub use address::Address;
pub use bounded::{Bounded, from_bounded, from_json};
pub use error::StoreError;
pub use history::{Reading, RunEntry};
pub use limit::Limit;
pub use location::{StoreLocation, default_path};
pub use location_error::LocationError;
pub use machine::{Machine, State};
pub use name::Name;
#[cfg(not(feature = "postgres"))]
pub use no_postgres::Address;
pub use outbox::Sent;
pub use queries::{Among, Mark};
pub use redaction::without_passwords;
pub use series::{Build, CHECKOUTS, COMMIT_DIGITS, Series, lane};
pub use store::Store;
