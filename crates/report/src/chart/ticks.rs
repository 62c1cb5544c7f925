//! Chooses the marks of an axis, and their labels.

mod times;

use super::scale::{Range, step};
use super::text::width;
use super::{Axis, Marks};
use crate::{date, number};

/// The font size of mark labels.
pub(super) const SIZE: f64 = 11.5;
/// The minimal distance between labels, and between marks without labels.
const WORD_GAP: f64 = 6.0;
const BARE_GAP: f64 = 7.0;

/// A mark on an axis; small if it has no label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: Option<String>,
}

/// Returns the marks of `axis` over `range`, drawn `length` pixels long, with about `spacing`
/// pixels between labelled ones.
pub(super) fn ticks(axis: &Axis, range: &Range, length: f64, spacing: f64) -> Vec<Tick> {
    let found = match (range.logarithmic, axis.marks) {
        (_, Marks::Times) => return times::ticks(range, length / spacing),
        (false, _) => Vec::new(),
        (true, Marks::Bytes | Marks::Counts) => powers_of_two(axis.marks, range, length, spacing),
        (true, Marks::Numbers) => decades(range),
    };
    if found.iter().filter(|tick| tick.label.is_some()).count() >= 2 {
        return found;
    }
    linear(axis, range, length / spacing)
}

fn linear(axis: &Axis, range: &Range, count: f64) -> Vec<Tick> {
    let step = step(axis, range.high - range.low, count.max(1.0));
    let first = (range.low / step - 1e-9).ceil();
    let last = (range.high / step + 1e-9).floor();
    let decimals = (-step.log10().floor()).clamp(0.0, 300.0) as usize;
    let largest = range.low.abs().max(range.high.abs());
    // About `count` of them, or a few more.
    (0..=(last - first).clamp(0.0, 100.0) as u32)
        .map(|index| {
            let value = (first + f64::from(index)) * step;
            let label = match axis.marks {
                Marks::Bytes => bytes(value),
                Marks::Numbers | Marks::Counts | Marks::Times => decimal(value, decimals, largest),
            };
            Tick { value, label: Some(label) }
        })
        .filter(|tick| range.holds(tick.value))
        .collect()
}

fn powers_of_two(marks: Marks, range: &Range, length: f64, spacing: f64) -> Vec<Tick> {
    let octaves = (range.high / range.low).log2();
    let octave = length / octaves;
    let step = (0..6).map(|power| 1 << power).find(|step| octave * f64::from(*step) >= spacing);
    let step: i32 = step.unwrap_or(64);
    let first = (range.low.log2() - 1e-9).ceil() as i32;
    let last = (range.high.log2() + 1e-9).floor() as i32;
    let word = |power: i32| match marks {
        Marks::Bytes => bytes(f64::from(power).exp2()),
        Marks::Numbers | Marks::Counts | Marks::Times => {
            decimal(f64::from(power).exp2(), usize::try_from(-power).unwrap_or(0), range.high)
        }
    };
    let fits = |a: i32, b: i32| {
        let words = (width(&word(a), SIZE) + width(&word(b), SIZE)) / 2.0;
        f64::from((a - b).abs()) * octave >= words + WORD_GAP
    };
    let mut worded: Vec<i32> = (first..=last).filter(|power| power % step == 0).collect();
    // The ends are labelled too if there is room.
    if worded.first().is_some_and(|next| *next > first && fits(*next, first)) {
        worded.insert(0, first);
    }
    if worded.last().is_some_and(|next| *next < last && fits(*next, last)) {
        worded.push(last);
    }
    (first..=last)
        .filter(|power| worded.contains(power) || octave >= BARE_GAP)
        .map(|power| Tick {
            value: f64::from(power).exp2(),
            label: worded.contains(&power).then(|| word(power)),
        })
        .collect()
}

/// Returns labelled decades and unlabelled marks between; labels 1, 2, 5 if there are few decades.
fn decades(range: &Range) -> Vec<Tick> {
    let decades = (range.high / range.low).log10();
    let every = (decades / 9.0).ceil().max(1.0) as i32;
    let worded: &[u32] = match decades {
        few if few < 2.2 => &[1, 2, 5],
        _ => &[1],
    };
    let between: &[u32] = match decades {
        few if few < 1.2 => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        some if some < 5.0 => &[1, 2, 5],
        _ => &[1],
    };
    let first = range.low.log10().floor() as i32;
    let last = range.high.log10().ceil() as i32;
    (first..=last)
        .flat_map(|power| between.iter().map(move |factor| (power, *factor)))
        .map(|(power, factor)| {
            let value = f64::from(factor) * 10f64.powi(power);
            let decimals = usize::try_from(-power).unwrap_or(0);
            let words = worded.contains(&factor) && power.rem_euclid(every) == 0;
            Tick { value, label: words.then(|| decimal(value, decimals, range.high)) }
        })
        .filter(|tick| range.holds(tick.value))
        .collect()
}

/// Formats `value` on an axis up to `largest`: with grouped digits, or an SI prefix from millions
/// on.
fn decimal(value: f64, decimals: usize, largest: f64) -> String {
    const PREFIXES: [(f64, &str); 5] =
        [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    if value == 0.0 {
        return "0".to_owned();
    }
    if largest >= 1e18 || decimals > 9 {
        return format!("{value:.1e}").replace('-', "−");
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let value = value.abs();
    let prefix = PREFIXES.into_iter().find(|(unit, _)| largest >= 1e6 && value >= unit * 0.999_999);
    if let Some((unit, prefix)) = prefix {
        return format!(
            "{sign}{} {prefix}",
            number::significant(value / unit, 6).parse().unwrap_or(value / unit)
        );
    }
    if decimals == 0 && value >= 9999.5 {
        return format!("{sign}{}", number::grouped(value.round() as u64));
    }
    format!("{sign}{value:.decimals$}")
}

/// Formats a length that is a whole number of bytes.
fn bytes(value: f64) -> String {
    if value < 1.0 || value.fract() != 0.0 {
        return format!("{value} B");
    }
    number::bytes(value as usize)
}

/// Formats `value` as a reader of `axis` would say it.
pub(super) fn spoken(axis: &Axis, value: f64) -> String {
    match axis.marks {
        Marks::Bytes => bytes(value),
        Marks::Times => date::utc(value as i64),
        Marks::Counts if value.fract() == 0.0 => format!("{value}"),
        Marks::Numbers | Marks::Counts => number::five_digits(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn words(marks: Marks, scale: Scale, low: f64, high: f64) -> Vec<String> {
        let logarithmic = scale == Scale::Logarithmic;
        let axis = Axis { label: String::new(), scale, marks };
        let found = ticks(&axis, &Range { low, high, logarithmic }, 660.0, 62.0);
        assert!(found.is_sorted_by(|a, b| a.value < b.value));
        found.into_iter().filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn lengths_stand_at_powers_of_two() {
        let log = |low: u32, high: u32| {
            words(Marks::Bytes, Scale::Logarithmic, f64::from(low), f64::from(high)).join(" ")
        };
        assert_eq!(
            log(16, 2 << 20),
            "16 B 64 B 256 B 1 KiB 4 KiB 16 KiB 64 KiB 256 KiB 1 MiB 2 MiB"
        );
        assert_eq!(log(16, 4112), "16 B 32 B 64 B 128 B 256 B 512 B 1 KiB 2 KiB 4 KiB");
        assert_eq!(log(64, 256), "64 B 128 B 256 B");
        assert_eq!(log(500, 2000), "512 B 1 KiB");
        // Less than an octave is marked like a linear axis.
        assert_eq!(log(1000, 1100), "1008 B 1 KiB 1040 B 1056 B 1072 B 1088 B");
    }

    #[test]
    fn every_second_power_has_words_where_there_is_no_room_for_more() {
        let axis = Axis { label: String::new(), scale: Scale::Logarithmic, marks: Marks::Bytes };
        let range = Range { low: 16.0, high: 2_097_152.0, logarithmic: true };
        let found = ticks(&axis, &range, 660.0, 62.0);
        assert_eq!(found.len(), 18);
        let narrow = ticks(&axis, &range, 200.0, 62.0);
        assert!(narrow.iter().filter(|tick| tick.label.is_some()).count() <= 5, "{narrow:?}");
    }

    #[test]
    fn linear_marks_are_round() {
        let linear = |low, high| words(Marks::Numbers, Scale::FromZero, low, high).join(" ");
        assert_eq!(linear(0.0, 30.0), "0 5 10 15 20 25 30");
        assert_eq!(linear(0.0, 0.7), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7");
        assert_eq!(linear(-2.0, 2.0), "−2.0 −1.5 −1.0 −0.5 0 0.5 1.0 1.5 2.0");
        assert_eq!(
            linear(0.0, 15_000.0),
            "0 2000 4000 6000 8000 10\u{202f}000 12\u{202f}000 14\u{202f}000"
        );
        assert_eq!(linear(0.0, 2e6), "0 200 k 400 k 600 k 800 k 1 M 1.2 M 1.4 M 1.6 M 1.8 M 2 M");
        assert_eq!(words(Marks::Counts, Scale::FromZero, 0.0, 3.0).join(" "), "0 1 2 3");
        assert_eq!(
            words(Marks::Bytes, Scale::FromZero, 0.0, 4096.0).join(" "),
            "0 B 512 B 1 KiB 1536 B 2 KiB 2560 B 3 KiB 3584 B 4 KiB"
        );
    }

    #[test]
    fn logarithmic_marks_are_decades_or_1_2_5() {
        let log = |low, high| words(Marks::Numbers, Scale::Logarithmic, low, high).join(" ");
        assert_eq!(log(60.0, 2e7), "100 1 k 10 k 100 k 1 M 10 M");
        assert_eq!(log(4.0, 110.0), "5 10 20 50 100");
        assert_eq!(log(0.03, 3.0), "0.05 0.1 0.2 0.5 1 2");
        assert_eq!(log(4.1, 4.3), "4.10 4.12 4.14 4.16 4.18 4.20 4.22 4.24 4.26 4.28 4.30");
        assert_eq!(
            words(Marks::Counts, Scale::Logarithmic, 1.0, 64.0).join(" "),
            "1 2 4 8 16 32 64"
        );
    }

    #[test]
    fn no_range_makes_too_many() {
        for (low, high) in [(0.0, 1e-25), (0.0, 1e30), (1.0, 1.0 + 1e-8), (-1e30, 1e30)] {
            let words = words(Marks::Numbers, Scale::Linear, low, high);
            assert!((2..=25).contains(&words.len()), "{low} {high} {words:?}");
        }
        for (low, high) in [(1e-30, 1e30), (1e-5, 1e-4), (1.0, 1e15)] {
            let words = words(Marks::Numbers, Scale::Logarithmic, low, high);
            assert!((2..=25).contains(&words.len()), "{low} {high} {words:?}");
        }
    }
}
