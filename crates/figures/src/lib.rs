//! Turns samples into cycles, cycles into figures, and compares figures.
//!
//! | module | what it determines |
//! |---|---|
//! | [`cycles`] | how many core cycles a sample took |
//! | `draws` | the same for calls with rejection sampling, at the expected attempts |
//! | [`quiet_criterion`] | which samples count |
//! | [`point_samples`] | the rounds of one workload, summarised |
//! | [`estimates`] | the figures of a row: its points and its line |
//! | [`mod@recompute`] | the same from the raw samples of a saved run |
//! | [`headline`] | which figure represents a row, and its unit |
//! | [`state`] | what a reader must know about a row besides its figures |
//! | [`ranking`] | which rows of equal work are fastest |
//! | [`ratio`] | the ratio of two figures, either of which may be a bound |
//! | [`matching`] | which rows of two runs have the same workload |
//! | [`comparison`] | how a later run compares with the first |
//! | [`scaling`] | how far a workload scales, and what limits it |
//! | [`tolerance`] | whether a row became slower than tolerated |
//!
//! Everything here is pure; the statistics are in `cpb-stats`.

#![forbid(unsafe_code)]

pub mod comparison;
pub mod cycles;
mod draws;
pub mod estimates;
pub mod headline;
pub mod matching;
pub mod point_samples;
pub mod quiet_criterion;
pub mod ranking;
pub mod ratio;
pub mod recompute;
mod round;
pub mod scaling;
pub mod state;
#[doc(hidden)]
pub mod testing;
pub mod tolerance;

pub use comparison::{
    CONFIDENCE, LengthPair, RowPair, RunComparison, USUAL_LENGTHS, USUAL_PRECISION, compare,
};
pub use cycles::{chain_hertz, core_hertz, cycles_of_kept, cycles_per_call};
pub use estimates::{
    EstimateSpec, FEWEST_ROUNDS, bootstrap, figure, is_behind, is_precise, middle_of_runs, of_runs,
};
pub use headline::{Unit, headline_figure, per_byte};
pub use matching::{LibraryNames, Matched, matched};
pub use point_samples::{PointSamples, add_round, cells};
pub use quiet_criterion::{QuietCriterion, agree, agree_within, cycles_per_operation};
pub use ranking::{Group, Ranked, Standing, across, groups, groups_at};
pub use ratio::{Ratio, RatioBound, verdict_name};
pub use recompute::{other_estimator, recompute, renew};
pub use round::{LOW_QUANTILE, centre_of};
pub use state::RowFlag;
pub use tolerance::{GateVerdict, Status, Tolerance, WorstRatio};
