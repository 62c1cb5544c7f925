//! Makes documents of runs, with one file per kind of document and its parts.

mod header;
pub mod interim_table;
pub mod layout;
mod one_by_one;
mod order;
mod run;
mod scale;
mod sums;

pub use header::lines as header;
pub use order::Order;
pub use run::{RunDocument, intercept, rows_of_run};
pub use scale::ScaleDocument;
