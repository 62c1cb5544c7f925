//! Chooses the marks of a time axis.

use super::Tick;
use crate::chart::scale::Range;
use crate::date;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// The first Monday: 1970 began on a Thursday.
const FIRST_MONDAY: i64 = 4 * DAY;

/// Steps of equal length, in seconds.
const EVEN: [i64; 9] = [60, 10 * 60, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];
/// Calendar steps, in months.
const MONTHS: [i64; 9] = [1, 2, 3, 6, 12, 24, 60, 120, 600];
const DAYS_OF_MONTH: i64 = 30;
const NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns about `count` marks over `range`, in seconds since 1970.
pub(super) fn ticks(range: &Range, count: f64) -> Vec<Tick> {
    let (low, high) = (range.low.ceil() as i64, range.high.floor() as i64);
    let least = (range.high - range.low) / count.max(1.0);
    let even = EVEN.into_iter().find(|step| *step as f64 >= least);
    match even {
        Some(step) => evenly(low, high, step),
        None => by_months(low, high, least),
    }
}

fn evenly(low: i64, high: i64, step: i64) -> Vec<Tick> {
    let offset = if step == 7 * DAY { FIRST_MONDAY } else { 0 };
    let first = (low - offset).div_euclid(step) * step + offset;
    let ticks = (0..200).map(|index| first.saturating_add(index * step));
    ticks
        .skip_while(|seconds| *seconds < low)
        .take_while(|seconds| *seconds <= high)
        .map(|seconds| tick(seconds, if step < DAY { minute(seconds) } else { day(seconds) }))
        .collect()
}

fn by_months(low: i64, high: i64, least: f64) -> Vec<Tick> {
    let wanted = |step: &i64| (step * DAYS_OF_MONTH * DAY) as f64 >= least * 0.999;
    let step = MONTHS.into_iter().find(wanted).unwrap_or(6000);
    let Some((year, month)) = year_and_month(low) else { return Vec::new() };
    let first = (year * 12 + month - 1).div_euclid(step) * step;
    let months = (0..200).map(|index| first + index * step);
    let place =
        |months: i64| date::start_of_month(months.div_euclid(12), months.rem_euclid(12) + 1);
    let placed = months.map_while(|months| Some((months, place(months)?)));
    placed
        .skip_while(|(_, seconds)| *seconds < low)
        .take_while(|(_, seconds)| *seconds <= high)
        .map(|(months, seconds)| {
            let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
            let words = if step < 12 { format!("{year}-{month:02}") } else { year.to_string() };
            tick(seconds, words)
        })
        .collect()
}

fn tick(seconds: i64, words: String) -> Tick {
    Tick { value: seconds as f64, label: Some(words) }
}

/// Formats the time, `14:30`; at midnight the day.
fn minute(seconds: i64) -> String {
    let text = date::to_the_minute(seconds);
    match text.split_once(' ') {
        Some((_, "00:00")) | None => day(seconds),
        Some((_, minute)) => minute.to_owned(),
    }
}

/// Formats the day: `Nov 21`.
fn day(seconds: i64) -> String {
    let text = date::to_the_minute(seconds);
    let month = year_and_month(seconds).and_then(|(_, month)| NAMES.get(month as usize - 1));
    match month.zip(text.get(8..10)) {
        Some((month, day)) => format!("{month} {}", day.trim_start_matches('0')),
        None => text,
    }
}

/// Returns year and month; `None` if no calendar has it.
fn year_and_month(seconds: i64) -> Option<(i64, i64)> {
    let text = date::to_the_minute(seconds);
    Some((text.get(0..4)?.parse().ok()?, text.get(5..7)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(low: i64, high: i64) -> String {
        let range = Range { low: low as f64, high: high as f64, logarithmic: false };
        let found = ticks(&range, 7.0);
        assert!(found.is_sorted_by(|a, b| a.value < b.value));
        assert!(found.iter().all(|tick| range.holds(tick.value)));
        let words: Vec<String> = found.into_iter().filter_map(|tick| tick.label).collect();
        words.join(" ")
    }

    #[test]
    fn times_stand_where_a_calendar_has_marks() {
        // 2026-11-21 22:10:05
        let now = 1_795_299_005;
        assert_eq!(words(now - 7 * HOUR, now), "16:00 17:00 18:00 19:00 20:00 21:00 22:00");
        assert_eq!(words(now - 30 * HOUR, now), "18:00 Nov 21 06:00 12:00 18:00");
        assert_eq!(words(now - 6 * DAY, now), "Nov 16 Nov 17 Nov 18 Nov 19 Nov 20 Nov 21");
        assert_eq!(words(now - 40 * DAY, now), "Oct 19 Oct 26 Nov 2 Nov 9 Nov 16");
        assert_eq!(words(now - 200 * DAY, now), "2026-06 2026-07 2026-08 2026-09 2026-10 2026-11");
        assert_eq!(words(now - 3000 * DAY, now), "2020 2022 2024 2026");
    }

    #[test]
    fn no_range_makes_too_many_or_panics() {
        for (low, high) in [(0, 1), (0, 0), (-5, 5), (i64::MIN, i64::MAX), (0, 1 << 40)] {
            let range = Range { low: low as f64, high: high as f64, logarithmic: false };
            assert!(ticks(&range, 7.0).len() <= 200);
        }
    }
}
