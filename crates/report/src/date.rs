//! Formats times given in seconds since 1970. Times outside the calendar stay numbers.

use std::time::{Duration, UNIX_EPOCH};

/// 10000-01-01, the first year that RFC 3339 cannot write.
const FIVE_DIGIT_YEARS: u64 = 253_402_300_800;

/// Formats `2026-11-21 22:10` in UTC, for places where a heading says so.
pub fn to_the_minute(seconds: impl Into<i128>) -> String {
    let seconds = seconds.into();
    minute(seconds).unwrap_or_else(|| seconds.to_string())
}

/// Formats `2026-11-21 22:10 UTC`.
pub fn utc(seconds: impl Into<i128>) -> String {
    let seconds = seconds.into();
    minute(seconds).map_or_else(|| seconds.to_string(), |minute| minute + " UTC")
}

/// Formats `2026-11-21T22:10:05Z` (RFC 3339).
pub fn timestamp(seconds: impl Into<i128>) -> String {
    let seconds = seconds.into();
    rfc3339(seconds).unwrap_or_else(|| seconds.to_string())
}

/// Returns the seconds from 1970 to the first of a month, 1 to 12, at midnight; `None` before 1970
/// and beyond RFC 3339's years.
pub(crate) fn start_of_month(year: i64, month: i64) -> Option<i64> {
    let text = format!("{year:04}-{month:02}-01T00:00:00Z");
    let time = humantime::parse_rfc3339(&text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(time.as_secs()).ok()
}

fn minute(seconds: i128) -> Option<String> {
    Some(rfc3339(seconds)?.replace('T', " ").split_at("2026-11-21 22:10".len()).0.to_owned())
}

fn rfc3339(seconds: i128) -> Option<String> {
    let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds < FIVE_DIGIT_YEARS)?;
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    Some(humantime::format_rfc3339_seconds(time).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_are_known() {
        for (seconds, date) in [
            (0_u64, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_000_000_000, "2001-09-09 01:46 UTC"),
            (4_107_542_399, "2100-02-28 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
            (253_402_300_799, "9999-12-31 23:59 UTC"),
        ] {
            assert_eq!(utc(seconds), date);
        }
    }

    #[test]
    fn other_forms_are_of_the_same_time() {
        assert_eq!(to_the_minute(1_795_299_005_i64), "2026-11-21 22:10");
        assert_eq!(timestamp(1_795_299_005_i64), "2026-11-21T22:10:05Z");
    }

    #[test]
    fn what_no_calendar_has_stays_a_number() {
        assert_eq!(timestamp(FIVE_DIGIT_YEARS), FIVE_DIGIT_YEARS.to_string());
        assert_eq!(timestamp(-1), "-1");
        assert_eq!(utc(i64::MAX), i64::MAX.to_string());
        assert_eq!(utc(u64::MAX), u64::MAX.to_string());
    }
}
