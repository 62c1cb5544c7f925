//! Summarises the events that cores counted in the rounds of a row. Pure.

use crate::plan::Row;
use cpb_model::{EventCounts, Point};
use cpb_stats::median_of;

/// Sets the medians of the events counted in `rounds` for `points` of `row`, by length.
pub(super) fn put(points: &mut [Point], row: &Row, rounds: &[Vec<Option<EventCounts>>]) {
    for point in points {
        let is_it = |length: &usize| row.call(*length).parameters == point.parameters;
        let place = row.lengths.iter().position(is_it);
        let counted =
            place.map(|place| rounds.iter().filter_map(move |round| *round.get(place)?));
        point.events = counted.and_then(|rounds| median(&rounds.collect::<Vec<_>>()));
    }
}

fn median(rounds: &[EventCounts]) -> Option<EventCounts> {
    let of = |count: fn(&EventCounts) -> Option<f64>| {
        median_of(&rounds.iter().filter_map(count).collect::<Vec<_>>())
    };
    Some(EventCounts {
        cycles: of(|it| Some(it.cycles))?,
        instructions: of(|it| Some(it.instructions))?,
        branch_misses: of(|it| it.branch_misses),
        l1_data_misses: of(|it| it.l1_data_misses),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_is_the_median_of_the_rounds_that_have_it() {
        let counts = |instructions, branch_misses| EventCounts {
            cycles: 100.0,
            instructions,
            branch_misses,
            l1_data_misses: None,
        };
        let rounds = [counts(300.0, Some(1.0)), counts(100.0, None), counts(200.0, Some(3.0))];
        assert_eq!(median(&rounds), Some(counts(200.0, Some(2.0))));
        assert_eq!(median(&[]), None);
    }
}
