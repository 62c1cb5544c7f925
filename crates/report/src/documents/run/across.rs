//! Ranks all primitives of an operation together, at one message length.

use crate::number::{bytes, counted};
use crate::{Cell, Style};
use cpb_figures::{Group, Unit};
use std::collections::HashSet;

/// With more rows than this, only each primitive's fastest row is shown, up to this number.
const SHOWN: usize = 10;

/// Keeps each primitive's fastest row if there are many, and the first of these; returns a line
/// that says so.
pub(super) fn keep_first(groups: &mut [Group]) -> Option<Cell> {
    let all = groups.iter().map(|group| group.rows.len()).sum();
    for group in groups.iter_mut().filter(|group| group.rows.len() > SHOWN) {
        let mut known = HashSet::new();
        group.rows.retain(|row| known.insert(row.record.workload.primitive.as_str()));
        group.rows.truncate(SHOWN);
    }
    let are_all = groups.iter().map(|group| group.rows.len()).sum::<usize>() == all;
    let words = "each primitive's fastest library, fastest first; --verbose shows all";
    let words = || format!("{words} {}", counted(all, "row"));
    (!are_all).then(|| Cell::new(words(), Style::Faint))
}

/// Explains the figures, which are all at one length.
pub(super) fn figures(first: &str, length: usize) -> [String; 3] {
    let figure = match first {
        "c/B" => format!("c/B: cycles per byte of messages of {}", bytes(length)),
        _ => "cycles: of one call".to_owned(),
    };
    [figure, String::new(), "×: of the fastest".to_owned()]
}

pub(super) fn is_by_bytes(group: &Group) -> bool {
    matches!(group.unit, Unit::PerByteAt(_))
}

/// Formats the title: `seal of 1350 B, 13 B aad`.
pub(super) fn title(group: &Group, length: usize) -> String {
    let mut title = group.workload.operation.name().to_owned();
    match group.unit {
        Unit::PerByteAt(_) => title.push_str(&format!(" of {}", bytes(length))),
        Unit::PerIteration => title.push_str(", per iteration"),
        _ => title.push_str(", per call"),
    }
    group.modifiers().iter().for_each(|it| title.push_str(&format!(", {it}")));
    title
}
