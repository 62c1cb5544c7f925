//! Parses the core clock, as stated to the old tools.

/// The range of `--cpu-mhz` and `--cpu-clock`, in MHz.
const MEGAHERTZ: std::ops::RangeInclusive<f64> = 1.0..=100_000.0;
/// The range of the recursive SHA-256 benchmark, in GHz.
const GIGAHERTZ: std::ops::RangeInclusive<f64> = 0.1..=999.9;

/// States how the core clock is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CpuMegahertz {
    /// It is measured, and printed.
    Auto,
    /// The user states it.
    Stated(f64),
    /// The user says that it is unknown: 0, as in bench-slopes.
    Unknown,
}

/// Parses what bench-slopes accepts for `--cpu-mhz`.
///
/// # Errors
/// What would be right, if `text` is neither a clock nor `auto`.
pub fn megahertz_or_auto(text: &str) -> Result<CpuMegahertz, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(CpuMegahertz::Auto);
    }
    megahertz(text).map(CpuMegahertz::Stated).map_err(|reason| format!("{reason}; or auto"))
}

/// Parses what bench-slopes accepts for it under its own name: also 0 for an unknown clock, and a
/// unit after the number, which it ignores.
///
/// # Errors
/// What would be right, if `text` is neither.
pub fn bench_slopes_megahertz(text: &str) -> Result<CpuMegahertz, String> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.strip_suffix("mhz").unwrap_or(&lower).trim_end();
    match number.parse() {
        Ok(0.0) => Ok(CpuMegahertz::Unknown),
        _ => megahertz_or_auto(number),
    }
}

/// Parses a clock in MHz.
///
/// # Errors
/// What would be right, if `text` is no clock.
pub fn megahertz(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| MEGAHERTZ.contains(number)).ok_or_else(|| {
        format!(
            "a clock is a number of MHz from {} to {}, as 4300, not '{text}'",
            MEGAHERTZ.start(),
            MEGAHERTZ.end()
        )
    })
}

/// Parses a clock in GHz, truncated to two decimals as in the recursive SHA-256 benchmark.
///
/// # Errors
/// What would be right, if `text` is no clock.
pub fn gigahertz(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| GIGAHERTZ.contains(number));
    // 4.35 is slightly less than 435 hundredths in binary.
    number.map(|number| (number * 100.0 + 1e-6).floor() / 100.0).ok_or_else(|| {
        format!(
            "a clock is a number of GHz from {} to {}, as 4.3, not '{text}'",
            GIGAHERTZ.start(),
            GIGAHERTZ.end()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_in_gigahertz_are_cut() {
        for (text, number) in [("6.0", 6.0), ("4.35", 4.35), ("4.299", 4.29), ("0.1", 0.1)] {
            assert_eq!(gigahertz(text), Ok(number));
        }
        for wrong in ["0", "-1", "1000", "NaN", "inf", "fast", ""] {
            assert!(gigahertz(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn clocks_in_megahertz_may_be_measured() {
        assert_eq!(megahertz_or_auto("AUTO"), Ok(CpuMegahertz::Auto));
        assert_eq!(megahertz_or_auto("4300"), Ok(CpuMegahertz::Stated(4300.0)));
        for (text, clock) in [
            ("0", CpuMegahertz::Unknown),
            ("0.0", CpuMegahertz::Unknown),
            ("3000MHz", CpuMegahertz::Stated(3000.0)),
            (" 3000.5 mhz", CpuMegahertz::Stated(3000.5)),
            ("auto", CpuMegahertz::Auto),
        ] {
            assert_eq!(bench_slopes_megahertz(text), Ok(clock), "{text}");
        }
        for wrong in ["-5", "0.5", "4.3GHz", "3000x", "", "MHz", "nan"] {
            assert!(bench_slopes_megahertz(wrong).is_err(), "{wrong}");
        }
        assert!(megahertz_or_auto("x").is_err_and(|error| error.ends_with("'x'; or auto")));
    }
}
