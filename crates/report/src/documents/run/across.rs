//! All primitives of an operation, ranked together by what one length of message costs.

use crate::number::{bytes, counted};
use crate::{Cell, Style};
use cpb_figures::{Group, Unit};
use std::collections::HashSet;

/// Of more rows than this, each primitive's fastest is shown, and of these so many.
const SHOWN: usize = 10;

/// Leaves of many rows each primitive's fastest, and of these the first; says so where it does.
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

/// What the figures are; none stands at other lengths.
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

/// `seal of 1350 B, 13 B aad`.
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
