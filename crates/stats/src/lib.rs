//! Statistics for timing samples: pure, seeded functions on `f64`.
//!
//! The data has two levels. A *sample* is one timed batch of calls; a *round* is the samples of one
//! worker process. Samples inside a round agree better with each other than rounds do, so only the
//! rounds say how reproducible a figure is, and everything here that states an uncertainty takes
//! rounds, not a flat list.
//!
//! | module | what it answers |
//! |---|---|
//! | [`mod@quantile`] | where the centre of a round is, and how its samples spread around it |
//! | [`histogram`] | where the lowest sharp line of a distribution lies |
//! | [`mod@mean`] | arithmetic and geometric mean |
//! | [`estimator`] | how centres of rounds become one figure |
//! | [`bootstrap`] | how precise that figure is |
//! | [`slope`] | cost per byte and cost of an empty message from many lengths |
//! | [`joint`] | how precise slope and intercept are |
//! | [`linearity`] | whether the points lie on the line |
//! | [`positions`] | what rounds at several positions say about each, and about all |
//! | [`paired`] | whether one side is faster than another |
//! | [`mod@signed_rank`] | where the centre of paired differences lies |
//! | [`looks`] | how often a comparison may be looked at before it is decided |
//! | [`family`] | how several ratios share the accepted error |
//! | [`overall`] | what several ratios are together |
//! | [`verdicts`] | what a comparison of several lines says so far, and what needs more rounds |
//! | [`spread`] | how far values or rounds lie apart |
//! | [`mod@change_points`] | where a series of figures stepped |
//!
//! Units are the caller's: every result is in the unit of its input or, where the documentation
//! says so, relative (0.01 is one percent).
//!
//! No function panics, and none returns NaN or an infinity. Input that cannot answer the question
//! (empty, not finite, too few rounds) yields `None`. Nothing is rounded, clamped or filled in.
//!
//! ```
//! use cpb_stats::{Bootstrap, estimate, mean_of_rounds, median};
//!
//! let rounds = [vec![10.0, 10.1, 10.2], vec![10.1, 10.2, 10.4], vec![9.9, 10.0, 10.1]];
//! let cycles = estimate(&rounds, mean_of_rounds(median)).unwrap();
//! let bootstrap = Bootstrap { resamples: 200, confidence: 0.95, seed: 1 };
//! let interval = bootstrap.interval(&rounds, mean_of_rounds(median)).unwrap();
//! assert!(interval.contains(cycles));
//! ```

#![forbid(unsafe_code)]

pub mod bootstrap;
pub mod change_points;
mod distribution;
pub mod estimator;
pub mod family;
mod finite;
pub mod histogram;
pub mod interval;
pub mod joint;
pub mod linearity;
pub mod looks;
pub mod mean;
pub mod overall;
pub mod paired;
pub mod positions;
pub mod quantile;
mod rounds;
pub mod signed_rank;
pub mod slope;
pub mod spread;
pub mod verdicts;

pub use bootstrap::Bootstrap;
pub use estimator::{estimate, mean_of_rounds, median_of_rounds};
pub use family::{Family, Finding, Question};
pub use histogram::{Histogram, SharpLine};
pub use interval::Interval;
pub use joint::{LineIntervals, Point, centres};
pub use linearity::{Bend, longest_two};
pub use mean::{geometric_mean, mean};
pub use paired::{Comparison, Verdict};
pub use positions::low_mean;
pub use quantile::{
    NORMAL_CONSISTENCY, lowest_cluster, mean_between, median, median_of, midmean, midmean_of,
    modal_mean, modal_mean_of, quantile, quantile_of,
};
pub use rounds::{Layout, Rounds};
pub use slope::{Line, least_squares, lower_line, robust_line};
pub use spread::relative_range;
pub use verdicts::Verdicts;
