//! Draws the result of `cpb compare` as a chart: each ratio with its interval.

use crate::comparison::Comparison;
use cpb_figures::RatioBound;
use cpb_report::chart::Style;
use cpb_report::chart::forest::{Forest, Mark, to_svg};

pub(crate) fn svg(outcome: &Comparison) -> String {
    let lines = outcome.lines.iter().filter_map(|line| Some((line.name(), line.ratio?)));
    let sum = outcome.sum.filter(|_| outcome.lines.len() > 1);
    let sum = sum.map(|sum| (format!("all {}", outcome.summed), sum));
    let marks = lines.chain(sum).map(|(label, it)| Mark {
        label,
        value: it.value,
        known: it.known,
        interval: it.interval.map(|interval| (interval.low, interval.high)),
    });
    let mut ratios = outcome.lines.iter().filter_map(|line| line.ratio);
    let has_bounds = ratios.any(|ratio| ratio.known != RatioBound::About);
    let legend = if has_bounds { "; pale: a bound, open to the side of its line" } else { "" };
    let forest = Forest {
        title: format!("{} against {}", outcome.names[1], outcome.names[0]),
        subtitle: format!(
            "ratio of cycles with 95 % interval; left of 1 the former is faster{legend}"
        ),
        marks: marks.collect(),
        neutral: (1.0 / (1.0 + outcome.precision), 1.0 + outcome.precision),
    };
    to_svg(&forest, &Style::default())
}
