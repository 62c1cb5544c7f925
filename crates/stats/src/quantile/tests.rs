use super::*;
use crate::mean;
use proptest::prelude::*;

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

fn naive_median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

fn naive_quantile(values: &[f64], q: f64) -> f64 {
    let sorted = sorted(values);
    let position = (sorted.len() - 1) as f64 * q;
    let (low, high) = (position.floor() as usize, position.ceil() as usize);
    sorted[low] * (1.0 - position.fract()) + sorted[high] * position.fract()
}

/// Repeating each value four times makes the quarters whole, so plain trimming is exact.
fn naive_midmean(values: &[f64]) -> f64 {
    let repeated: Vec<f64> = sorted(values).iter().flat_map(|&value| [value; 4]).collect();
    let n = values.len();
    repeated[n..3 * n].iter().sum::<f64>() / (2 * n) as f64
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// An explicit generator keeps this file free of the crate's own random draws.
fn uniform(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..n).map(|_| rng.f64()).collect()
}

#[test]
fn known_values() {
    assert_eq!(median_of(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median_of(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median_of(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    assert_eq!(quantile_of(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
    assert_eq!(quantile_of(&[10.0, 0.0], 0.1), Some(1.0));
    assert_eq!(midmean_of(&[7.0]), Some(7.0));
    assert_eq!(midmean_of(&[1.0, 2.0]), Some(1.5));
    assert_eq!(midmean_of(&[0.0, 1.0, 8.0]), Some((0.25 * 0.0 + 1.0 + 0.25 * 8.0) / 1.5));
    assert_eq!(midmean_of(&[0.0, 1.0, 2.0, 90.0]), Some(1.5));
    assert_eq!(midmean_of(&[-50.0, 1.0, 2.0, 4.0, 90.0]), Some((0.75 + 2.0 + 3.0) / 2.5));
    assert_eq!(modal_mean_of(&[7.0], 4, 0.0), Some(7.0));
    assert_eq!(modal_mean_of(&[1.0, 2.0], 4, 0.0), Some(1.5));
    // The three values are the narrowest; 6 is as far from their middle as they are wide, and
    // 9 further.
    assert_eq!(modal_mean_of(&[9.0, 2.0, 6.0, 3.0, 4.0], 4, 0.0), Some((2.0 + 3.0 + 4.0) / 3.0));
    assert_eq!(
        modal_mean_of(&[9.0, 2.0, 5.0, 3.0, 4.0], 4, 0.0),
        Some((2.0 + 3.0 + 4.0 + 5.0) / 4.0)
    );
    assert_eq!(modal_mean_of(&[5.0, 5.0, 5.0, 1.0, 8.0], 4, 0.0), Some(5.0));
    assert_eq!(modal_mean_of(&[5.0, 5.0, 5.0, 1.0, 6.0], 4, 0.2), Some(21.0 / 4.0));
}

#[test]
fn unfit_input_gives_none() {
    for values in [&[][..], &[f64::NAN], &[1.0, f64::INFINITY], &[f64::NEG_INFINITY, 2.0]] {
        assert_eq!(median_of(values), None);
        assert_eq!(quantile_of(values, 0.5), None);
        assert_eq!(midmean_of(values), None);
        assert_eq!(modal_mean_of(values, 4, 0.0), None);
    }
    for q in [-0.1, 1.1, f64::NAN] {
        assert_eq!(quantile_of(&[1.0], q), None);
    }
    let apart = [f64::MIN, f64::MAX];
    assert_eq!(median_of(&apart), Some(0.0));
    assert_eq!(quantile_of(&apart, 0.25), None);
    assert_eq!(midmean_of(&apart), None);
    assert_eq!(modal_mean_of(&apart, 4, 0.0), None);
}

/// Six of ten samples are stalled, which adds a tenth or more to a sample.
#[test]
fn the_modal_mean_stays_where_most_values_were_not_added_to() {
    let mut random = uniform(3, 4 * 40).into_iter();
    let mut next = || random.next().unwrap_or_default();
    let samples: Vec<f64> = (0..40)
        .map(|index| {
            let noise = 0.004 * (next() + next() + next() - 1.5);
            let stalled = if index % 5 < 3 { 0.1 + 0.12 * next() } else { 0.0 };
            1000.0 * (1.0 + noise + stalled)
        })
        .collect();
    let modal = modal_mean_of(&samples, 4, 0.02).unwrap();
    assert!((modal - 1000.0).abs() < 3.0, "{modal}");
    assert!(median_of(&samples).unwrap() > 1090.0 && midmean_of(&samples).unwrap() > 1080.0);
}

#[test]
fn known_distributions() {
    let exponential: Vec<f64> = uniform(1, 100_000).iter().map(|u| -(1.0 - u).ln()).collect();
    assert!((median_of(&exponential).unwrap() - 2f64.ln()).abs() < 0.01);
    assert!((quantile_of(&exponential, 0.9).unwrap() - 10f64.ln()).abs() < 0.03);
    // Integral of -ln(1 - u) over the middle half, doubled.
    let middle = 2.0 * (0.75 * (0.75f64.ln() - 1.0) - 0.25 * (0.25f64.ln() - 1.0));
    assert!((midmean_of(&exponential).unwrap() + middle).abs() < 0.01);

    let both = uniform(2, 200_000);
    let (angle, radius) = both.split_at(100_000);
    let normal: Vec<f64> = angle
        .iter()
        .zip(radius)
        .map(|(a, r)| (-2.0 * (1.0 - r).ln()).sqrt() * (std::f64::consts::TAU * a).cos())
        .collect();
    assert!(median_of(&normal).unwrap().abs() < 0.015);
    assert!(midmean_of(&normal).unwrap().abs() < 0.015);
    let noise: Vec<f64> = normal.iter().map(|it| 1000.0 + 3.0 * it).collect();
    let below = 1000.0 - modal_mean_of(&noise, 4, 0.02).unwrap();
    assert!(below.abs() < 0.1, "{below}");
    assert!((quantile_of(&normal, 0.975).unwrap() - 1.96).abs() < 0.03);
    let distances: Vec<f64> = normal.iter().map(|it| it.abs()).collect();
    assert!((median_of(&distances).unwrap() * NORMAL_CONSISTENCY - 1.0).abs() < 0.02);
}

proptest! {
    #[test]
    fn agrees_with_sorting(
        values in prop::collection::vec(-1e3..1e3f64, 1..60),
        q in 0.0..=1.0f64,
    ) {
        prop_assert!(close(median_of(&values).unwrap(), naive_median(&values)));
        prop_assert!(close(quantile_of(&values, q).unwrap(), naive_quantile(&values, q)));
        prop_assert!(close(midmean_of(&values).unwrap(), naive_midmean(&values)));
    }

    #[test]
    fn ties_agree_with_sorting(
        values in prop::collection::vec((0..4u8).prop_map(f64::from), 1..40),
        q in 0.0..=1.0f64,
    ) {
        prop_assert!(close(median_of(&values).unwrap(), naive_median(&values)));
        prop_assert!(close(quantile_of(&values, q).unwrap(), naive_quantile(&values, q)));
        prop_assert!(close(midmean_of(&values).unwrap(), naive_midmean(&values)));
    }

    #[test]
    fn order_of_values_does_not_matter(
        values in prop::collection::vec(-1e3..1e3f64, 1..60),
        q in 0.0..=1.0f64,
    ) {
        let mut reversed = values.clone();
        reversed.reverse();
        prop_assert_eq!(median_of(&values), median_of(&reversed));
        prop_assert_eq!(quantile_of(&values, q), quantile_of(&reversed, q));
        let (forth, back) = (midmean_of(&values).unwrap(), midmean_of(&reversed).unwrap());
        prop_assert!(close(forth, back));
        prop_assert_eq!(modal_mean_of(&values, 4, 0.0), modal_mean_of(&reversed, 4, 0.0));
    }

    #[test]
    fn quantile_is_monotone_and_bounded(
        values in prop::collection::vec(any::<f64>(), 1..20),
        p in 0.0..=1.0f64,
        q in 0.0..=1.0f64,
    ) {
        let (p, q) = (p.min(q), p.max(q));
        let results = (quantile_of(&values, p), quantile_of(&values, q));
        if let (Some(at_p), Some(at_q)) = results {
            let sorted = sorted(&values);
            prop_assert!(sorted[0] <= at_p && at_p <= at_q && at_q <= sorted[sorted.len() - 1]);
        }
    }

    #[test]
    fn no_input_yields_nan(values in prop::collection::vec(any::<f64>(), 0..8)) {
        let results = [
            median_of(&values),
            quantile_of(&values, 0.3),
            midmean_of(&values),
            modal_mean_of(&values, 4, 0.0),
        ];
        for result in results.into_iter().flatten() {
            prop_assert!(result.is_finite());
        }
    }

    #[test]
    fn moves_and_scales_with_the_data(
        values in prop::collection::vec(-1e3..1e3f64, 1..60),
        shift in -1e3..1e3f64,
        scale in 0.01..100.0f64,
    ) {
        let moved: Vec<f64> = values.iter().map(|value| value * scale + shift).collect();
        let map = |value: f64| value * scale + shift;
        prop_assert!(close(median_of(&moved).unwrap(), map(median_of(&values).unwrap())));
        prop_assert!(close(midmean_of(&moved).unwrap(), map(midmean_of(&values).unwrap())));
    }
}

#[test]
fn mean_between_counts_parts_of_values() {
    let values = [5.0, 1.0, 4.0, 2.0, 3.0];
    // 1 counts half, 2 whole, 3 half.
    assert_eq!(mean_between(&values, 0.1, 0.5), Some((0.5 + 2.0 + 1.5) / 2.0));
    assert_eq!(mean_between(&values, 0.0, 0.2), Some(1.0));
    assert_eq!(mean_between(&[7.0], 0.1, 0.5), Some(7.0));
    for (low, high) in [(0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (0.5, 1.1), (f64::NAN, 1.0)] {
        assert_eq!(mean_between(&values, low, high), None);
    }
    assert_eq!(mean_between(&[], 0.1, 0.5), None);
}

proptest! {
    #[test]
    fn mean_between_contains_midmean_and_mean(
        values in prop::collection::vec(-1e6_f64..1e6, 1..50)
    ) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        prop_assert!(near(mean_between(&values, 0.0, 1.0).unwrap(), mean));
        let middle = mean_between(&values, 0.25, 0.75).unwrap();
        prop_assert!(near(middle, midmean_of(&values).unwrap()));
        let lower = mean_between(&values, 0.1, 0.5).unwrap();
        prop_assert!(lower <= mean_between(&values, 0.5, 0.9).unwrap() + 1e-9);
    }
}

#[test]
fn the_lowest_cluster_is_tight_and_apart_from_what_is_above() {
    let cluster =
        |values: &[f64]| lowest_cluster(&mut values.to_vec(), 12.5, [0.02, 0.01]).and_then(mean);
    let stalled: Vec<f64> = (0..20).map(|index| 104.0 + 0.2 * f64::from(index)).collect();
    let with = |low: &[f64]| [low, &stalled].concat();
    assert_eq!(cluster(&with(&[99.5, 100.0, 100.5])), Some(100.0));
    // One value in eight may be lower, if its bracket was stalled.
    assert_eq!(cluster(&with(&[95.0, 96.0, 99.5, 100.0, 100.5])), Some(100.0));
    assert_eq!(cluster(&with(&[100.0, 101.0])), None, "two are few");
    assert_eq!(cluster(&with(&[98.0, 100.0, 101.0])), None, "wide");
    assert_eq!(cluster(&with(&[102.0, 103.1, 103.2])), None, "not apart");
    assert_eq!(cluster(&stalled), None);
    assert_eq!(cluster(&[100.0; 9]), None);
    assert_eq!(cluster(&[]), None);
    assert_eq!(cluster(&[f64::NAN, 1.0, 1.0, 1.0, 2.0]), None);
}
