//! Maps values to positions on an axis.

use super::{Axis, Chart, Marks, Scale};

/// Values beyond these are no measurements.
const LARGEST: f64 = 1e30;
const SMALLEST: f64 = 1e-30;
/// Steps of a vertical axis, about.
const STEPS: f64 = 6.0;

/// The values that an axis covers, and where each one is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) logarithmic: bool,
}

impl Range {
    /// Covers the points of `chart` from left to right. Where there are none,
    /// one byte to ten, or nothing to one.
    pub(super) fn horizontal(chart: &Chart) -> Self {
        let values = shown(chart).map(|point| point.x);
        covering(&chart.x, values)
    }

    /// Covers values and intervals of `chart`, up to round numbers.
    pub(super) fn vertical(chart: &Chart) -> Self {
        let ends = |point: &super::Point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        };
        let values = shown(chart).flat_map(ends).filter(|value| has_place(&chart.y, *value));
        let mut range = covering(&chart.y, values);
        if range.logarithmic {
            let margin = (range.high / range.low).powf(0.05);
            range.low /= margin;
            range.high *= margin;
        } else {
            let step = step(&chart.y, range.high - range.low, STEPS);
            range.low = (range.low / step).floor() * step;
            range.high = (range.high / step).ceil() * step;
        }
        range
    }

    /// Returns the position of `value`: 0 at the low end, 1 at the high end.
    pub(super) fn position(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.position(value))
    }
}

/// Whether `axis` can show `value`.
pub(super) fn has_place(axis: &Axis, value: f64) -> bool {
    match axis.scale {
        Scale::Linear | Scale::FromZero => value.abs() <= LARGEST,
        Scale::Logarithmic => (SMALLEST..=LARGEST).contains(&value),
    }
}

/// The points of `chart` that both axes can show.
fn shown(chart: &Chart) -> impl Iterator<Item = &super::Point> {
    let points = chart.series.iter().flat_map(|series| &series.points);
    points.filter(|point| has_place(&chart.x, point.x) && has_place(&chart.y, point.y))
}

/// The distance between round values: `span` in about `count` steps.
pub(super) fn step(axis: &Axis, span: f64, count: f64) -> f64 {
    let least = span / count;
    match axis.marks {
        Marks::Bytes => least.max(1.0).log2().ceil().exp2(),
        Marks::Numbers | Marks::Times => round_step(least),
        Marks::Counts => round_step(least.max(1.0)),
    }
}

/// The least of 1, 2, 5 × 10ⁿ that is about `least` or more.
fn round_step(least: f64) -> f64 {
    let unit = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| unit * factor >= least * 0.999);
    unit * factor.unwrap_or(10.0)
}

fn covering(axis: &Axis, values: impl Iterator<Item = f64>) -> Range {
    let logarithmic = axis.scale == Scale::Logarithmic;
    let (mut low, mut high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    if low > high {
        (low, high) = if logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    if axis.scale == Scale::FromZero {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    // One value alone stands in the middle.
    let largest = low.abs().max(high.abs());
    if high - low <= (1e-9 * largest).max(SMALLEST) {
        let around = if largest <= SMALLEST { 0.5 } else { largest / 2.0 };
        (low, high) =
            if logarithmic { (low / 2.0, high * 2.0) } else { (low - around, high + around) };
    }
    Range { low, high, logarithmic }
}

#[cfg(test)]
mod tests {
    use super::super::{Point, Series};
    use super::*;

    fn chart(scale: Scale, values: &[f64]) -> Chart {
        let axis = |scale| Axis { label: String::new(), scale, marks: Marks::Numbers };
        let points = values
            .iter()
            .map(|y| Point { x: 16.0, y: *y, interval: None, is_bound: false })
            .collect();
        Chart {
            title: String::new(),
            subtitle: String::new(),
            x: axis(Scale::Logarithmic),
            y: axis(scale),
            series: vec![Series { label: String::new(), look: 0, points }],
            note: String::new(),
        }
    }

    fn ends(scale: Scale, values: &[f64]) -> (f64, f64) {
        let range = Range::vertical(&chart(scale, values));
        (range.low, range.high)
    }

    #[test]
    fn linear_ends_are_round() {
        assert_eq!(ends(Scale::FromZero, &[4.2, 27.3]), (0.0, 30.0));
        assert_eq!(ends(Scale::Linear, &[4.2, 27.3]), (0.0, 30.0));
        assert_eq!(ends(Scale::Linear, &[101.0, 109.0]), (100.0, 110.0));
        assert_eq!(ends(Scale::FromZero, &[-3.0, 4.0]), (-4.0, 4.0));
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        assert_eq!(ends(Scale::FromZero, &[f64::NAN, f64::INFINITY, 1e40, 9.0]), (0.0, 10.0));
        let range = Range::vertical(&chart(Scale::Logarithmic, &[0.0, -1.0, 10.0, 1000.0]));
        assert!(range.low > 7.0 && range.low < 10.0, "{range:?}");
        assert!((range.position(100.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn one_value_or_none_still_makes_a_range() {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Logarithmic] {
            for values in [&[][..], &[5.0], &[1.0, 1.0 + 1e-15], &[0.0], &[1e30, -1e30], &[1e-40]] {
                let range = Range::vertical(&chart(scale, values));
                assert!(range.low < range.high, "{scale:?} {values:?} {range:?}");
                assert!(range.high.is_finite(), "{scale:?} {values:?} {range:?}");
            }
        }
        let range = Range::horizontal(&chart(Scale::Linear, &[5.0]));
        assert!((range.position(16.0) - 0.5).abs() < 1e-9);
    }
}
