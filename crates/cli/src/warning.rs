//! Finds what the reader of a run must know.

use cpb_model::{Calibration, ClockSummary, CycleSource, Host, LongCalls, Record, Steal};
use cpb_report::warning::{neighbours, self_test};

pub(crate) use cpb_report::warning::{
    NOTABLE_SELF_TEST, NOTABLE_WIDTH, REMEDY_AGAINST_NEIGHBOURS, Warning, format_warnings,
};

/// Clock movement above which a warning is given: if it makes figures wrong, and if they are
/// corrected for it.
const NOTABLE_DRIFT: f64 = 0.02;
const NOTABLE_CORRECTED_DRIFT: f64 = 0.15;
/// The share of the CPU's time that a hypervisor may take unmentioned.
pub(crate) const NOTABLE_STEAL: f64 = 0.005;
const NOTABLE_REJECTIONS: f64 = 0.1;
const NOTABLE_CHAIN_DEVIATION: f64 = 0.005;
const NOTABLE_STATED_DEVIATION: f64 = 0.02;

/// Returns the warnings about a run.
pub(crate) fn warnings(
    host: &Host,
    clock: Option<&ClockSummary>,
    steal: Option<Steal>,
    records: &[Record],
    asked: Option<f64>,
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
    found.extend(neighbours(clock, records));
    let rows = records.iter().filter(|record| record.precise == Some(false)).count();
    if let Some(asked) = asked.filter(|_| rows != 0) {
        found.push(Warning::NotPrecise { rows, asked });
    }
    if asked.is_none() {
        let wide: Vec<f64> =
            records.iter().filter_map(widest).filter(|it| *it > NOTABLE_WIDTH).collect();
        if let Some(widest) = wide.iter().copied().reduce(f64::max) {
            found.push(Warning::Wide { rows: wide.len(), widest });
        }
    }
    let is_late = |record: &&Record| record.failure.as_ref() == Some(&cpb_engine::no_time());
    let late = records.iter().filter(is_late).count();
    if late != 0 {
        found.push(Warning::NoTime { rows: late, all: records.len() });
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

/// Returns the relative half width of the widest interval of a record's lengths.
fn widest(record: &Record) -> Option<f64> {
    let figures = record.points.iter().map(|point| point.cycles_per_call);
    figures.filter_map(|it| it.relative_half_width()).reduce(f64::max)
}

fn of_the_clock(clock: &ClockSummary, found: &mut Vec<Warning>) {
    let source = clock.calibrations.first().map(|calibration| calibration.cycle_source);
    let (low, high) = clock.core_hertz_range;
    let corrected = !matches!(source, Some(CycleSource::StatedClock { .. }));
    let notable = if corrected { NOTABLE_CORRECTED_DRIFT } else { NOTABLE_DRIFT };
    if high / low - 1.0 > notable {
        found.push(Warning::ClockMoved { range: clock.core_hertz_range, corrected });
    }
    let taken = (clock.samples + clock.rejected).max(1) as f64;
    let share = clock.rejected as f64 / taken;
    if share > NOTABLE_REJECTIONS {
        found.push(Warning::ManyRejected { share });
    }
    // A busy moment changes the ratio in one process; a chain of unexpected latency does so in all,
    // and where the same chain is measured among the rows.
    let off = |it: &Calibration| (it.chain_ratio / it.chain_ratio.round() - 1.0).abs();
    let among_rows = clock.known_loops.iter().filter(|it| it.name == "chain-logic");
    let among_rows = among_rows.filter(|it| !it.measured.upper_bound).map(|it| it.off().abs());
    let least = clock.calibrations.iter().map(off).chain(among_rows).reduce(f64::min);
    if let Some(share) = least.filter(|share| *share > NOTABLE_CHAIN_DEVIATION) {
        found.push(Warning::ChainsOff { share });
    }
    found.extend(self_test(Some(clock)));
    if clock.quiet.is_some_and(|quiet| quiet.is_unproven()) {
        found.push(Warning::QuietUnproven);
    }
    if let Some(CycleSource::StatedClock { megahertz }) = source {
        let of_chains = clock.calibrations.iter().filter_map(|it| Some(it.chain_hertz? / 1e6));
        if let Some(measured) = cpb_stats::median_of(&of_chains.collect::<Vec<f64>>())
            .filter(|measured| (measured / megahertz - 1.0).abs() > NOTABLE_STATED_DEVIATION)
        {
            found.push(Warning::StatedClockOff { stated: megahertz, measured });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::record;
    use cpb_model::{Figure, Interval, KnownLoop};

    fn clock() -> ClockSummary {
        ClockSummary {
            name: "amd64-tsc+chain".to_owned(),
            core_hertz: 4.3e9,
            core_hertz_range: (4.29e9, 4.31e9),
            samples: 1000,
            rejected: 3,
            ..ClockSummary::default()
        }
    }

    fn host() -> Host {
        Host { allowed_cpus: vec![0, 1], ..Host::default() }
    }

    #[test]
    fn a_quiet_machine_brings_no_warning() {
        assert_eq!(warnings(&host(), Some(&clock()), Some(Steal { share: 0.0 }), &[], None), []);
    }

    #[test]
    fn each_disturbance_is_told() {
        let disturbed = ClockSummary { core_hertz_range: (3.0e9, 4.3e9), rejected: 500, ..clock() };
        let found =
            warnings(&Host::default(), Some(&disturbed), Some(Steal { share: 0.02 }), &[], None);
        assert_eq!(found.len(), 4, "{found:#?}");
        let text = format_warnings(&found);
        assert_eq!(text.len(), 2, "what a noisy machine did is one sentence: {text:#?}");
        let words = ["between 3.00 and 4.30 GHz", "took 2.0 %", "33 % of the samples", "hold"];
        assert!(words.iter().all(|words| text[0].contains(words)), "{}", text[0]);
        let rough = Warning::NotPrecise { rows: 5, asked: 0.0025 };
        let text = &format_warnings(&[found[1].clone(), rough])[0];
        assert!(text.contains("): 5 rows are less precise than ±0.25 % (marked ~)"), "{text}");
    }

    #[test]
    fn a_calibration_is_off_where_its_chains_are_among_the_rows_too() {
        let calibration = Calibration { chain_ratio: 3.03, ..cpb_figures::testing::calibration(1) };
        let of = |known_loops: Vec<KnownLoop>| {
            let clock = ClockSummary {
                calibrations: vec![calibration.clone(), calibration.clone()],
                known_loops,
                ..clock()
            };
            format_warnings(&warnings(&host(), Some(&clock), None, &[], None)).join("; ")
        };
        let logic = |estimate: f64, upper_bound: bool| KnownLoop {
            name: "chain-logic".to_owned(),
            known: 1.0,
            measured: Figure { upper_bound, ..Figure::new(estimate, None) },
        };
        let said = "the clock calibration is 1.0 % off";
        assert!(of(vec![]).contains(said), "{}", of(vec![]));
        assert!(of(vec![logic(1.0005, true)]).contains(said), "a bound says nothing");
        assert!(of(vec![logic(0.994, false)]).contains("calibration is 0.6 % off"));
        assert_eq!(of(vec![logic(1.0005, false)]), "");
    }

    #[test]
    fn figures_of_which_little_is_known_are_said_to_be_so() {
        let row = |half_width: f64| {
            let mut row = record("sha3-224", "native", 1.0);
            let figure = &mut row.points[0].cycles_per_call;
            let (low, high) =
                (figure.estimate * (1.0 - half_width), figure.estimate * (1.0 + half_width));
            figure.interval = Some(Interval { low, high, confidence: 0.95 });
            row
        };
        let rows = [row(0.01), row(0.06), row(1.34)];
        let disturbed = ClockSummary { rejected: 500, ..clock() };
        let found =
            |asked| format_warnings(&warnings(&host(), Some(&disturbed), None, &rows, asked));
        let text = &found(None)[0];
        assert!(text.contains(": 2 rows are uncertain by more than ±5 %, up to ±134 %"), "{text}");
        assert!(!text.contains("hold") && text.ends_with("later, or for longer"), "{text}");
        // Otherwise rows are marked that are less precise than was asked.
        assert!(!found(Some(0.5))[0].contains("uncertain"));
    }

    #[test]
    fn neighbours_are_told_in_one_sentence_with_what_they_did() {
        let text = |quiet, bounds, rows| Warning::Neighbours { quiet, bounds, rows }.to_string();
        assert!(text(0.004, 3, 3).contains("quiet 0.4 % of the time"));
        assert!(text(0.004, 3, 3).contains("all 3 rows are upper bounds (≤)"));
        assert!(
            text(0.12, 1, 3).contains("12 % of the time")
                && text(0.12, 1, 3).contains("1 of 3 rows is an upper bound (≤)")
        );
        assert!(text(0.0, 1, 1).contains("the row is an upper bound"));
        let of_two = |bounds| Warning::Neighbours { quiet: 0.1, bounds, rows: 2 };
        assert!(of_two(2).leaves_bounds_only() && !of_two(1).leaves_bounds_only());
        assert!(Warning::NeverQuiet.leaves_bounds_only());
    }
}
