//! Describes calls that cost more at some positions of their library in memory.

use crate::number::{bytes, percent};
use crate::{Cell, Style};
use cpb_model::{Axis, Layout, Point, Record};

/// The most rows that are named.
const MOST: usize = 3;

/// Returns a line about those of `records` that cost more or less at some positions, the most
/// different first; `None` if there are none.
pub fn line<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<Cell> {
    let mut found: Vec<(f64, String)> = records.into_iter().filter_map(most_different).collect();
    found.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let more = found.len().saturating_sub(MOST);
    let mut parts: Vec<String> = found.into_iter().take(MOST).map(|(_, words)| words).collect();
    if more != 0 {
        parts.push(format!("{more} more row{}", if more == 1 { "" } else { "s" }));
    }
    (!parts.is_empty()).then(|| Cell::new(format!("layout: {}", parts.join(" · ")), Style::Faint))
}

/// Returns the largest relative difference at deviating positions over all lengths, with its
/// description.
fn most_different(record: &Record) -> Option<(f64, String)> {
    let effect = |point: &Point| effect(point.layout.as_ref()?);
    let of_points = record.points.iter().filter_map(|point| Some((point, effect(point)?)));
    let (point, more) = of_points.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
    let layout = point.layout.as_ref()?;
    let (count, all) = (layout.differing().count(), layout.positions.len());
    let subject = &record.subject;
    let length = match subject.axis() {
        Axis::Bytes => format!(" {}", bytes(point.parameters.message_bytes)),
        _ => String::new(),
    };
    let cost = if count == 1 { "costs" } else { "cost" };
    let words = format!(
        "{} {}{length} of {}: {count} of {all} positions {cost} {}",
        subject.primitive,
        subject.operation.name(),
        subject.library,
        more_or_less(1.0 + more)
    );
    Some((more, words))
}

/// Returns how much more the deviating positions cost than the others, relatively.
fn effect(layout: &Layout) -> Option<f64> {
    let costs: Vec<f64> = layout.differing().map(|it| it.cycles_per_call).collect();
    let there = cpb_stats::mean(&costs)?;
    Some(there / layout.elsewhere()? - 1.0)
}

/// Describes a ratio that deviates at some positions: `9.0 % more at 1 of 8 positions`.
pub fn of_ratio(layout: &cpb_stats::Layout) -> String {
    let (count, all) = (layout.at.len(), layout.positions);
    let most = |a: &f64, b: &f64| a.ln().abs().total_cmp(&b.ln().abs());
    let largest = layout.at.iter().map(|(_, factor)| *factor).max_by(most).unwrap_or(1.0);
    let up_to = if count == 1 { "" } else { "up to " };
    format!("layout: {up_to}{} at {count} of {all} positions", more_or_less(largest))
}

fn more_or_less(factor: f64) -> String {
    let word = if factor < 1.0 { "less" } else { "more" };
    format!("{} {word}", percent((factor - 1.0).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing;
    use cpb_model::Position;

    fn record(primitive: &str, slow: f64) -> Record {
        let mut record = testing::record(primitive, "openssl", 1.0);
        let position = |position| Position {
            position,
            rounds: 3,
            cycles_per_call: if position == 7 { 100.0 * slow } else { 100.0 },
            differs: position == 7 && slow != 1.0,
        };
        record.points[0].layout = Some(Layout { positions: (0..8).map(position).collect() });
        record
    }

    #[test]
    fn rows_that_differ_are_told_the_most_different_first() {
        assert_eq!(line(&[record("sha256", 1.0)]), None);
        let rows = [record("sha256", 0.98), record("aes-128-gcm", 1.09), record("md5", 1.0)];
        let length = bytes(rows[0].points[0].parameters.message_bytes);
        let said = line(&rows).unwrap();
        let expected = format!(
            "layout: aes-128-gcm hash {length} of openssl: 1 of 8 positions costs 9.0 % more · \
             sha256 hash {length} of openssl: 1 of 8 positions costs 2.0 % less"
        );
        assert_eq!(said, Cell::new(expected, Style::Faint));
        let many: Vec<Record> = (0..5).map(|_| record("sha256", 1.02)).collect();
        assert!(line(&many).unwrap().text().ends_with(" · 2 more rows"));
        assert!(line(&many[1..]).unwrap().text().ends_with(" · 1 more row"));
    }

    #[test]
    fn a_ratio_is_told_by_its_largest_effect() {
        let layout = |at: &[(u8, f64)]| cpb_stats::Layout { at: at.to_vec(), positions: 8 };
        assert_eq!(of_ratio(&layout(&[(7, 1.09)])), "layout: 9.0 % more at 1 of 8 positions");
        let both = of_ratio(&layout(&[(6, 1.05), (7, 0.92)]));
        assert_eq!(both, "layout: up to 8.0 % less at 2 of 8 positions");
    }
}
