//! Shows the figures of rows over earlier runs.

use crate::chart::{OverTime, Style, Theme, escaped, over_time_to_svg, sample_to_svg};
use crate::date;

/// Rows whose figures stepped to another level in earlier runs.
pub struct Past {
    /// The charts, one for rows of equal work.
    pub charts: Vec<OverTime>,
    /// The number of further rows that stepped.
    pub left_out: usize,
    /// Describes the runs: `60 saved runs of this machine`.
    pub of: String,
}

/// The sizes of charts for desktops and phones.
const SIZES: [(&str, (f64, f64)); 2] = [("wide", (1168.0, 280.0)), ("narrow", (344.0, 240.0))];

/// The link to the section.
pub(super) const LINK: &str = "<a href=\"#past\">Over time</a>\n";

/// Returns the section, readable without the script.
pub(super) fn section(past: &Past) -> String {
    let charts: String = past.charts.iter().enumerate().map(chart).collect();
    let left_out = match past.left_out {
        0 => String::new(),
        1 => " One more row stepped by less.".to_owned(),
        more => format!(" {more} more rows stepped by less."),
    };
    let words = if past.charts.is_empty() {
        format!("No row stepped from one level to another and stayed there in {}.", past.of)
    } else {
        format!(
            "Rows that stepped from one level to another, and stayed there, in {}.{left_out}",
            past.of
        )
    };
    format!(
        "<section id=\"past\" aria-labelledby=\"past-heading\">\n<h2 id=\"past-heading\">Over time</h2>\n\
         <p class=\"note\">{}</p>\n{charts}</section>\n",
        escaped(&words)
    )
}

fn chart((place, chart): (usize, &OverTime)) -> String {
    let drawn = SIZES.map(|(of, size)| {
        let identifier = format!("past-{place}-{of}");
        let style = Style { theme: Theme::OfPage, identifier, ..Style::default() };
        format!("<div class=\"over-time {of}\">{}</div>\n", over_time_to_svg(chart, &style, size))
    });
    let style = Style { theme: Theme::OfPage, ..Style::default() };
    let legend = chart.lines.iter().map(|line| {
        let sample = sample_to_svg(line.series.look, &style);
        format!("<span>{sample}{}</span>\n", escaped(&line.series.label))
    });
    let mut steps: Vec<_> = chart.lines.iter().flat_map(|line| &line.steps).collect();
    steps.sort_by_key(|step| step.number);
    let steps = steps.into_iter().map(|step| {
        let (number, words) = (step.number, escaped(&step.words));
        format!("<li value=\"{number}\">{}: {words}</li>\n", date::to_the_minute(step.at.0 as i64))
    });
    format!(
        "<div class=\"card\">\n<div class=\"heading\"><h3>{}</h3><span>{}</span></div>\n{}\
         <p class=\"lines\">{}</p>\n<ol class=\"steps\">{}</ol>\n</div>\n",
        escaped(&chart.title),
        escaped(&chart.unit),
        drawn.concat(),
        legend.collect::<String>(),
        steps.collect::<String>(),
    )
}
