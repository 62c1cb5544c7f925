//! What is told of runs, one file for each kind of document and of its parts.

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
