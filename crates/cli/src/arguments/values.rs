//! Parses lengths, shares, times and counts of the command line.

use cpb_model::LARGEST_BYTES;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// Parses a length in bytes: `64`, `1024`, `16K`.
pub(crate) fn length(text: &str) -> Result<usize, String> {
    match bytes_in_memory(text).ok_or_else(|| not_a_length(1, 1350, text))? {
        0 => Err("a message of no bytes has no cycles per byte; lengths start at 1".to_owned()),
        length => Ok(length),
    }
}

/// Parses a length in bytes that may be zero: `0`, `13`, `16K`.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    bytes_in_memory(text).ok_or_else(|| not_a_length(0, 13, text))
}

fn not_a_length(least: usize, example: usize, text: &str) -> String {
    format!(
        "a length is a whole number of bytes from {least} to {LARGEST_BYTES}, as {example} or 16K, \
         not '{text}'"
    )
}

/// Parses an amount of disk space: `500M`, `4G`.
pub(crate) fn room(text: &str) -> Result<u64, String> {
    bytes(text)
        .ok_or_else(|| format!("room is a whole number of bytes, as 500M or 4G, not '{text}'"))
}

/// Parses a number of bytes up to [`LARGEST_BYTES`].
fn bytes_in_memory(text: &str) -> Option<usize> {
    let size = bytes(text).and_then(|bytes| usize::try_from(bytes).ok());
    size.filter(|size| *size <= LARGEST_BYTES)
}

/// Parses a number of bytes with an optional unit.
fn bytes(text: &str) -> Option<u64> {
    let upper = text.to_ascii_uppercase();
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)].into_iter();
    let mut units = units.flat_map(|(unit, bytes)| ["IB", "I", "B", ""].map(|b| (unit, b, bytes)));
    let (digits, unit) = units
        .find_map(|(unit, b, bytes)| Some((upper.strip_suffix(b)?.strip_suffix(unit)?, bytes)))
        .unwrap_or((upper.strip_suffix('B').unwrap_or(&upper), 1));
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Parses a precision as a percentage: `0.25%` or `0.25`.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    share(text, "a precision", "0.25%")
}

/// Parses a tolerance as a percentage: `2%` or `2`.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    share(text, "a tolerance", "2%")
}

fn share(text: &str, what: &str, example: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse::<f64>().ok();
    let number = number.filter(|number| *number > 0.0 && *number < 100.0);
    number.map(|number| number / 100.0).ok_or_else(|| {
        format!("{what} is a percentage above 0 and below 100, as {example}, not '{text}'")
    })
}

/// Parses the number of a CPU.
pub(crate) fn cpu(text: &str) -> Result<usize, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().ok_or_else(|| {
        format!("a CPU is a whole number, as 3 (cpb doctor lists those allowed), not '{text}'")
    })
}

/// Parses a number of runs.
pub(crate) fn runs(text: &str) -> Result<u32, String> {
    up_to(u32::MAX, text, "a number of runs")
}

/// A number from 1 to `most`, of `what` it is.
pub(crate) fn up_to<T>(most: T, text: &str, what: &str) -> Result<T, String>
where
    T: FromStr + PartialOrd + From<u8> + Copy + Display,
{
    let number = text.parse().ok().filter(|number| (T::from(1)..=most).contains(number));
    number.ok_or_else(|| format!("{what} is a whole number from 1 to {most}, not '{text}'"))
}

/// Parses a time: `90`, `90s`, `2m`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 7.0 * 24.0 * 3600.0;
    let (digits, unit) = match text.strip_suffix('m') {
        Some(minutes) => (minutes, 60.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = digits.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| {
            format!(
                "a time is a number of seconds above 0 and up to {LONGEST} (a week), as 90, 90s \
                 or 2m, not '{text}'"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_bytes_with_binary_units() {
        assert_eq!(length("1350"), Ok(1350));
        assert_eq!(length("16K"), Ok(16_384));
        assert_eq!(length("2MiB"), Ok(2 << 20));
        for (text, bytes) in [("16B", 16), ("1kB", 1024), ("1Ki", 1024), ("1m", 1 << 20)] {
            assert_eq!(length(text), Ok(bytes), "{text}");
        }
        let wrong = "0 -1 K 1.5 2G 99999999999999999999 x 16KK 16BB 16iB 1KiBiB 1KM B";
        for wrong in wrong.split(' ').chain([""]) {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_may_be_empty_has_the_same_limit() {
        assert_eq!((size("0"), size("13"), size("16K")), (Ok(0), Ok(13), Ok(16_384)));
        assert_eq!(size("1024M"), Ok(LARGEST_BYTES));
        for wrong in ["1073741825", "1099511627776", "-1", "x", "", "1025M"] {
            let error = size(wrong).unwrap_err();
            assert!(error.contains("1073741824") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn room_has_no_limit_but_its_unit() {
        assert_eq!((room("0"), room("500M"), room("4G")), (Ok(0), Ok(500 << 20), Ok(4 << 30)));
        for wrong in ["-1", "", "4T", "1.5G", "99999999999999999999", "17179869184G"] {
            let error = room(wrong).unwrap_err();
            assert!(error.contains("as 500M or 4G") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn percentages_and_times() {
        assert_eq!(percentage("0.25%"), Ok(0.0025));
        assert_eq!(percentage("1"), Ok(0.01));
        for wrong in ["0", "-1%", "100", "x", "", "nan", "0.25%%", "%", "1 % %", "inf"] {
            assert!(percentage(wrong).unwrap_err().contains("a precision"), "{wrong}");
            assert!(tolerance(wrong).unwrap_err().contains("a tolerance"), "{wrong}");
        }
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["0", "-3", "", "m", "inf", "1h", "90ss", "90sm", "604801"] {
            assert!(seconds(wrong).unwrap_err().contains("up to 604800"), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_cpus_runs_and_bytes() {
        assert_eq!((cpu("3"), runs("7"), size("0"), size("13")), (Ok(3), Ok(7), Ok(0), Ok(13)));
        for wrong in ["-1", "+1", "", "x", "1.5", "99999999999999999999"] {
            assert!(cpu(wrong).unwrap_err().contains("whole number"), "{wrong}");
            assert!(size(wrong).is_err() || wrong == "+1", "{wrong}");
        }
        for wrong in ["0", "-1", "", "4294967296"] {
            assert!(runs(wrong).unwrap_err().contains("from 1"), "{wrong}");
        }
        assert!(size("1099511627776").unwrap_err().contains("1073741824"));
    }
}
