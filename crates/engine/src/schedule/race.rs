//! Finds rows that are already known not to be the fastest, so that they can stop early.

use crate::plan::Row;
use crate::schedule::gated::Figures;
use crate::schedule::rows::Rows;
use cpb_figures::is_behind;
use cpb_model::{Point, Workload};
use std::collections::HashMap;

/// What is known about a row.
#[derive(Default)]
pub(super) struct RowProgress {
    pub(super) is_precise: bool,
    /// Whether it is precise enough for a row that cannot be the fastest.
    pub(super) is_coarse: bool,
    /// Whether it is certainly not the fastest.
    pub(super) is_behind: bool,
    /// The figures that were last computed.
    pub(super) figures: Figures,
}

/// Returns the rows that are coarse but not yet precise, and that another row of the same work
/// certainly beats at every length.
pub(super) fn dominated_rows(planned: &[Row], rows: &Rows, known: &[RowProgress]) -> Vec<usize> {
    let mut all: HashMap<&Workload, Vec<usize>> = HashMap::new();
    for (index, row) in planned.iter().enumerate() {
        if !rows.has_failed(index) {
            all.entry(&row.workload).or_default().push(index);
        }
    }
    let mut behind = Vec::new();
    for members in all.values() {
        // A row behind any other is behind one that leads at some length.
        let best: Vec<&[Point]> = first_at_some_length(members, known);
        let is_out = |index: &&usize| {
            let RowProgress { is_precise, is_coarse, figures, .. } = &known[**index];
            let others = || best.iter().any(|other| is_behind(&figures.0, other));
            *is_coarse && !is_precise && others()
        };
        behind.extend(members.iter().filter(is_out));
    }
    behind
}

/// Returns, for each length, the row with the lowest cost.
fn first_at_some_length<'a>(members: &[usize], known: &'a [RowProgress]) -> Vec<&'a [Point]> {
    let known = || members.iter().map(|&index| &known[index].figures.0[..]);
    let lengths = known().map(<[Point]>::len).max().unwrap_or(0);
    let at = |points: &&[Point], place: usize| {
        points.get(place).map_or(f64::INFINITY, |point| point.cycles_per_call.estimate)
    };
    let first = |place: usize| known().min_by(|a, b| at(a, place).total_cmp(&at(b, place)));
    (0..lengths).filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::offer;
    use cpb_figures::testing::figure;
    use cpb_model::{Contract, Offer, Parameters, Verification};

    /// Creates rows of one kind, except for the last, with these cycles at two lengths.
    fn rows(cycles: &[[f64; 2]]) -> (Vec<Row>, Rows, Vec<RowProgress>) {
        let kinds = cycles.iter().enumerate().map(|(index, _)| {
            let is_last = index + 1 == cycles.len();
            let primitive = if is_last { "other" } else { "same" }.to_owned();
            let offer = Offer { primitive, ..offer() };
            Row::new("any", &offer, Contract::Keyed, Parameters::default(), vec![1, 2])
        });
        let point = |(length, cycles): (usize, f64)| {
            let mut point = cpb_figures::testing::record("same", "any", 1.0).points.swap_remove(0);
            point.parameters.message_bytes = length;
            point.cycles_per_call = figure(cycles);
            point
        };
        let known = cycles.iter().map(|cycles| RowProgress {
            figures: ((1..).zip(cycles.iter().copied()).map(point).collect(), None),
            is_coarse: true,
            ..RowProgress::default()
        });
        let verdicts = cycles.iter().map(|_| Ok(Verification::KnownAnswer));
        (kinds.collect(), Rows::of(verdicts.collect()), known.collect())
    }

    #[test]
    fn who_cannot_be_the_fastest_at_any_length_is_behind() {
        // The figures have ±1 %.
        let (planned, rows, mut known) =
            rows(&[[100.0, 300.0], [200.0, 200.0], [101.0, 301.0], [210.0, 310.0], [900.0, 900.0]]);
        assert_eq!(dominated_rows(&planned, &rows, &known), [3]);
        known[3].is_coarse = false;
        assert!(dominated_rows(&planned, &rows, &known).is_empty(), "it is not known well enough");
        (known[3].is_coarse, known[3].is_precise) = (true, true);
        assert!(dominated_rows(&planned, &rows, &known).is_empty(), "it is known already");
    }
}
