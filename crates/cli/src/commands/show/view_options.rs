//! Decides how a run is shown: by the options given now, or else by those it was measured with.

use crate::arguments::length;
use crate::order::{Order, order};
use cpb_model::Run;
use std::collections::BTreeSet;

/// The options of `cpb run` that affect how its rows are shown.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ViewOptions {
    pub(super) sizes: Vec<usize>,
    pub(super) sort: Option<Order>,
    pub(super) across: Option<usize>,
}

impl ViewOptions {
    /// Returns these options, or, where none is given, those that `run` was measured with.
    pub(super) fn or_those_of(self, run: &Run) -> Self {
        if self == Self::default() { Self::then(run) } else { self }
    }

    /// Returns the options of the `cpb run` that measured it, as far as its figures allow.
    fn then(run: &Run) -> Self {
        if run.command.get(1).is_none_or(|command| command != "run") {
            return Self::default();
        }
        let given = |option: &str| {
            let mut words = run.command.iter();
            let word = words.find(|word| word.starts_with(option))?;
            let rest = &word[option.len()..];
            if rest.is_empty() { words.next().map(String::as_str) } else { rest.strip_prefix('=') }
        };
        let measured = lengths(run);
        let bytes = |text: &str| length(text).ok().filter(|length| measured.contains(length));
        let sizes = given("--sizes").into_iter().flat_map(|list| list.split(','));
        let is_there =
            |order: &Order| order.length().is_none_or(|length| measured.contains(&length));
        Self {
            sizes: sizes.filter_map(bytes).collect(),
            sort: given("--sort").and_then(|text| order(text).ok()).filter(is_there),
            across: given("--across").and_then(bytes),
        }
    }
}

/// Returns the lengths of all messages.
pub(super) fn lengths(run: &Run) -> BTreeSet<usize> {
    let points = run.records.iter().flat_map(|record| &record.points);
    points.map(|point| point.parameters.message_bytes).filter(|&bytes| bytes != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{record, run};

    #[test]
    fn a_run_is_shown_as_it_was_asked_for() {
        let of = |command: &str| {
            let words = command.split(' ').map(str::to_owned).collect();
            ViewOptions::then(&Run { command: words, ..run(vec![record("sha256", "a", 5.0)]) })
        };
        let asked = of("cpb run sha256 --sizes 64,1K,99 --sort=name");
        assert_eq!((asked.sizes, asked.sort), (vec![64, 1024], Some(Order::Name)));
        assert_eq!(of("cpb run sha256 --across 1024").across, Some(1024));
        for nothing in ["cpb gate --sizes 64", "cpb run sha256 --sort 99", "cpb", "cpb run --sizes"]
        {
            assert_eq!(of(nothing), ViewOptions::default(), "{nothing}");
        }
    }
}
