//! Times as text, from seconds since 1970. One that no calendar has stays a number.

/// `2026-11-21 22:10`, in UTC, for where a heading says so.
#[must_use]
pub fn to_the_minute(seconds: impl Into<i128>) -> String {
    formatted(seconds.into(), "%Y-%m-%d %H:%M")
}

/// `2026-11-21 22:10 UTC`.
#[must_use]
pub fn utc(seconds: impl Into<i128>) -> String {
    formatted(seconds.into(), "%Y-%m-%d %H:%M UTC")
}

/// `2026-11-21T22:10:05Z` (RFC 3339).
#[must_use]
pub fn timestamp(seconds: impl Into<i128>) -> String {
    formatted(seconds.into(), "%Y-%m-%dT%H:%M:%SZ")
}

fn formatted(seconds: i128, format: &str) -> String {
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map_or_else(|| seconds.to_string(), |time| time.strftime(format).to_string())
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
        assert_eq!(utc(i64::MAX), i64::MAX.to_string());
        assert_eq!(utc(u64::MAX), u64::MAX.to_string());
    }
}
