//! What the reader of a run should know, each with cause and remedy.

use cpb_model::{Calibration, ClockSummary, CycleSource, Host, LongCalls, Record, Steal};
use std::fmt;

/// Clock movement above which it is mentioned: where it makes figures wrong,
/// and where they are corrected for it.
const NOTABLE_DRIFT: f64 = 0.02;
const NOTABLE_CORRECTED_DRIFT: f64 = 0.15;
const NOTABLE_BUSY: f64 = 0.05;
const NOTABLE_BUSY_ACCEPTED: f64 = 0.01;
const NOTABLE_STEAL: f64 = 0.005;
const NOTABLE_REJECTIONS: f64 = 0.1;
const NOTABLE_CHAIN_DEVIATION: f64 = 0.005;
const NOTABLE_STATED_DEVIATION: f64 = 0.02;

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
    /// The other hardware thread of the core was busy at times.
    BusySibling {
        /// Share of all samples during which it was.
        share: f64,
        /// Share of the accepted samples during which it was.
        accepted: f64,
    },
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
    },
    /// Ctrl-C was pressed before all rounds were taken.
    Interrupted,
    /// Rows with calls too long to dodge preemption.
    LongCalls {
        /// How many.
        rows: usize,
    },
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
            Warning::BusySibling { share, accepted } => write!(
                f,
                "the other hardware thread of this core was busy during {:.0} % of the samples; \
                 {}; measure on another core, or keep that thread idle",
                share * 100.0,
                if accepted > NOTABLE_BUSY_ACCEPTED {
                    "waiting for it took too long, and figures may be too high"
                } else {
                    "those were dropped"
                }
            ),
            Warning::Stolen { share } => write!(
                f,
                "the hypervisor took {:.1} % of the CPU's time; measure when its other guests \
                 are quiet",
                share * 100.0
            ),
            Warning::ManyRejected { share } => write!(
                f,
                "{:.0} % of the samples were dropped, since the clock changed or the process was \
                 interrupted around them; stop other work on this machine",
                share * 100.0
            ),
            Warning::NotPinned => f.write_str(
                "the workers are not pinned to a CPU: the kernel does not tell which are allowed",
            ),
            Warning::ChainsOff { ratio } => write!(
                f,
                "the calibration chains are in the ratio {ratio:.4}, which should be whole; \
                 cycles may be off by as much (see cpb doctor)"
            ),
            Warning::StatedClockOff { stated, measured } => write!(
                f,
                "the stated clock is {stated:.0} MHz, but the core ran at {measured:.0} MHz; \
                 leave it out to use the measured one"
            ),
            Warning::NotPrecise { rows } => write!(
                f,
                "{rows} {} did not become as precise as asked before time was up; allow more \
                 with --max-time, or ask for less with --precision",
                if rows == 1 { "row" } else { "rows" }
            ),
            Warning::Interrupted => f.write_str(
                "interrupted: figures are from fewer rounds than were asked for, or missing",
            ),
            Warning::LongCalls { rows } => write!(
                f,
                "{rows} {} calls too long to dodge preemption; for these the tenth percentile \
                 stands in for the median",
                if rows == 1 { "row has" } else { "rows have" }
            ),
        }
    }
}

/// What there is to say of a run.
#[must_use]
pub fn warnings(
    host: &Host,
    clock: Option<&ClockSummary>,
    steal: Option<Steal>,
    records: &[Record],
) -> Vec<Warning> {
    let mut found = Vec::new();
    if host.allowed_cpus.is_empty() {
        found.push(Warning::NotPinned);
    }
    if let Some(clock) = clock {
        of_the_clock(clock, &mut found);
    }
    if let Some(Steal { share }) = steal.filter(|steal| steal.share > NOTABLE_STEAL) {
        found.push(Warning::Stolen { share });
    }
    let not_precise = records.iter().filter(|record| record.precise == Some(false)).count();
    if not_precise != 0 {
        found.push(Warning::NotPrecise { rows: not_precise });
    }
    let is_long = |record: &&Record| {
        record.points.iter().any(|point| point.long_calls == Some(LongCalls::LowQuantile))
    };
    let long = records.iter().filter(is_long).count();
    if long != 0 {
        found.push(Warning::LongCalls { rows: long });
    }
    found
}

fn of_the_clock(clock: &ClockSummary, found: &mut Vec<Warning>) {
    let source = clock.calibrations.first().map(|calibration| calibration.cycle_source);
    let (low, high) = clock.core_hertz_range;
    let corrected = !matches!(source, Some(CycleSource::StatedClock { .. }));
    let notable = if corrected { NOTABLE_CORRECTED_DRIFT } else { NOTABLE_DRIFT };
    if high / low - 1.0 > notable {
        found.push(Warning::ClockMoved { range: clock.core_hertz_range, corrected });
    }
    let taken = (clock.samples + clock.rejected + clock.busy).max(1) as f64;
    let busy = (clock.busy + clock.busy_accepted) as f64 / taken;
    let busy_accepted = clock.busy_accepted as f64 / clock.samples.max(1) as f64;
    if busy > NOTABLE_BUSY || busy_accepted > NOTABLE_BUSY_ACCEPTED {
        found.push(Warning::BusySibling { share: busy, accepted: busy_accepted });
    }
    let share = clock.rejected as f64 / taken;
    if share > NOTABLE_REJECTIONS {
        found.push(Warning::ManyRejected { share });
    }
    let ratios: Vec<f64> = clock.calibrations.iter().map(|c| c.chain_ratio).collect();
    let ratio = cpb_stats::median_of(&ratios);
    if let Some(ratio) = ratio.filter(|r| (r / r.round() - 1.0).abs() > NOTABLE_CHAIN_DEVIATION) {
        found.push(Warning::ChainsOff { ratio });
    }
    if let Some(CycleSource::StatedClock { megahertz }) = source {
        let measured: Vec<f64> = clock.calibrations.iter().filter_map(chain_megahertz).collect();
        if let Some(measured) = cpb_stats::median_of(&measured)
            .filter(|measured| (measured / megahertz - 1.0).abs() > NOTABLE_STATED_DEVIATION)
        {
            found.push(Warning::StatedClockOff { stated: megahertz, measured });
        }
    }
}

/// The core clock as the chain saw it while calibrating.
fn chain_megahertz(calibration: &Calibration) -> Option<f64> {
    Some(calibration.chain_hertz? / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> ClockSummary {
        ClockSummary {
            name: "amd64-tsc+chain".to_owned(),
            calibrations: Vec::new(),
            core_hertz: 4.3e9,
            core_hertz_range: (4.29e9, 4.31e9),
            samples: 1000,
            rejected: 3,
            busy: 2,
            busy_accepted: 0,
        }
    }

    fn host() -> Host {
        Host { allowed_cpus: vec![0, 1], ..Host::default() }
    }

    #[test]
    fn a_quiet_machine_brings_no_warning() {
        assert_eq!(warnings(&host(), Some(&clock()), Some(Steal { share: 0.0 }), &[]), []);
    }

    #[test]
    fn each_disturbance_is_told() {
        let disturbed = ClockSummary {
            core_hertz_range: (3.0e9, 4.3e9),
            rejected: 500,
            busy: 500,
            busy_accepted: 200,
            ..clock()
        };
        let found = warnings(&Host::default(), Some(&disturbed), Some(Steal { share: 0.02 }), &[]);
        let text: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 5, "{text:#?}");
        assert!(text.iter().any(|t| t.contains("between 3.00 and 4.30 GHz")));
        assert!(text.iter().any(|t| t.contains("busy during 35 %") && t.contains("too high")));
        assert!(text.iter().any(|t| t.contains("took 2.0 %")));
        assert!(text.iter().any(|t| t.contains("25 % of the samples")));
    }
}
