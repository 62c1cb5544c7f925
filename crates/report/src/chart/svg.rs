//! Draws a chart as SVG.

use super::layout::{
    LABEL_SIZE, Layout, Line, MARGIN, NOTE_HEIGHT, PANEL_TITLE_SIZE, Placed, SUBTITLE_SIZE,
};
use super::pen::{Head, Pen};
use super::style::{Role, marker};
use super::text::escaped;
use super::ticks::{self, spoken};
use super::{Chart, Style, describe::describe};

/// Markers closer than this would hide their line.
const MARKER_GAP: f64 = 18.0;
/// How bounds are drawn.
const PALE: &str = " opacity=\"0.4\"";
/// A line that ends farther than this from the right edge is not connected to its label.
const LED: f64 = 40.0;

/// Draws `chart` as a standalone SVG document that can also be embedded in an HTML page.
///
/// It needs no external font, style sheet or script. Points have tooltips with their value and
/// interval.
pub fn to_svg(chart: &Chart, style: &Style) -> String {
    let layout = Layout::new(chart, style);
    let head = Head {
        size: (layout.width, layout.height),
        title: &chart.title,
        description: &describe(chart),
        shown: [&layout.title, &layout.subtitle],
    };
    let mut drawing = Drawing { chart, layout: &layout, pen: Pen::document(style, &head) };
    drawing.note();
    drawing.axis_titles();
    drawing.plot();
    layout.lines.iter().for_each(|line| drawing.label(line));
    drawing.pen.end()
}

/// Draws the inside of a panel in `layout`, without a document around it.
pub(super) fn panel(chart: &Chart, layout: &Layout, style: &Style) -> String {
    let mut drawing = Drawing { chart, layout, pen: Pen::new(style) };
    let bold = "font-weight=\"600\"";
    drawing.pen.text(&layout.title, (0.0, 12.0), PANEL_TITLE_SIZE, Role::Ink, bold);
    drawing.plot();
    drawing.pen.text
}

/// Draws the plot of `chart` in `layout`, without a document around it.
pub(super) fn plot(chart: &Chart, layout: &Layout, style: &Style) -> String {
    let mut drawing = Drawing { chart, layout, pen: Pen::new(style) };
    drawing.plot();
    drawing.pen.text
}

struct Drawing<'a> {
    chart: &'a Chart,
    layout: &'a Layout<'a>,
    pen: Pen<'a>,
}

impl Drawing<'_> {
    fn note(&mut self) {
        let place = (MARGIN, self.layout.bottom + 44.0 + NOTE_HEIGHT);
        self.pen.text(&self.layout.note, place, SUBTITLE_SIZE, Role::Faint, "");
    }

    fn axis_titles(&mut self) {
        let Layout { left, right, top, bottom, .. } = self.layout;
        let (x, y) = (self.chart.x.title(), self.chart.y.title());
        self.pen.text(&y, (MARGIN, top - 16.0), LABEL_SIZE, Role::Ink, "");
        let place = ((left + right) / 2.0, bottom + 44.0);
        self.pen.text(&x, place, LABEL_SIZE, Role::Ink, "text-anchor=\"middle\"");
    }

    fn plot(&mut self) {
        self.axes();
        // The first line is the most important, so it is drawn last.
        let layout = self.layout;
        let lines = || layout.lines.iter().rev();
        lines().for_each(|line| self.band(line));
        lines().for_each(|line| self.line(line));
    }

    fn axes(&mut self) {
        let Layout { left, right, top, bottom, x_ticks, y_ticks, .. } = self.layout;
        let (left, right, top, bottom) = (*left, *right, *top, *bottom);
        for tick in y_ticks {
            let y = self.layout.y(tick.value);
            match &tick.label {
                Some(label) => {
                    self.pen.rule((left, y), (right, y), Role::Grid);
                    let place = (left - 8.0, y + 4.0);
                    self.pen.text(label, place, ticks::SIZE, Role::Faint, "text-anchor=\"end\"");
                }
                None => self.pen.rule((left, y), (left + 5.0, y), Role::Faint),
            }
        }
        self.pen.rule((left, bottom), (right, bottom), Role::Faint);
        for tick in x_ticks {
            let x = self.layout.x(tick.value);
            let long = if tick.label.is_some() { 6.0 } else { 3.0 };
            self.pen.rule((x, bottom), (x, bottom + long), Role::Faint);
            if let Some(label) = &tick.label {
                let place = (x, bottom + 20.0);
                self.pen.text(label, place, ticks::SIZE, Role::Faint, "text-anchor=\"middle\"");
            }
        }
        if self.layout.lines.iter().all(|line| line.points.is_empty()) {
            let place = ((left + right) / 2.0, (top + bottom) / 2.0);
            self.pen.text("Nothing to show", place, 14.0, Role::Faint, "text-anchor=\"middle\"");
        }
    }

    fn band(&mut self, line: &Line) {
        let fill = self.pen.paint(&[("fill", Role::Line(line.series.look))]);
        for run in line.points.split(|placed| placed.band.is_none()).filter(|run| run.len() > 1) {
            let banded = || run.iter().filter_map(|placed| Some((placed.x, placed.band?)));
            let highs = banded().map(|(x, (high, _))| format!("{x:.1} {high:.2}"));
            let lows = banded().rev().map(|(x, (_, low))| format!("{x:.1} {low:.2}"));
            let outline = highs.chain(lows).collect::<Vec<_>>().join("L");
            self.pen.push(format_args!("<path d=\"M{outline}z\" fill-opacity=\"0.18\" {fill}/>"));
        }
    }

    fn line(&mut self, line: &Line) {
        let look = line.series.look;
        self.pen.push(format_args!("<g><title>{}</title>", escaped(&line.series.label)));
        for (is_pale, piece) in pieces(&line.points) {
            let corners: Vec<String> =
                piece.iter().map(|placed| format!("{:.1} {:.2}", placed.x, placed.y)).collect();
            let pale = if is_pale { PALE } else { "" };
            self.pen.stroke(look, &format!("M{}", corners.join("L")), pale);
        }
        for placed in spaced(&line.points) {
            let paints = self.pen.marker_paints(look);
            let pale = if placed.point.is_bound { PALE } else { "" };
            self.pen.push(format_args!(
                "<path d=\"{}\"{pale} {paints}><title>{}</title></path>",
                marker(look, placed.x, placed.y),
                escaped(&self.answer(line, placed)),
            ));
        }
        self.pen.text.push_str("</g>\n");
    }

    /// Returns the tooltip of a point.
    fn answer(&self, line: &Line, placed: &Placed) -> String {
        let Chart { x, y, .. } = self.chart;
        let point = &placed.point;
        let interval = point
            .interval
            .map(|(low, high)| format!(" ({} to {})", spoken(y, low), spoken(y, high)));
        let bound = if point.is_bound { " (a bound)" } else { "" };
        format!(
            "{}\n{}: {}{}{bound}",
            line.series.label,
            spoken(x, point.x),
            spoken(y, point.y),
            interval.unwrap_or_default()
        )
    }

    fn label(&mut self, line: &Line) {
        let look = line.series.look;
        let (start, y) = (self.layout.sample_x(), line.label_y);
        let end = line.points.last().filter(|last| last.x >= self.layout.right - LED);
        if let Some(last) = end {
            let stroke = self.pen.paint(&[("stroke", Role::Line(look))]);
            let (from, middle) = (last.x + 6.0, (last.x + 6.0 + start) / 2.0);
            self.pen.push(format_args!(
                "<path d=\"M{from:.1} {:.1}C{middle:.1} {:.1} {middle:.1} {y:.1} {start:.1} {y:.1}\" \
                 fill=\"none\" stroke-opacity=\"0.55\" {stroke}/>",
                last.y, last.y
            ));
        }
        self.pen.push(format_args!("<g><title>{}</title>", escaped(&line.series.label)));
        self.pen.sample(look, (start, y));
        self.pen.text(&line.label, (self.layout.label_x(), y + 4.4), LABEL_SIZE, Role::Ink, "");
        self.pen.text.push_str("</g>\n");
    }
}

/// Splits a line into consecutive pieces: whether an end of them is a bound, and their points.
fn pieces(points: &[Placed]) -> Vec<(bool, &[Placed])> {
    let touches_bound = |end: usize| points[end - 1].point.is_bound || points[end].point.is_bound;
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in 1..points.len() {
        let is_last = end + 1 == points.len();
        if is_last || touches_bound(end) != touches_bound(end + 1) {
            pieces.push((touches_bound(end), &points[start..=end]));
            start = end;
        }
    }
    pieces
}

/// Returns the points that get a marker: the first, the last, and those between that leave room.
fn spaced(points: &[Placed]) -> Vec<&Placed> {
    let Some((last, before)) = points.split_last() else { return Vec::new() };
    let mut chosen: Vec<&Placed> = Vec::new();
    for placed in before {
        let room_before = chosen.last().is_none_or(|other| placed.x - other.x >= MARKER_GAP);
        if room_before && (last.x - placed.x >= MARKER_GAP || chosen.is_empty()) {
            chosen.push(placed);
        }
    }
    chosen.push(last);
    chosen
}
