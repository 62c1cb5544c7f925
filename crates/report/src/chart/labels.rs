//! Places labels beside the ends of lines, as close as they fit.

/// Returns positions as close to `wanted` as possible (least squares) that are at least `gap`
/// apart, between `low` and `high`, and in the order of `wanted`.
///
/// If they do not fit, they exceed `high`.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Without the gaps this is an isotonic regression: groups of labels that push each other share
    // their mean.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (rank, index) in order.iter().enumerate() {
        let mut group = (wanted[*index] - rank as f64 * gap, 1);
        while let Some((mean, count)) = groups.pop_if(|(mean, _)| *mean > group.0) {
            let total = count + group.1;
            group.0 = (mean * count as f64 + group.0 * group.1 as f64) / total as f64;
            group.1 = total;
        }
        groups.push(group);
    }
    let room = (high - gap * wanted.len().saturating_sub(1) as f64).max(low);
    let means = groups.iter().flat_map(|(mean, count)| std::iter::repeat_n(*mean, *count));
    let mut positions = vec![0.0; wanted.len()];
    for ((rank, index), mean) in order.iter().enumerate().zip(means) {
        positions[*index] = mean.clamp(low, room) + rank as f64 * gap;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_apart_stay_where_they_are() {
        assert_eq!(spread(&[50.0, 10.0, 90.0], 20.0, 0.0, 100.0), [50.0, 10.0, 90.0]);
        assert!(spread(&[], 20.0, 0.0, 100.0).is_empty());
    }

    #[test]
    fn labels_that_touch_share_the_way() {
        assert_eq!(spread(&[50.0, 50.0], 20.0, 0.0, 100.0), [40.0, 60.0]);
        assert_eq!(spread(&[99.0, 98.0], 20.0, 0.0, 100.0), [100.0, 80.0]);
    }

    proptest! {
        #[test]
        fn no_two_are_nearer_than_the_gap(wanted in prop::collection::vec(0.0..300.0, 0..20)) {
            let positions = spread(&wanted, 15.0, 0.0, 300.0);
            let mut sorted = positions.clone();
            sorted.sort_by(f64::total_cmp);
            for pair in sorted.windows(2) {
                prop_assert!(pair[1] - pair[0] > 15.0 - 1e-9);
            }
            for position in &sorted {
                prop_assert!((-1e-9..=300.0 + 1e-9).contains(position));
            }
            for (a, b) in (0..wanted.len()).flat_map(|a| (0..wanted.len()).map(move |b| (a, b))) {
                if wanted[a] < wanted[b] {
                    prop_assert!(positions[a] < positions[b]);
                }
            }
        }
    }
}
