//! Defines how implementations offer themselves to cpb, and how cpb calls them.
//!
//! A [`Library`] has one offer per implementation of a primitive, and makes a [`Prepared`] call
//! from an offer and its [`Inputs`]. `cpb_provider.h` defines the same in C. This crate has both
//! sides of it: [`open_file`] and [`start`] load a file with that interface as a [`Library`];
//! [`provider!`] exports a [`Library`] written in Rust, for which [`Table`] is the shortest way.

#![allow(unsafe_code, reason = "the C interface")]
#![warn(missing_docs, unreachable_pub)]

mod abi;
pub mod acceptance;
mod artefacts;
pub mod attempts;
pub mod buffer;
mod call;
pub mod codec;
pub mod dependence;
mod error;
mod export;
pub mod first_use;
mod host;
pub mod inputs;
mod library;
mod prepare;
pub mod scheme;
pub mod seeds;
pub mod sizes;
mod table;
mod word;

pub use abi::{Provider as RawProvider, c_text};
pub use artefacts::put_out;
pub use buffer::{Buffer, NoMemory};
pub use call::{call, call_with_key, worked};
pub use error::{OpenError, PrepareError};
pub use export::export;
pub use host::{Provider, as_file, loader_words, open_file, open_file_for, start};
pub use inputs::{Case, Inputs};
pub use library::{Identity, Library, PrepareResult, Prepared};
pub use prepare::{inputs_of_cases, prepare, prepare_cases};
pub use sizes::{DEFAULT_OUTPUT_BYTES, Sizes};
pub use table::{Implementation, Table, key_line, line, rsa_lines};
pub use word::{FeedTarget, Word};

/// Exports a [`Library`] as a provider, given its name, its version, and the function that opens
/// it.
#[macro_export]
macro_rules! provider {
    ($name:expr, $version:expr, $library:expr) => {
        /// The entry point of `cpb_provider.h`.
        #[allow(unsafe_code, reason = "the name is that of cpb_provider.h, and nobody else's")]
        #[unsafe(no_mangle)]
        pub extern "C" fn cpb_provider_v2() -> *const $crate::RawProvider {
            $crate::export($name, $version, || Box::new($library))
        }
    };
}
