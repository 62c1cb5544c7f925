//! Writes the CSV of bench-slopes, without quotes and header.

use super::rows::{
    Figures, RowOptions, algorithm, by_library, first_line, group_name, is_of_key_pairs, mode,
};
use cpb_model::{Record, Run};

/// Smaller clock differences are not printed, in thousandths.
pub(super) const LEAST_DIFFERENCE: f64 = 0.1;

/// Formats the whole CSV, library by library, without failed rows.
pub fn text(run: &Run, shown: &RowOptions) -> String {
    let mut text = String::new();
    for (label, records) in by_library(run) {
        text.push_str(&first_line(run, label, shown));
        for line in records.iter().filter_map(|record| line(record, shown)) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn line(record: &Record, shown: &RowOptions) -> Option<String> {
    let figures = Figures::of(record)?;
    let number = |value: f64| shown.number(value);
    let cycles = if shown.cycles { number(figures.cycles) } else { String::new() };
    let nanoseconds = number(figures.nanoseconds);
    let group = group_name(record);
    let name = format!("{group},{},{}", algorithm(record), mode(record));
    let mut line = if group == "kdf" || is_of_key_pairs(record) {
        format!("{name},,,,,,,,,{nanoseconds},ns/iter,{cycles},c/iter")
    } else {
        let speed = number(figures.mebibytes_per_second);
        format!("{name},,,{nanoseconds},ns/B,{speed},MiB/s,{cycles},c/B")
    };
    if shown.clock {
        line.push_str(&format!(",{:.1},Mhz", figures.megahertz));
        if figures.clock_difference >= LEAST_DIFFERENCE && group != "kdf" {
            line.push_str(&format!(",{:.1},Mhz-diff", figures.clock_difference));
        }
    }
    if figures.upper_bound && shown.old_tool.is_none() {
        line.push_str(",1,upper-bound");
    }
    Some(line)
}
