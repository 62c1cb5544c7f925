//! Formats numbers for people.

use cpb_figures::Unit;
use cpb_model::{Certainty, Figure, Quiet, Reason};

/// Formats `value` with five significant digits, never in exponent form; three could not show 0.2
/// %.
pub fn five_digits(value: f64) -> String {
    significant(value, 5)
}

/// Formats `value` with `digits` significant digits, never in exponent form, and with all digits
/// before the point.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    // Through the exponent form, so that 9.99996 rounds up to 10.000.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent: i32 =
        scientific.rsplit_once('e').and_then(|(_, text)| text.parse().ok()).unwrap_or(0);
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// Returns how many digits of a figure its interval supports, two to five: the last digit counts
/// units of at most half the interval, so it may be slightly wrong. Three for a figure without an
/// interval, and for a bound.
///
/// Output for people has this many (tables, Markdown, the page). CSV has five of every figure, with
/// the ends of its interval, and JSON all.
pub fn digits(figure: Figure) -> usize {
    const UNKNOWN: usize = 3;
    let half = figure.relative_half_width().filter(|half| half.is_finite());
    let Some(half) = half.filter(|_| figure.estimate != 0.0) else { return UNKNOWN };
    // A power of ten with rounding error counts as one.
    let place = |value: f64| (value * (1.0 + 1e-9)).log10().floor();
    let size = figure.estimate.abs();
    let digits = place(size) - place(half * size) + 1.0;
    (digits as usize).clamp(2, 5)
}

/// Formats a figure's estimate with the digits that its interval supports, marked if it is an upper
/// bound: `5.254`, `≤ 9.35`.
pub fn estimate(figure: Figure) -> String {
    let text = significant(figure.estimate, digits(figure));
    if figure.upper_bound { format!("≤ {text}") } else { text }
}

/// Formats a factor to the best figure: `1.07×`.
pub fn factor(factor: f64, of_bound: bool) -> String {
    let text = if factor < 9.995 { format!("{factor:.2}×") } else { format!("{factor:.0}×") };
    if of_bound { format!("≤ {text}") } else { text }
}

/// Formats half the width of a figure's interval, relative to its estimate.
pub fn half_width(figure: Figure) -> String {
    match figure.relative_half_width() {
        _ if figure.upper_bound => "bound".to_owned(),
        Some(width) => percent(width),
        None => "–".to_owned(),
    }
}

/// Describes a unit: `cycles per byte at 16 KiB`.
pub fn unit(unit: Unit) -> String {
    match unit {
        Unit::PerByte => "cycles per byte".to_owned(),
        Unit::PerByteAt(length) => format!("cycles per byte at {}", bytes(length)),
        Unit::PerIteration => "cycles per iteration".to_owned(),
        Unit::PerCall => "cycles per call".to_owned(),
    }
}

/// Formats a rate with this many significant digits, as a lower bound if the time is an upper
/// bound: `≥ 3.412`.
pub fn rate(value: f64, digits: usize, of_bound: bool) -> String {
    let digits = significant(value, digits);
    if of_bound { format!("≥ {digits}") } else { digits }
}

/// Describes how quiet the core was, and how certain that is: `quiet 12 % of the time`.
pub fn quiet(quiet: Quiet) -> String {
    let share = percent(quiet.share);
    match quiet.certainty {
        _ if quiet.assumed => "quiet assumed".to_owned(),
        _ if quiet.is_never() => "never quiet".to_owned(),
        Some(Certainty::Likely) => format!("quiet {share} of the time (likely)"),
        Some(Certainty::Unknown) => format!("quiet {share} of the time (not proven)"),
        _ => format!("quiet {share} of the time"),
    }
}

/// Explains in one sentence why that is not certain; `None` if it is, or if this was not requested.
pub fn why_not_certain(quiet: Quiet) -> Option<String> {
    let reason = quiet.reason.map(Reason::describe)?;
    match quiet.certainty? {
        _ if quiet.assumed => None,
        Certainty::Certain => None,
        Certainty::Likely => Some(format!("quiet is likely: {reason}")),
        Certainty::Unknown => Some(format!("quiet is not proven: {reason}")),
        Certainty::Busy => Some(format!("the core was never quiet: {reason}")),
    }
}

/// Formats a share as a percentage with two significant digits: `0.050 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 2))
}

/// Formats a length in bytes, with a binary unit if it is a multiple: `16 KiB`, `1350 B`.
pub fn bytes(length: usize) -> String {
    const UNITS: [(&str, usize); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    UNITS
        .into_iter()
        .find(|(_, unit)| length >= *unit && length.is_multiple_of(*unit))
        .map_or_else(|| format!("{length} B"), |(name, unit)| format!("{} {name}", length / unit))
}

/// Formats a frequency: `4.287 GHz`.
pub fn gigahertz(hertz: f64) -> String {
    format!("{} GHz", significant(hertz / 1e9, 4))
}

/// Formats a count in groups of three: `12 345`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun: `1 lane`, `2 lanes`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Interval;

    #[test]
    fn five_digits_are_five_digits() {
        for (value, text) in [
            (6.341_234, "6.3412"),
            (15.4, "15.400"),
            (0.325_049_9, "0.32505"),
            (123.456_7, "123.46"),
            (9.999_96, "10.000"),
            (99_999.6, "100000"),
            (1_234_567.0, "1234567"),
            (-912.345_67, "-912.35"),
            (0.000_012_345_6, "0.000012346"),
            (0.0, "0"),
        ] {
            assert_eq!(five_digits(value), text);
        }
    }

    #[test]
    fn a_figure_has_the_digits_that_its_interval_supports() {
        let figure = |estimate: f64, half: f64| {
            let (low, high) = (estimate - half, estimate + half);
            Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
        };
        for (it, text) in [
            (figure(2.5412, 0.0203), "2.54"),
            (figure(5.254_31, 0.0026), "5.254"),
            (figure(5.254_31, 0.000_26), "5.2543"),
            (figure(5.254_31, 0.000_000_1), "5.2543"),
            (figure(5.254_31, 0.4), "5.3"),
            (figure(5.254_31, 4.0), "5.3"),
            (figure(912.345, 3.1), "912"),
            (figure(912.345, 30.0), "912"),
            (figure(-142.4, 12.0), "-142"),
            (figure(0.325_049, 0.0008), "0.3250"),
            (Figure::new(5.254_31, None), "5.25"),
            (Figure::at_most(9.3512), "≤ 9.35"),
            (Figure::new(0.0, None), "0"),
        ] {
            assert_eq!(estimate(it), text, "{it:?}");
        }
        assert_eq!((factor(1.0, false), factor(12.3, true)), ("1.00×".into(), "≤ 12×".into()));
    }

    #[test]
    fn lengths_take_the_largest_whole_unit() {
        for (length, text) in
            [(0, "0 B"), (64, "64 B"), (1350, "1350 B"), (16_384, "16 KiB"), (3 << 20, "3 MiB")]
        {
            assert_eq!(bytes(length), text);
        }
    }

    #[test]
    fn shares_and_counts() {
        assert_eq!(percent(0.0005), "0.050 %");
        assert_eq!(percent(0.12345), "12 %");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(123), "123");
        assert_eq!(gigahertz(4.2871e9), "4.287 GHz");
    }
}
