//! The core clock, as the old tools have it stated.

/// The clocks of `--cpu-mhz` and `--cpu-clock`, in MHz.
const MEGAHERTZ: std::ops::RangeInclusive<f64> = 1.0..=100_000.0;
/// The clocks that the recursive SHA-256 benchmark knows, in GHz.
const GIGAHERTZ: std::ops::RangeInclusive<f64> = 0.1..=999.9;

/// How the core clock is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CpuMegahertz {
    /// Measured, and printed.
    Auto,
    /// As the user states it.
    Stated(f64),
    /// Said not to be known: 0, as bench-slopes has it.
    Unknown,
}

/// What bench-slopes takes for `--cpu-mhz`.
///
/// # Errors
/// Where `text` is neither a clock nor `auto`, what would be right.
pub fn megahertz_or_auto(text: &str) -> Result<CpuMegahertz, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(CpuMegahertz::Auto);
    }
    megahertz(text).map(CpuMegahertz::Stated).map_err(|reason| format!("{reason}; or auto"))
}

/// What bench-slopes takes for it by its own name: 0 for a clock that is not known, and a unit
/// behind the number, which it does not read.
///
/// # Errors
/// Where `text` is neither, what would be right.
pub fn bench_slopes_megahertz(text: &str) -> Result<CpuMegahertz, String> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.strip_suffix("mhz").unwrap_or(&lower).trim_end();
    match number.parse() {
        Ok(0.0) => Ok(CpuMegahertz::Unknown),
        _ => megahertz_or_auto(number),
    }
}

/// A clock in MHz.
///
/// # Errors
/// Where `text` is none, what would be right.
pub fn megahertz(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| MEGAHERTZ.contains(number)).ok_or_else(|| {
        format!(
            "a clock is a number of MHz from {} to {}, as 4300, not '{text}'",
            MEGAHERTZ.start(),
            MEGAHERTZ.end()
        )
    })
}

/// A clock in GHz, cut to two decimals as the recursive SHA-256 benchmark does.
///
/// # Errors
/// Where `text` is none, what would be right.
pub fn gigahertz(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| GIGAHERTZ.contains(number));
    // 4.35 is a little less than 435 hundredths in binary.
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
