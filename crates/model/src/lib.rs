//! Defines the vocabulary of cpb as types: what is measured, the result, and the evidence for it.
//! The only logic here packs samples, checks whether lengths fit, and makes text from outside
//! harmless.
//!
//!
//! These types, serialized by serde, are the JSON that cpb prints and the protocol its workers
//! speak. [`SCHEMA`] is the version of their shape.

#![forbid(unsafe_code)]

mod calibration;
mod clock;
mod code_path;
mod concurrent;
mod costs;
mod estimator;
mod figure;
mod host;
mod json;
mod layout;
mod lengths;
mod named;
mod offer;
mod operation;
mod outside;
mod point;
mod quiet;
mod raw;
mod record;
mod role;
mod samples;
mod schema;
mod setup;
mod sum;
mod wire;
mod workload;

pub use calibration::{Calibration, CycleSource};
pub use clock::{ClockSummary, KnownLoop};
pub use code_path::{CodeFunction, CodeModule, CodePath, HeapUse, ObjectsUse, TracedCall};
pub use concurrent::{Concurrent, ConcurrentRound, Loop, TimeShares};
pub use costs::{Costs, FirstUse, Spent, WrittenStack};
pub use estimator::Estimator;
pub use figure::{Figure, Interval};
pub use host::{Core, Host, Steal};
pub use json::FromJson;
pub use layout::{Layout, Position};
pub use lengths::{DoesNotFit, LARGEST_BYTES, LengthRange};
pub use offer::{
    Alignment, BenchSlopesRow, Caches, CallSpec, Contract, Lengths, LibraryBuild, Offer,
    Parameters, Security,
};
pub use operation::{Axis, Operation, OperationRow, Proof};
pub use outside::{FromOutside, find_harmful, harmless, is_harmless};
pub use point::{Cost, EventCounts, LongCalls, Point, RejectionSampling, SerialCalls};
pub use quiet::{Certainty, CoreProfile, GateLoop, Quiet, Reason, WindowCurve, WindowPoint};
pub use raw::{NotPacked, RawRound, RawRounds};
pub use record::{
    Failure, FailureKind, Fit, FitRange, Line, Method, Misfit, Record, Run, Subject, Verification,
};
pub use role::Role;
pub use samples::Samples;
pub use schema::SCHEMA;
pub use setup::Setup;
pub use sum::{Part, Sum};
pub use workload::{NotAWorkload, Standard, Workload, standard};
