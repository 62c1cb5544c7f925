//! Describes a chart in words, for people who cannot see it.

use super::scale::has_place;
use super::ticks::spoken;
use super::{Chart, Series};

/// Describes the axes, and where each line starts and ends.
pub(super) fn describe(chart: &Chart) -> String {
    let count = match chart.series.len() {
        1 => "one line".to_owned(),
        count => format!("{count} lines"),
    };
    let lines: Vec<String> = chart.series.iter().map(|series| line(chart, series)).collect();
    format!(
        "Line chart with {count}. Horizontal: {}. Vertical: {}. {}",
        chart.x.title(),
        chart.y.title(),
        lines.join(" ")
    )
}

fn line(chart: &Chart, series: &Series) -> String {
    let mut shown = series
        .points
        .iter()
        .filter(|point| has_place(&chart.x, point.x) && has_place(&chart.y, point.y));
    let place = |point: &super::Point| {
        let bound = if point.is_bound { " (a bound)" } else { "" };
        format!("{}{bound} at {}", spoken(&chart.y, point.y), spoken(&chart.x, point.x))
    };
    match (shown.next(), shown.next_back()) {
        (None, _) => format!("{}: nothing to show.", series.label),
        (Some(only), None) => format!("{}: {}.", series.label, place(only)),
        (Some(first), Some(last)) => {
            format!("{}: from {} to {}.", series.label, place(first), place(last))
        }
    }
}
