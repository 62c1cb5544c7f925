//! Shows a fleet run: the outcomes of its nodes, and their figures.

mod report;
mod status;

pub(crate) use report::Report;
pub(crate) use status::Status;
