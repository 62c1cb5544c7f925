//! The words of cpb as types: what is measured, what came out, and what is
//! needed to believe it. No logic lives here.
//!
//! Everything serialises with serde; these types are the JSON that cpb prints
//! and the lines its workers speak. [`SCHEMA`] counts the shape's versions.

#![forbid(unsafe_code)]

mod calibration;
mod host;
mod record;
mod samples;
mod workload;

pub use calibration::{Calibration, CycleSource};
pub use host::{Core, Host, Steal};
pub use record::{
    ClockSummary, Failure, FailureKind, Figure, Interval, Line, LongCalls, Method, Point, Record,
    Run, Subject, Verification,
};
pub use samples::Samples;
pub use workload::{
    Alignment, Contract, Lengths, LibraryId, Offer, Operation, Parameters, RowName, Workload,
};

/// The version of the JSON shape. It grows when a reader of the old shape
/// would misread the new one.
pub const SCHEMA: u32 = 1;
