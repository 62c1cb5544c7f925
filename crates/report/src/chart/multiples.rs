//! Draws several charts in a grid, with one legend.

use super::layout::{
    FONT_SLACK, LABEL_SIZE, Layout, MARGIN, SAMPLE, SAMPLE_GAP, SUBTITLE_SIZE, TITLE_SIZE,
};
use super::pen::{Head, Pen};
use super::style::Role;
use super::svg::panel;
use super::text::{shortened, width};
use super::{Chart, Style, describe::describe};

const PANEL: (f64, f64) = (300.0, 220.0);
const GAP: (f64, f64) = (34.0, 22.0);
const MOST_COLUMNS: usize = 3;
const LEGEND_LINE: f64 = 22.0;
const LEGEND_GAP: f64 = 22.0;

/// The same kind of chart for each of many subjects. Lines with one label look alike in all of
/// them.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiples {
    /// The title above everything, and its name for screen readers.
    pub title: String,
    /// The subtitle, which explains the axes.
    pub subtitle: String,
    /// The panels, in reading order.
    pub panels: Vec<Chart>,
    /// A note below; empty for none.
    pub note: String,
}

/// Draws `multiples` as a standalone SVG document.
pub fn multiples_to_svg(multiples: &Multiples, style: &Style) -> String {
    let columns = multiples.panels.len().clamp(1, MOST_COLUMNS);
    let lines = multiples.panels.len().div_ceil(columns);
    let inside = PANEL.0 * columns as f64 + GAP.0 * (columns - 1) as f64;
    let legend = legend(multiples, inside);
    let top = MARGIN + 66.0 + legend.last().map_or(0.0, |entry| entry.place.1 + LEGEND_LINE);
    let bottom = top + (PANEL.1 + GAP.1) * lines as f64;
    let note = if multiples.note.is_empty() { 0.0 } else { 18.0 };
    let whole = ((inside + 2.0 * MARGIN).ceil(), (bottom + note + MARGIN / 2.0).ceil());

    let mut pen = begin(multiples, whole, style);
    for entry in &legend {
        let (x, y) = (MARGIN + entry.place.0, MARGIN + 66.0 + entry.place.1);
        pen.sample(entry.look, (x, y));
        pen.text(entry.label, (x + SAMPLE + SAMPLE_GAP, y + 4.4), LABEL_SIZE, Role::Ink, "");
    }
    for (place, chart) in multiples.panels.iter().enumerate() {
        let x = MARGIN + (PANEL.0 + GAP.0) * (place % columns) as f64;
        let y = top + (PANEL.1 + GAP.1) * (place / columns) as f64;
        let layout = Layout::panel(chart, PANEL);
        let panel = panel(chart, &layout, style);
        pen.push(format_args!("<g transform=\"translate({x:.1} {y:.1})\">\n{panel}</g>"));
    }
    let note = shortened(&multiples.note, SUBTITLE_SIZE, inside);
    pen.text(&note, (MARGIN, bottom + 8.0), SUBTITLE_SIZE, Role::Faint, "");
    pen.end()
}

fn begin<'a>(multiples: &Multiples, size: (f64, f64), style: &'a Style) -> Pen<'a> {
    let panels = multiples.panels.iter();
    let panels = panels.map(|chart| format!("{}: {}", chart.title, describe(chart)));
    let fitting = |text: &str, font: f64| shortened(text, font, size.0 - 2.0 * MARGIN);
    let description = panels.collect::<Vec<_>>().join(" ");
    let title = fitting(&multiples.title, TITLE_SIZE * 1.05);
    let head = Head {
        size,
        title: &multiples.title,
        description: description.trim_end(),
        shown: [&title, &fitting(&multiples.subtitle, SUBTITLE_SIZE)],
    };
    Pen::document(style, &head)
}

struct Entry<'a> {
    label: &'a str,
    look: usize,
    /// The position within the legend.
    place: (f64, f64),
}

/// Returns one entry per label, in lines up to `room` wide.
fn legend(multiples: &Multiples, room: f64) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut x, mut y) = (0.0, 0.0);
    for series in multiples.panels.iter().flat_map(|chart| &chart.series) {
        if entries.iter().any(|entry| entry.label == series.label) {
            continue;
        }
        let wide = SAMPLE + SAMPLE_GAP + width(&series.label, LABEL_SIZE) * FONT_SLACK;
        if x > 0.0 && x + wide > room {
            (x, y) = (0.0, y + LEGEND_LINE);
        }
        entries.push(Entry { label: &series.label, look: series.look, place: (x, y) });
        x += wide + LEGEND_GAP;
    }
    entries
}
