//! Draws the two levels that distinguish quiet from busy.

use crate::chart::{Axis, Chart, Marks, Point, Scale, Series, Style, Theme, to_svg};
use cpb_model::{ClockSummary, WindowCurve, WindowPoint};

/// The size of the plot, in pixels.
const SIZE: (f64, f64) = (480.0, 220.0);

/// Draws the core's window loop as HTML; empty if no level was seen. `place` distinguishes the
/// pictures of a page.
pub(super) fn picture(clock: &ClockSummary, place: usize) -> String {
    let Some(curve) = &clock.window_curve else { return String::new() };
    let style = Style {
        theme: Theme::OfPage,
        identifier: format!("window-{place}"),
        plot_width: SIZE.0,
        plot_height: SIZE.1,
        ..Style::default()
    };
    let svg = to_svg(&chart(curve), &style);
    format!("<h3>Quiet and busy, on this CPU</h3><div class=\"scroll\">{svg}</div>")
}

/// Draws the time of a block by its length: alone, beside a neighbour, and its chain alone.
fn chart(curve: &WindowCurve) -> Chart {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::FromZero,
        marks: Marks::Counts,
    };
    let line = |label: &str, look: usize, cycles: &dyn Fn(&WindowPoint) -> Option<f64>| {
        let point = |it: &WindowPoint| {
            let x = f64::from(it.instructions);
            Some(Point { x, y: cycles(it)?, interval: None, is_bound: false })
        };
        let points = curve.points.iter().filter_map(point).collect();
        Series { label: label.to_owned(), look, points }
    };
    let series = vec![
        line("quiet", 0, &|it| it.alone),
        line("beside a neighbour", 1, &|it| it.beside),
        line("its chain alone", 2, &|_| Some(curve.chain)),
    ];
    Chart {
        title: "Cycles of a window loop's block, by its instructions".to_owned(),
        subtitle: "A block that fits into the core's window overlaps the next one, and takes less \
                   than its chain"
            .to_owned(),
        x: axis("instructions of a block"),
        y: axis("cycles of a block"),
        series: series.into_iter().filter(|line| !line.points.is_empty()).collect(),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_levels_are_drawn_where_both_were_seen() {
        let point = |beside| WindowPoint { instructions: 217, alone: Some(70.0), beside };
        let drawn = |beside| chart(&WindowCurve { chain: 123.0, points: vec![point(beside)] });
        assert_eq!(drawn(None).series.len(), 2);
        assert_eq!(drawn(Some(121.0)).series[1].points[0].y, 121.0);
    }
}
