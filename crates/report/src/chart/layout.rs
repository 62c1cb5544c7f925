//! Computes the layout of a chart, in CSS pixels.

use super::scale::{Range, has_place};
use super::text::{shortened, width};
use super::ticks::{self, Tick, ticks};
use super::{Chart, Point, Series, Style, labels, text};

pub(super) const TITLE_SIZE: f64 = 18.0;
pub(super) const SUBTITLE_SIZE: f64 = 13.0;
pub(super) const LABEL_SIZE: f64 = 12.5;
/// The margin around everything.
pub(super) const MARGIN: f64 = 22.0;
/// The gap between the ends of the lines and the samples beside the labels.
const LEADER: f64 = 30.0;
/// The width of the line sample before a label.
pub(super) const SAMPLE: f64 = 30.0;
pub(super) const SAMPLE_GAP: f64 = 7.0;
const LABEL_GAP: f64 = 18.0;
const LONGEST_LABEL: f64 = 440.0;
/// System fonts may be wider than ours by this factor.
pub(super) const FONT_SLACK: f64 = 1.1;
pub(super) const NOTE_HEIGHT: f64 = 22.0;
/// Sizes of a panel among others: its title, and the margins of its plotting area.
pub(super) const PANEL_TITLE_SIZE: f64 = 13.5;
const PANEL_LEFT: f64 = 46.0;
const PANEL_TOP: f64 = 28.0;
const PANEL_BOTTOM: f64 = 26.0;
/// The distance from the edges of the plotting area to the first and last point, so that markers
/// are complete.
const INSET: f64 = 10.0;

/// A point with its position.
pub(super) struct Placed {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The interval's upper and lower end.
    pub(super) band: Option<(f64, f64)>,
    pub(super) point: Point,
}

/// A line with its position.
pub(super) struct Line<'a> {
    pub(super) series: &'a Series,
    pub(super) points: Vec<Placed>,
    pub(super) label: String,
    /// The vertical middle of the label.
    pub(super) label_y: f64,
}

/// The layout of a chart.
pub(super) struct Layout<'a> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) note: String,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x_range: Range,
    pub(super) x_ticks: Vec<Tick>,
    y_range: Range,
    pub(super) y_ticks: Vec<Tick>,
    pub(super) lines: Vec<Line<'a>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(chart: &'a Chart, style: &Style) -> Self {
        let x_range = Range::horizontal(chart);
        let y_range = Range::vertical(chart);
        let labels_height = chart.series.len().saturating_sub(1) as f64 * LABEL_GAP;
        let plot_width = style.plot_width.max(200.0);
        let plot_height = style.plot_height.max(labels_height).max(120.0);
        let x_ticks = ticks(&chart.x, &x_range, plot_width - 2.0 * INSET, 62.0);
        let y_ticks = ticks(&chart.y, &y_range, plot_height, 58.0);

        let widest = |words: &mut dyn Iterator<Item = &str>, size: f64| {
            words.map(|word| width(word, size)).fold(0.0, f64::max)
        };
        let mut words = y_ticks.iter().filter_map(|tick| tick.label.as_deref());
        let left = MARGIN + widest(&mut words, ticks::SIZE) * FONT_SLACK + 8.0;
        let right = left + plot_width;
        let mut words = chart.series.iter().map(|series| series.label.as_str());
        let label_width = widest(&mut words, LABEL_SIZE).min(LONGEST_LABEL) * FONT_SLACK;
        let total = right + LEADER + SAMPLE + SAMPLE_GAP + label_width + MARGIN;

        let has_subtitle = !chart.subtitle.is_empty();
        let top = MARGIN + 24.0 + if has_subtitle { 20.0 } else { 0.0 } + 36.0;
        let bottom = top + plot_height;
        let note_height = if chart.note.is_empty() { 0.0 } else { NOTE_HEIGHT };
        let text_room = total - 2.0 * MARGIN;
        let height = bottom + 24.0 + 24.0 + note_height + MARGIN - 8.0;
        let size = (total.ceil(), height.ceil());
        let edges = [left, right, top, bottom];
        Self {
            // The title is bold, and so wider than computed.
            title: shortened(&chart.title, TITLE_SIZE * 1.05, text_room),
            subtitle: shortened(&chart.subtitle, SUBTITLE_SIZE, text_room),
            note: shortened(&chart.note, SUBTITLE_SIZE, text_room),
            ..Self::framed(chart, size, edges, (x_range, x_ticks), (y_range, y_ticks))
        }
    }

    /// Lays out the lines within these edges, without any text.
    fn framed(
        chart: &'a Chart,
        (width, height): (f64, f64),
        [left, right, top, bottom]: [f64; 4],
        (x_range, x_ticks): (Range, Vec<Tick>),
        (y_range, y_ticks): (Range, Vec<Tick>),
    ) -> Self {
        let (title, subtitle, note) = Default::default();
        let mut layout = Self {
            width,
            height,
            title,
            subtitle,
            note,
            left,
            right,
            top,
            bottom,
            x_range,
            x_ticks,
            y_range,
            y_ticks,
            lines: Vec::new(),
        };
        layout.lines = layout.place(chart);
        layout
    }

    pub(super) fn x(&self, value: f64) -> f64 {
        let room = self.right - self.left - 2.0 * INSET;
        self.left + INSET + self.x_range.position(value) * room
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - self.y_range.position(value) * (self.bottom - self.top)
    }

    /// Lays out a panel among others: a short title above the plot, and nothing beside it.
    pub(super) fn panel(chart: &'a Chart, (width, height): (f64, f64)) -> Self {
        let x_range = Range::horizontal(chart);
        let y_range = Range::vertical(chart);
        let edges @ [left, right, top, bottom] =
            [PANEL_LEFT, width, PANEL_TOP, height - PANEL_BOTTOM];
        let x_ticks = ticks(&chart.x, &x_range, right - left - 2.0 * INSET, 58.0);
        let y_ticks = ticks(&chart.y, &y_range, bottom - top, 40.0);
        let title = shortened(&chart.title, PANEL_TITLE_SIZE * 1.05, width);
        let (x, y) = ((x_range, x_ticks), (y_range, y_ticks));
        Self { title, ..Self::framed(chart, (width, height), edges, x, y) }
    }

    /// Lays out only the plot, with `above` pixels over it; everything else is in the surrounding
    /// page.
    pub(super) fn plain(chart: &'a Chart, (width, height): (f64, f64), above: f64) -> Self {
        let x_range = Range::horizontal(chart);
        let y_range = Range::vertical(chart);
        let bottom = height - PANEL_BOTTOM;
        let y_ticks = ticks(&chart.y, &y_range, bottom - above, 44.0);
        let words = y_ticks.iter().filter_map(|tick| tick.label.as_deref());
        let widest = words.map(|word| text::width(word, ticks::SIZE)).fold(0.0, f64::max);
        let left = (widest * FONT_SLACK + 10.0).min(width / 2.0);
        let right = width - 2.0;
        let x_ticks = ticks(&chart.x, &x_range, right - left - 2.0 * INSET, 66.0);
        let edges = [left, right, above, bottom];
        Self::framed(chart, (width, height), edges, (x_range, x_ticks), (y_range, y_ticks))
    }

    /// Returns where the sample beside a label starts.
    pub(super) fn sample_x(&self) -> f64 {
        self.right + LEADER
    }

    /// Returns where labels start.
    pub(super) fn label_x(&self) -> f64 {
        self.sample_x() + SAMPLE + SAMPLE_GAP
    }

    fn place(&self, chart: &'a Chart) -> Vec<Line<'a>> {
        let placed: Vec<Vec<Placed>> =
            chart.series.iter().map(|series| self.place_points(chart, series)).collect();
        let wanted: Vec<f64> =
            placed.iter().map(|points| points.last().map_or(self.bottom, |last| last.y)).collect();
        let positions = labels::spread(&wanted, LABEL_GAP, self.top, self.bottom);
        let lines = chart.series.iter().zip(placed).zip(positions);
        lines
            .map(|((series, points), label_y)| Line {
                series,
                points,
                label: shortened(&series.label, LABEL_SIZE, LONGEST_LABEL),
                label_y,
            })
            .collect()
    }

    fn place_points(&self, chart: &Chart, series: &Series) -> Vec<Placed> {
        let shown = |point: &&Point| has_place(&chart.x, point.x) && has_place(&chart.y, point.y);
        let ends = |(low, high): (f64, f64)| {
            let both = has_place(&chart.y, low) && has_place(&chart.y, high);
            both.then(|| (self.y(high), self.y(low)))
        };
        series
            .points
            .iter()
            .filter(shown)
            .map(|point| Placed {
                x: self.x(point.x),
                y: self.y(point.y),
                band: point.interval.and_then(ends),
                point: *point,
            })
            .collect()
    }
}
