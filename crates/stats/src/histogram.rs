//! Counts positive values on a logarithmic scale, and finds the lowest sharp line among them.

use std::collections::BTreeMap;

/// Width of a bin, relative to its value.
const BIN: f64 = 0.001;
/// The bins of all finite positive numbers.
const BINS: std::ops::Range<i32> = -1_000_000..1_000_000;

/// Width of a line.
const LINE: f64 = 0.01;
/// The neighbourhood above a line that must be emptier than the line itself, in widths from its
/// end. The gap leaves room for a blurred line.
const NEIGHBOURHOOD: std::ops::Range<f64> = 1.5..4.5;
/// The minimum that a line must hold: values, and a share of all values.
const FEWEST: u64 = 40;
const SMALLEST_SHARE: f64 = 0.002;
/// The most that may lie below a line, relative to what it holds.
const MOST_BELOW: f64 = 0.1;

/// Counts of positive values, in bins of a tenth of a percent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<i32, u64>,
    total: u64,
}

/// A narrow range that holds many values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharpLine {
    /// The mean of the values in it.
    pub centre: f64,
    /// The number of values in it.
    pub count: u64,
}

impl Histogram {
    /// Counts `value`; ignores values that are not finite and positive.
    pub fn add(&mut self, value: f64) {
        if value.is_finite() && value > 0.0 {
            self.count((value.ln() / BIN).floor() as i32, 1);
        }
    }

    /// Iterates over the bins that are not empty, lowest first, with their counts.
    pub fn bins(&self) -> impl Iterator<Item = (i32, u64)> + '_ {
        self.counts.iter().map(|(&bin, &count)| (bin, count))
    }

    /// Counts the values within `relative` of `value`, to the nearest bin.
    pub fn near(&self, value: f64, relative: f64) -> u64 {
        let bin = |value: f64| (value.ln() / BIN).floor() as i32;
        self.between(bin(value * (1.0 - relative)), bin(value * (1.0 + relative)).saturating_add(1))
    }

    /// Returns the number of counted values.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the lowest sharp line: the lowest window of one percent that holds at least 40
    /// values and 0.2 % of all, at least as many as the three percent that begin one and a half
    /// above it, and ten times as many as lie below it.
    ///
    /// It is a mode, not a quantile: it is found even if it is a small part of all values, and a
    /// broad band of values has none.
    pub fn lowest_line(&self) -> Option<SharpLine> {
        self.lowest_line_within(LINE)
    }

    /// Works like [`Self::lowest_line`], for a line of this relative width, with its
    /// neighbourhood in proportion.
    pub fn lowest_line_within(&self, width: f64) -> Option<SharpLine> {
        let bins = |share: f64| (share * width / BIN).round() as i32;
        let line = bins(1.0);
        let fewest = FEWEST.max((SMALLEST_SHARE * self.total as f64).ceil() as u64);
        let mut below = 0;
        for (&bin, &count) in &self.counts {
            let end = bin + line;
            let held = self.between(bin, end);
            let above =
                self.between(end + bins(NEIGHBOURHOOD.start), end + bins(NEIGHBOURHOOD.end));
            if held >= fewest && held >= above && below as f64 <= MOST_BELOW * held as f64 {
                return Some(self.line_from(bin, line));
            }
            below = u64::saturating_add(below, count);
        }
        None
    }

    /// Returns the fullest line that begins in the window of `bin`.
    fn line_from(&self, bin: i32, line: i32) -> SharpLine {
        let start = (bin..bin + line).max_by_key(|&b| (self.between(b, b + line), -b));
        let start = start.unwrap_or(bin);
        let held = || self.counts.range(start..start + line);
        let count = held().map(|(_, &count)| count).fold(0, u64::saturating_add);
        let sum: f64 = held().map(|(&b, &n)| n as f64 * ((f64::from(b) + 0.5) * BIN).exp()).sum();
        SharpLine { centre: sum / count as f64, count }
    }

    fn between(&self, from: i32, to: i32) -> u64 {
        let held = self.counts.range(from..to.max(from));
        held.map(|(_, &count)| count).fold(0, u64::saturating_add)
    }

    /// Adds to a bin; ignores bins that no value can have.
    fn count(&mut self, bin: i32, count: u64) {
        if BINS.contains(&bin) {
            let held = self.counts.entry(bin).or_insert(0);
            *held = held.saturating_add(count);
            self.total = self.total.saturating_add(count);
        }
    }
}

impl Extend<(i32, u64)> for Histogram {
    fn extend<I: IntoIterator<Item = (i32, u64)>>(&mut self, bins: I) {
        bins.into_iter().for_each(|(bin, count)| self.count(bin, count));
    }
}

impl FromIterator<(i32, u64)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (i32, u64)>>(bins: I) -> Self {
        let mut histogram = Self::default();
        histogram.extend(bins);
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(values: impl IntoIterator<Item = f64>) -> Histogram {
        let mut histogram = Histogram::default();
        values.into_iter().for_each(|value| histogram.add(value));
        histogram
    }

    /// Returns 10,000 values, of which `quiet` lie within 0.1 % of 0.25, and the others evenly
    /// between 0.275 and 0.6.
    fn busy_core(quiet: usize) -> Histogram {
        let mut random = fastrand::Rng::with_seed(quiet as u64);
        histogram((0..10_000).map(|index| {
            let random = random.f64();
            if index < quiet { 0.25 * (1.0 + 0.001 * random) } else { 0.275 + 0.325 * random }
        }))
    }

    #[test]
    fn the_lowest_line_is_found_however_small_a_part_it_is() {
        for quiet in [50, 100, 1000, 3000, 9000, 10_000] {
            let line = busy_core(quiet).lowest_line().unwrap();
            assert!((line.centre / 0.25 - 1.0).abs() < 0.002, "{quiet}: {line:?}");
            assert_eq!(line.count, quiet as u64);
        }
    }

    #[test]
    fn a_broad_band_has_no_line() {
        assert_eq!(busy_core(0).lowest_line(), None);
        assert_eq!(Histogram::default().lowest_line(), None);
        assert_eq!(histogram([f64::NAN, 0.0, -1.0, f64::INFINITY]).total(), 0);
    }

    #[test]
    fn a_line_within_or_above_a_band_is_not_the_lowest() {
        let mut random = fastrand::Rng::with_seed(3);
        let values =
            (0..10_000).map(|index| if index % 3 == 0 { 0.5 } else { 0.3 + 0.3 * random.f64() });
        assert_eq!(histogram(values).lowest_line(), None);
    }

    #[test]
    fn a_few_stray_values_below_do_not_hide_it() {
        let values =
            (0..1000).map(|index| if index < 20 { 0.1 + 0.007 * index as f64 } else { 0.25 });
        let line = histogram(values).lowest_line().unwrap();
        assert!((line.centre / 0.25 - 1.0).abs() < 0.001, "{line:?}");
    }

    proptest! {
        #[test]
        fn merging_is_counting_all(a in prop::collection::vec(0.1..1.0, 0..50), b in prop::collection::vec(0.1..1.0, 0..50)) {
            let mut merged = histogram(a.clone());
            merged.extend(histogram(b.clone()).bins());
            prop_assert_eq!(merged, histogram(a.into_iter().chain(b)));
        }

        #[test]
        fn a_line_scales_with_the_values(scale in 0.01..100.0_f64) {
            let values = (0..500).map(|i: i32| scale * (1.0 + 1e-6 * f64::from(i)));
            let line = histogram(values).lowest_line().unwrap();
            prop_assert!((line.centre / scale - 1.0).abs() < 0.002);
        }
    }
}
