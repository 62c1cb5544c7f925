//! What the reader of a run should know, each with cause and remedy.

use cpb_model::{ClockSummary, CycleSource, KnownLoop, Record};
use std::fmt;

/// How far a self-test may be off. What the chains leave is a tenth of that; two readings of a loop of
/// units in different surroundings are up to half of it apart.
pub const NOTABLE_SELF_TEST: f64 = 0.01;

/// What helps against neighbours.
pub const REMEDY_AGAINST_NEIGHBOURS: &str = "measure later, give more time, or use a bare-metal size or a cloud size with one thread per \
     core (EC2: ThreadsPerCore=1, C7a, M7a, R7a, Graviton)";

/// Something that disturbed a run, or limits what it can tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The core clock moved.
    ClockMoved {
        /// Lowest and highest, in Hz.
        range: (f64, f64),
        /// Whether cycles are corrected for it.
        corrected: bool,
    },
    /// Some rows are upper bounds, since a neighbour was busy on the cores'
    /// other hardware threads.
    Neighbours {
        /// Share of the time that the core was quiet.
        quiet: f64,
        /// How many rows are upper bounds.
        bounds: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// No quiet core was ever seen on this kind of CPU, so all rows are upper
    /// bounds.
    NeverQuiet,
    /// Figures are shown as figures, though a neighbour cannot be excluded.
    QuietUnproven,
    /// A loop of known cycles did not take them.
    SelfTestOff(KnownLoop),
    /// The hypervisor took time.
    Stolen {
        /// Share of the CPU's time.
        share: f64,
    },
    /// Many samples were dropped.
    ManyRejected {
        /// Share of all samples.
        share: f64,
    },
    /// Workers could not be pinned.
    NotPinned,
    /// The two calibration chains are not quite in a whole ratio.
    ChainsOff {
        /// Their ratio.
        ratio: f64,
    },
    /// The stated clock is not the one measured.
    StatedClockOff {
        /// As stated, in MHz.
        stated: f64,
        /// As the chain says, in MHz.
        measured: f64,
    },
    /// Rows whose interval stayed wide.
    NotPrecise {
        /// How many.
        rows: usize,
        /// What was asked for, to either side and relatively.
        asked: f64,
    },
    /// Rows whose turn did not come in time.
    NoTime {
        /// How many.
        rows: usize,
        /// How many there are.
        all: usize,
    },
    /// Ctrl-C was pressed before all rounds were taken.
    Interrupted,
    /// Rows with calls too long to escape preemption.
    LongCalls {
        /// How many.
        rows: usize,
    },
}

impl Warning {
    /// Whether nothing of what was measured is more than an upper bound.
    #[must_use]
    pub fn leaves_bounds_only(&self) -> bool {
        match self {
            Warning::NeverQuiet => true,
            Warning::Neighbours { bounds, rows, .. } => bounds == rows,
            _ => false,
        }
    }
}

impl Warning {
    /// What voids figures, in one line over them; the whole stands below.
    #[must_use]
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

    /// How it disturbed the run, where it did.
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

    /// What that did to the rows.
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
            Warning::LongCalls { rows } => format!(
                "{rows} {} calls over 0.3 ms (tenth percentile shown; treat as rough)",
                counted(rows, "row has", "rows have")
            ),
            _ => return None,
        })
    }
}

/// `warnings` in words: all that a noisy machine did in one sentence.
#[must_use]
pub fn format_warnings(warnings: &[Warning]) -> Vec<String> {
    let causes: Vec<String> = warnings.iter().filter_map(Warning::cause).collect();
    let effects: Vec<String> = warnings.iter().filter_map(Warning::effect).collect();
    let others = warnings.iter().filter(|it| it.cause().is_none() && it.effect().is_none());
    let rows = effects.join(", ");
    let noise = match (causes.is_empty(), effects.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("{rows}; --max-time gives longer")),
        (false, true) => Some(format!(
            "this machine was disturbed ({}); the figures hold anyway",
            causes.join(", ")
        )),
        (false, false) => Some(format!(
            "this machine was disturbed ({}): {rows}; measure again later, or give more --max-time",
            causes.join(", ")
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
            Warning::ChainsOff { ratio } => write!(
                f,
                "the clock calibration is {:.1} % off: cycles may be off by as much (see cpb \
                 doctor)",
                (ratio / ratio.round() - 1.0).abs() * 100.0
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

/// So many of the rows are upper bounds.
fn upper_bounds(bounds: usize, rows: usize) -> String {
    match (bounds, rows) {
        (1, 1) => "the row is an upper bound".to_owned(),
        (bounds, rows) if bounds == rows => format!("all {rows} rows are upper bounds"),
        (1, rows) => format!("1 of {rows} rows is an upper bound"),
        (bounds, rows) => format!("{bounds} of {rows} rows are upper bounds"),
    }
}

/// What a neighbour did to a run; `None` where no row is an upper bound.
#[must_use]
pub fn neighbours(clock: Option<&ClockSummary>, records: &[Record]) -> Option<Warning> {
    let measured = || records.iter().filter(|record| record.failure.is_none());
    let bounds = measured().filter(|record| record.is_bound()).count();
    let quiet = clock.and_then(|clock| clock.quiet).filter(|_| bounds != 0)?;
    Some(match quiet.is_never() {
        true => Warning::NeverQuiet,
        false => Warning::Neighbours { quiet: quiet.share, bounds, rows: measured().count() },
    })
}

/// The loop of known cycles that read most wrong, where one did.
#[must_use]
pub fn self_test(clock: Option<&ClockSummary>) -> Option<Warning> {
    let clock = clock?;
    let source = clock.calibrations.first().map(|calibration| calibration.cycle_source);
    let corrected = !matches!(source, Some(CycleSource::StatedClock { .. }));
    let exact = clock.known_loops.iter().filter(|known| !known.measured.upper_bound);
    let worst = exact.max_by(|a, b| a.off().abs().total_cmp(&b.off().abs()))?;
    let is_off = corrected && worst.off().abs() > NOTABLE_SELF_TEST;
    is_off.then(|| Warning::SelfTestOff(worst.clone()))
}

/// A share, with a digit behind the point where it is small.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}
