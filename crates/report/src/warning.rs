//! Defines what the reader of a run must know, each with cause and remedy.

use cpb_model::{ClockSummary, CycleSource, KnownLoop, Record};
use std::fmt;

/// The accepted certain deviation of a self-test. The chains contribute a tenth of it; two readings of
/// a unit loop in different surroundings differ by up to half.
pub const NOTABLE_SELF_TEST: f64 = 0.01;

/// The relative half width of an interval above which a warning is given.
pub const NOTABLE_WIDTH: f64 = 0.05;

/// The remedy against neighbours.
pub const REMEDY_AGAINST_NEIGHBOURS: &str = "measure later, give more time, or use a bare-metal size or a cloud size with one thread per \
     core (EC2: ThreadsPerCore=1, C7a, M7a, R7a, Graviton)";

/// Something that disturbed a run, or limits its results.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The core clock moved in this range, in Hz; cycles may be corrected for it.
    ClockMoved { range: (f64, f64), corrected: bool },
    /// Some of the rows are upper bounds, because a neighbour was busy on the cores' other hardware
    /// threads, so that the core was quiet for only this share of the time.
    Neighbours { quiet: f64, bounds: usize, rows: usize },
    /// No quiet core was ever seen on this kind of CPU, so all rows are upper bounds.
    NeverQuiet,
    /// Figures are shown although a neighbour cannot be excluded.
    QuietUnproven,
    /// A loop of known cycles deviated.
    SelfTestOff(KnownLoop),
    /// The hypervisor took this share of the CPU's time.
    Stolen { share: f64 },
    /// Many samples, this share of all, were dropped.
    ManyRejected { share: f64 },
    /// Workers could not be pinned.
    NotPinned,
    /// The ratio of the two calibration chains is this far from a whole one, relatively.
    ChainsOff { share: f64 },
    /// The stated clock differs from the measured one, both in MHz.
    StatedClockOff { stated: f64, measured: f64 },
    /// Rows whose interval stayed wider than the requested relative half-width.
    NotPrecise { rows: usize, asked: f64 },
    /// Rows with intervals wider than [`NOTABLE_WIDTH`], of which the widest has this relative half
    /// width, if no precision was asked for: tables of the old tools do not show intervals.
    Wide { rows: usize, widest: f64 },
    /// Some of all rows were not reached in time.
    NoTime { rows: usize, all: usize },
    /// The run was interrupted before all rounds were taken.
    Interrupted,
    /// Rows with calls too long to escape preemption.
    LongCalls { rows: usize },
}

impl Warning {
    /// Whether it makes all figures upper bounds.
    pub fn leaves_bounds_only(&self) -> bool {
        match self {
            Warning::NeverQuiet => true,
            Warning::Neighbours { bounds, rows, .. } => bounds == rows,
            _ => false,
        }
    }

    /// Returns one line about what voids figures, to be shown above them; the full text is below.
    pub fn in_short(&self) -> String {
        match *self {
            Warning::NeverQuiet => "NEVER QUIET: all figures are upper bounds".to_owned(),
            Warning::Neighbours { .. } => {
                "NOT QUIET FOR LONG ENOUGH: all figures are upper bounds".to_owned()
            }
            Warning::QuietUnproven => {
                "quiet is not proven: a constant neighbour would not show (cpb doctor)".to_owned()
            }
            Warning::SelfTestOff(_) => {
                "CYCLES ARE WRONG: the self-test failed (cpb doctor)".to_owned()
            }
            _ => self.to_string(),
        }
    }

    /// Describes how it disturbed the run, if it did.
    fn cause(&self) -> Option<String> {
        Some(match *self {
            Warning::ClockMoved { range: (low, high), corrected: true } => {
                format!("its clock moved between {:.2} and {:.2} GHz", low / 1e9, high / 1e9)
            }
            Warning::Neighbours { quiet, .. } => {
                format!("its core was quiet {} of the time", percent(quiet))
            }
            Warning::NeverQuiet => "its core was never quiet".to_owned(),
            Warning::Stolen { share } => {
                format!("its hypervisor took {} of the time", percent(share))
            }
            Warning::ManyRejected { share } => {
                format!("{} of the samples were dropped", percent(share))
            }
            _ => return None,
        })
    }

    /// Describes its effect on the rows.
    fn effect(&self) -> Option<String> {
        Some(match *self {
            Warning::Neighbours { bounds, rows, .. } => {
                format!(
                    "{bounds} of {rows} rows {} (≤)",
                    counted(bounds, "is a bound", "are bounds")
                )
            }
            Warning::NeverQuiet => "all rows are bounds (≤)".to_owned(),
            Warning::NotPrecise { rows, asked } => format!(
                "{rows} {} less precise than ±{:.2} % (marked ~)",
                counted(rows, "row is", "rows are"),
                asked * 100.0
            ),
            Warning::Wide { rows, widest } => format!(
                "{rows} {} by more than ±{:.0} %, up to ±{:.0} %",
                counted(rows, "row is uncertain", "rows are uncertain"),
                NOTABLE_WIDTH * 100.0,
                widest * 100.0
            ),
            Warning::LongCalls { rows } => format!(
                "{rows} {} calls over 0.3 ms (tenth percentile shown; treat as rough)",
                counted(rows, "row has", "rows have")
            ),
            _ => return None,
        })
    }
}

/// Formats `warnings`, with all effects of a noisy machine in one sentence.
pub fn format_warnings(warnings: &[Warning]) -> Vec<String> {
    let causes: Vec<String> = warnings.iter().filter_map(Warning::cause).collect();
    let effects: Vec<String> = warnings.iter().filter_map(Warning::effect).collect();
    let others = warnings.iter().filter(|it| it.cause().is_none() && it.effect().is_none());
    let rows = effects.join(", ");
    // Commands that know no precision to ask for are given trials or rounds, not only time.
    let by_time = !warnings.iter().any(|it| matches!(it, Warning::Wide { .. }));
    let noise = match (causes.is_empty(), effects.is_empty()) {
        (true, true) => None,
        (true, false) if by_time => Some(format!("{rows}; --max-time gives longer")),
        (true, false) => Some(format!("{rows}; measure for longer")),
        (false, true) => Some(format!(
            "this machine was disturbed ({}); the figures hold anyway",
            causes.join(", ")
        )),
        (false, false) => Some(format!(
            "this machine was disturbed ({}): {rows}; measure again later, or {}",
            causes.join(", "),
            if by_time { "give more --max-time" } else { "for longer" }
        )),
    };
    noise.into_iter().chain(others.map(ToString::to_string)).collect()
}

fn counted<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Warning::ClockMoved { range: (low, high), corrected } => write!(
                f,
                "the core clock moved between {:.2} and {:.2} GHz; {}",
                low / 1e9,
                high / 1e9,
                if corrected {
                    "cycles are corrected for it, times are not"
                } else {
                    "neither cycles nor times are corrected for it: leave out --cpu-mhz, or fix \
                     the clock"
                }
            ),
            Warning::Neighbours { quiet, bounds, rows } => write!(
                f,
                "the core was quiet {} of the time, since another machine shares it: {} (≤); \
                 {REMEDY_AGAINST_NEIGHBOURS}",
                percent(quiet),
                upper_bounds(bounds, rows),
            ),
            Warning::NeverQuiet => write!(
                f,
                "the core was never idle: all figures are upper bounds (≤), since another machine \
                 shares it; {REMEDY_AGAINST_NEIGHBOURS}"
            ),
            Warning::QuietUnproven => f.write_str(
                "quiet is not proven: a constant neighbour on the core's other hardware thread cannot be ruled out (see cpb doctor)",
            ),
            Warning::SelfTestOff(KnownLoop { ref name, known, measured }) => write!(
                f,
                "{name} read {:.4} cycles where {known:.4} is right: this machine cannot tell \
                 cycles now; try again later, or see cpb doctor",
                measured.estimate
            ),
            Warning::NotPinned => f.write_str(
                "the workers are not pinned to a CPU: the kernel does not tell which are allowed",
            ),
            Warning::ChainsOff { share } => write!(
                f,
                "the clock calibration is {} off: cycles may be off by as much (see cpb doctor)",
                percent(share)
            ),
            Warning::StatedClockOff { stated, measured } => write!(
                f,
                "the stated clock is {stated:.0} MHz, but the core ran at {measured:.0} MHz; \
                 leave it out to use the measured one"
            ),
            Warning::NoTime { rows, all } => write!(
                f,
                "{rows} of {all} rows {} not measured, since no time was left; --max-time gives \
                 more",
                counted(rows, "was", "were")
            ),
            Warning::Interrupted => f.write_str(
                "interrupted: figures are from fewer rounds than were asked for, or missing",
            ),
            _ => f.write_str(&self.cause().or_else(|| self.effect()).unwrap_or_default()),
        }
    }
}

/// Describes how many rows are upper bounds.
fn upper_bounds(bounds: usize, rows: usize) -> String {
    match (bounds, rows) {
        (1, 1) => "the row is an upper bound".to_owned(),
        (bounds, rows) if bounds == rows => format!("all {rows} rows are upper bounds"),
        (1, rows) => format!("1 of {rows} rows is an upper bound"),
        (bounds, rows) => format!("{bounds} of {rows} rows are upper bounds"),
    }
}

/// Returns the warning about a neighbour; `None` if no row is an upper bound.
pub fn neighbours(clock: Option<&ClockSummary>, records: &[Record]) -> Option<Warning> {
    let measured = || records.iter().filter(|record| record.failure.is_none());
    let bounds = measured().filter(|record| record.is_bound()).count();
    let quiet = clock.and_then(|clock| clock.quiet).filter(|_| bounds != 0)?;
    Some(match quiet.is_never() {
        true => Warning::NeverQuiet,
        false => Warning::Neighbours { quiet: quiet.share, bounds, rows: measured().count() },
    })
}

/// Returns the loop of known cycles with the largest certain deviation, if it exceeds the limit. A few
/// samples of a loop beside a neighbour may be far off without that anything else is.
pub fn self_test(clock: Option<&ClockSummary>) -> Option<Warning> {
    let clock = clock?;
    let source = clock.calibrations.first().map(|calibration| calibration.cycle_source);
    let corrected = !matches!(source, Some(CycleSource::StatedClock { .. }));
    let exact = clock.known_loops.iter().filter(|known| !known.measured.upper_bound);
    let off = |known: &&KnownLoop| known.least_off().abs();
    let worst = exact.max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let is_off = corrected && off(&worst) > NOTABLE_SELF_TEST;
    is_off.then(|| Warning::SelfTestOff(worst.clone()))
}

/// Formats a share, with a decimal if it is small.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Figure, Interval};

    fn read(estimate: f64, half_width: f64) -> Option<Warning> {
        let known_loop = |name: &str, known: f64, half_width: f64| {
            let (low, high) = (estimate - half_width, estimate + half_width);
            let interval = Some(Interval { low, high, confidence: 0.95 });
            KnownLoop { name: name.to_owned(), known, measured: Figure::new(estimate, interval) }
        };
        let known_loops = vec![
            known_loop("chain-logic", estimate, 0.0),
            known_loop("loop-integers", 0.25, half_width),
            known_loop("loop-vectors", 0.1, 1.0),
        ];
        self_test(Some(&ClockSummary { known_loops, ..ClockSummary::default() }))
    }

    #[test]
    fn cycles_are_wrong_only_where_that_is_certain() {
        assert_eq!(read(0.2517, 0.0001), None, "less than a percent");
        assert_eq!(read(0.265, 0.02), None, "it may be right");
        assert_eq!(read(0.265, 0.0135), None, "it may be half a percent off");
        for (estimate, half_width) in [(0.254, 0.0001), (0.265, 0.01), (0.24, 0.002)] {
            let Some(Warning::SelfTestOff(known)) = read(estimate, half_width) else {
                panic!("{estimate} ± {half_width} is said to be right");
            };
            assert_eq!((known.name.as_str(), known.measured.estimate), ("loop-integers", estimate));
        }
        let measured = Figure::new(0.254, None);
        let known_loops = vec![KnownLoop { name: "x".to_owned(), known: 0.25, measured }];
        let clock = ClockSummary { known_loops, ..ClockSummary::default() };
        assert!(self_test(Some(&clock)).is_some(), "without an interval the estimate decides");
    }
}
