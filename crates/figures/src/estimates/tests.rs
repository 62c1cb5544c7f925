use super::*;
use crate::testing::calibration as simulated;
use crate::{QuietCriterion, add_round};
use cpb_model::{Caches, Calibration, Contract, Operation, RawRound, Samples, Workload};

const TICKS_PER_SECOND: f64 = 2.6e9;
const OVERHEAD: f64 = 55.0;
const LINKS: u64 = 10_000;

fn calibration() -> Calibration {
    Calibration {
        ticks_per_second: TICKS_PER_SECOND,
        overhead_ticks: OVERHEAD,
        bracket_links: LINKS,
        probe_operations: 0,
        ..simulated(1)
    }
}

fn asked(lengths: &[usize]) -> EstimateSpec {
    let at = |&message_bytes| Parameters::of_message(message_bytes);
    EstimateSpec {
        parameters: lengths.iter().map(at).collect(),
        line: Some((Fit::Robust, lengths.to_vec())),
        seed: 0,
    }
}

/// Makes samples of a call of `cycles`, on a core whose clock varies between samples,
/// with an interrupted one from time to time.
fn samples(cycles: f64, random: &mut fastrand::Rng) -> Samples {
    let calls = (100_000.0 / cycles).ceil();
    let mut samples = Samples { calls: calls as u64, ..Samples::default() };
    for index in 0..100 {
        let hertz = 3.7e9 + 0.3e9 * random.f64();
        let ticks = |cycles: f64| (cycles / hertz * TICKS_PER_SECOND + OVERHEAD).round() as u64;
        let interruption = if index % 17 == 3 { 50_000 } else { 0 };
        samples.ticks.push(ticks(cycles * calls) + interruption);
        samples.before.push(ticks(LINKS as f64 * 3.0));
        samples.after.push(ticks(LINKS as f64 * 3.0));
    }
    samples
}

/// Makes rounds of a call, where each process has a small bias.
fn cell(cycles: f64, random: &mut fastrand::Rng) -> PointSamples {
    let mut cell = PointSamples::default();
    for round in 0..6 {
        // In one process of six, pages conflict.
        let bias = if round == 4 { 1.2 } else { 0.999 + 0.002 * random.f64() };
        add(&mut cell, samples(cycles * bias, random));
    }
    cell
}

fn add(cell: &mut PointSamples, samples: Samples) {
    let round = RawRound { calibration: 0, overhead_ticks: OVERHEAD, position: None, samples };
    add_round(std::slice::from_mut(cell), &[calibration()], QuietCriterion::default(), &[round])
        .unwrap();
}

#[test]
fn estimates_hold_under_a_wandering_clock_interruptions_and_a_bad_process() {
    let mut random = fastrand::Rng::with_seed(1);
    let lengths = [1024, 4096, 16_384];
    let cycles = |bytes: usize| 400.0 + 5.25 * bytes as f64;
    let cells: Vec<PointSamples> = lengths.iter().map(|&l| cell(cycles(l), &mut random)).collect();
    let (points, line) = asked(&lengths).figures(&cells);
    for (point, &length) in points.iter().zip(&lengths) {
        let off = point.cycles_per_call.estimate / cycles(length) - 1.0;
        assert!(off.abs() < 0.001, "{length}: {off}");
        assert!(point.minimum <= point.low_quantile);
        assert_eq!((point.rounds, point.samples), (6, 600));
        // The clock varies between 3.7 and 4 GHz.
        let clock = point.cycles_per_call.estimate / point.nanoseconds_per_call;
        assert!((3.75..3.95).contains(&clock), "{clock}");
    }
    let line = line.unwrap();
    assert!((line.cycles_per_byte.estimate / 5.25 - 1.0).abs() < 0.002, "{line:?}");
    assert!((line.cycles_per_call.unwrap().estimate - 400.0).abs() < 20.0, "{line:?}");
    assert!(line.cycles_per_byte.interval.unwrap().low < 5.25);
}

#[test]
fn where_cost_is_not_linear_the_slope_is_that_of_the_longest() {
    let mut random = fastrand::Rng::with_seed(3);
    let lengths = [64, 1024, 2048, 4096, 8192, 16_384];
    let line = |fit: Fit, cost: fn(f64) -> f64, random: &mut fastrand::Rng| {
        let cells: Vec<PointSamples> =
            lengths.iter().map(|&it| cell(cost(it as f64), random)).collect();
        let asked = EstimateSpec { line: Some((fit, lengths[1..].to_vec())), ..asked(&lengths) };
        asked.figures(&cells).1.unwrap()
    };
    let straight = |bytes: f64| 400.0 + 5.25 * bytes;
    let short_path = |bytes: f64| if bytes < 512.0 { bytes } else { 400.0 + 5.25 * bytes };
    let bent =
        |bytes: f64| if bytes < 8192.0 { 400.0 + 5.25 * bytes } else { 9000.0 + 3.0 * bytes };
    let both = Fit::RobustOrLongest;
    let found = line(both, straight, &mut random);
    assert!(found.misfit.is_none() && found.cycles_per_call.is_some(), "{found:?}");
    let found = line(both, short_path, &mut random);
    assert_eq!(found.misfit.map(|it| it.length), Some(64), "{found:?}");
    assert!((found.cycles_per_byte.estimate / 5.25 - 1.0).abs() < 0.005, "{found:?}");
    let found = line(both, bent, &mut random);
    assert!(found.misfit.is_some() && found.cycles_per_call.is_none(), "{found:?}");
    assert!((found.cycles_per_byte.estimate / 3.0 - 1.0).abs() < 0.01, "{found:?}");
    // A saved run records which fit was used, so that its figures can be recomputed in
    // the same way.
    let found = line(Fit::Robust, bent, &mut random);
    assert!(found.misfit.is_none() && found.cycles_per_call.is_some(), "{found:?}");
}

#[test]
fn calls_too_long_to_escape_preemption_use_the_low_quantile() {
    let mut random = fastrand::Rng::with_seed(2);
    let cells = vec![cell(4e6, &mut random)];
    let (points, _) = asked(&[1 << 20]).figures(&cells);
    assert_eq!(points[0].long_calls, Some(LongCalls::LowQuantile));
    let (estimate, low) = (points[0].cycles_per_call.estimate, points[0].low_quantile);
    assert!((estimate / low - 1.0).abs() < 0.001, "{estimate} {low}");
}

/// The samples are long, and each may be interrupted.
#[test]
fn calls_that_draw_cost_what_the_expected_number_of_attempts_does() {
    const EXPECTED: f64 = 4.0;
    let mut random = fastrand::Rng::with_seed(4);
    let [mut known, mut hidden] = [vec![PointSamples::default()], vec![PointSamples::default()]];
    for _ in 0..8 {
        let mut drawn = Samples { calls: 1, expected_attempts: EXPECTED, ..Samples::default() };
        for index in 0..60 {
            let failed =
                std::iter::repeat_with(|| random.f64()).take_while(|it| *it > 1.0 / EXPECTED);
            let attempts = 1 + failed.count() as u64;
            let ticks = |cycles: f64| (cycles / 3.7e9 * TICKS_PER_SECOND + OVERHEAD) as u64;
            let interruption = if index % 20 == 3 { 500_000 } else { 0 };
            drawn.ticks.push(ticks(3e5 + 4e5 * attempts as f64) + interruption);
            drawn.before.push(ticks(LINKS as f64 * 3.0));
            drawn.after.push(ticks(LINKS as f64 * 3.0));
            drawn.attempts.push(attempts);
        }
        let nobody_knows = Samples { attempts: Vec::new(), ..drawn.clone() };
        for (cell, samples) in [(&mut known, drawn), (&mut hidden, nobody_knows)] {
            add(&mut cell[0], samples);
        }
    }
    let cost = 3e5 + 4e5 * EXPECTED;
    let point = |cells: &[PointSamples]| asked(&[32]).figures(cells).0.remove(0);
    let (known, hidden) = (point(&known), point(&hidden));
    assert!((known.cycles_per_call.estimate / cost - 1.0).abs() < 0.002, "{known:?}");
    let draws = known.draws.unwrap();
    assert!((draws.cycles_per_attempt.unwrap() / 4e5 - 1.0).abs() < 0.002, "{draws:?}");
    // Half of all calls take at most three attempts, nine of ten at most nine.
    assert!((draws.p50 / (3e5 + 3.0 * 4e5) - 1.0).abs() < 0.01, "{draws:?}");
    assert!((draws.p90 / (3e5 + 9.0 * 4e5) - 1.0).abs() < 0.01, "{draws:?}");
    let seen = hidden.draws.unwrap();
    assert_eq!((seen.expected_attempts, seen.cycles_per_attempt), (None, None));
    for (seen, known) in [(seen.p50, draws.p50), (seen.p90, draws.p90)] {
        // By chance there may be one attempt more or less.
        assert!((seen - known).abs() < 4.1e5, "{seen} {known}");
    }
    assert!(seen.p99 > seen.p90, "{seen:?}");
    let interval = hidden.cycles_per_call.interval.unwrap();
    assert!(interval.low < cost && cost < interval.high, "{interval:?}");
    assert!(interval.high - interval.low > 0.05 * cost, "{interval:?}");
    // The tenth percentile, which represents other long calls, would be that of lucky
    // draws.
    assert_eq!((known.long_calls.is_some(), hidden.long_calls), (true, None));
}

/// Each process has one key, and most processes differ from the mean.
#[test]
fn hidden_draws_cost_their_mean_and_a_bound_of_it_leaves_room_for_chance() {
    let mut random = fastrand::Rng::with_seed(6);
    let ticks = |cycles: f64| (cycles / 3.7e9 * TICKS_PER_SECOND + OVERHEAD) as u64;
    let costs: Vec<f64> = (0..40).map(|_| 1e7 - 4e7 * random.f64().ln()).collect();
    let mut cell = PointSamples::default();
    for cost in &costs {
        let mut samples = Samples { calls: 1, expected_attempts: 1.0, ..Samples::default() };
        samples.ticks.push(ticks(*cost));
        samples.before.push(ticks(LINKS as f64 * 3.0));
        samples.after.push(ticks(LINKS as f64 * 3.0));
        add(&mut cell, samples);
    }
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    let cells = [cell];
    let point = asked(&[0]).figures(&cells).0.remove(0);
    let found = point.cycles_per_call;
    assert!((found.estimate / mean - 1.0).abs() < 0.001, "{found:?}, not {mean}");
    assert!(point.low_quantile < mean && point.long_calls.is_none());
    let at_most = |share: f64| {
        let mut sorted = costs.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[(share * 39.0) as usize]..=sorted[(share * 39.0).ceil() as usize]
    };
    let draws = point.draws.unwrap();
    for (share, seen) in [(0.5, draws.p50), (0.9, draws.p90), (0.99, draws.p99)] {
        let range = at_most(share);
        let is_within = *range.start() * 0.999 < seen && seen < *range.end() * 1.001;
        assert!(is_within, "{share}: {seen} is not within {range:?}");
    }
}

#[test]
fn below_four_processes_there_is_no_interval_and_nothing_is_precise() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut cells = vec![PointSamples::default(), PointSamples::default()];
    for rounds in 1..=FEWEST_ROUNDS {
        for (cell, cycles) in cells.iter_mut().zip([1000.0, 2000.0]) {
            add(cell, samples(cycles, &mut random));
        }
        let (points, line) = asked(&[64, 128]).figures(&cells);
        let slope = line.as_ref().unwrap().cycles_per_byte;
        let is_enough = rounds == FEWEST_ROUNDS;
        assert_eq!(points[0].cycles_per_call.interval.is_some(), is_enough);
        assert_eq!(slope.interval.is_some(), is_enough);
        assert_eq!(points[0].between_rounds.is_some(), rounds > 1);
        assert_eq!(is_precise(&points, line.as_ref(), 1.0), is_enough);
    }
}

#[test]
fn a_position_that_stands_out_wants_a_second_round() {
    let precise = |slow: f64, rounds: u32| {
        let mut record = crate::testing::record("sha256", "a", 4.0);
        let position = |position: u8| Position {
            position,
            rounds: if position == 5 { rounds } else { 1 },
            cycles_per_call: 1000.0 + f64::from(position) + if position == 5 { slow } else { 0.0 },
            differs: false,
        };
        record.points[1].layout = Some(Layout { positions: (0..8).map(position).collect() });
        is_precise(&record.points, record.line.as_ref(), 0.02)
    };
    assert!(precise(0.0, 1) && precise(90.0, 2));
    assert!(!precise(90.0, 1));
}

#[test]
fn a_slope_of_nothing_is_precise_where_it_moves_no_call() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut cells = vec![PointSamples::default(), PointSamples::default()];
    for _ in 0..2 * FEWEST_ROUNDS {
        for cell in &mut cells {
            add(cell, samples(60_000.0, &mut random));
        }
    }
    let (points, line) = asked(&[64, 16_384]).figures(&cells);
    let slope = line.as_ref().unwrap().cycles_per_byte;
    assert!(slope.relative_half_width().unwrap() > 0.05, "{slope:?}");
    assert!(is_precise(&points, line.as_ref(), 0.05));
    assert!(!is_precise(&points, line.as_ref(), 1e-9));
    assert!(!is_precise(&[], None, 1.0), "what is not known is not known well");
}

#[test]
fn a_row_is_behind_another_that_is_surely_faster_at_every_length() {
    let points = |figures: &[(usize, f64, f64)]| -> Vec<Point> {
        let point = |&(length, low, high): &(usize, f64, f64)| {
            let mut point = crate::testing::record("sha256", "a", 1.0).points.swap_remove(0);
            point.parameters.message_bytes = length;
            let interval = Interval { low, high, confidence: 0.95 };
            point.cycles_per_call = Figure::new((low + high) / 2.0, Some(interval));
            point
        };
        figures.iter().map(point).collect()
    };
    let fast = points(&[(64, 90.0, 100.0), (1024, 900.0, 1000.0)]);
    assert!(is_behind(&points(&[(64, 101.0, 120.0), (1024, 1001.0, 1200.0)]), &fast));
    // At one length it may be as fast.
    assert!(!is_behind(&points(&[(64, 99.0, 120.0), (1024, 1001.0, 1200.0)]), &fast));
    assert!(!is_behind(&fast, &fast) && !is_behind(&[], &[]));
    // Other lengths prove nothing.
    assert!(!is_behind(&points(&[(65, 101.0, 120.0), (1024, 1001.0, 1200.0)]), &fast));
    let mut unknown = points(&[(64, 101.0, 120.0), (1024, 1001.0, 1200.0)]);
    unknown[1].cycles_per_call.interval = None;
    assert!(!is_behind(&unknown, &fast));
}

/// A call of 120,000 cycles, of which a hypervisor stalls all but one in eight, by 4 to 10 %.
#[test]
fn single_calls_that_were_not_stalled_count_if_they_are_always_the_same() {
    let estimate = |operation: Operation, caches: Caches, stalled: bool| {
        let parameters = Parameters { caches, ..Parameters::default() };
        let workload = Workload::with("x", operation, Contract::Keyed, &parameters);
        let mut random = fastrand::Rng::with_seed(4);
        let mut cell = PointSamples::of(&workload);
        for _ in 0..16 {
            let mut taken = samples(120_000.0, &mut random);
            let overhead = OVERHEAD as u64;
            for (index, ticks) in taken.ticks.iter_mut().enumerate() {
                let is_stalled = stalled && index % 8 != 0;
                let added = if is_stalled { 0.04 + 0.06 * random.f64() } else { 0.0 };
                *ticks = overhead + ((*ticks - overhead) as f64 * (1.0 + added)) as u64;
            }
            add(&mut cell, taken);
        }
        let point = asked(&[16_384]).figures(&[cell]).0.remove(0);
        point.cycles_per_call.estimate / 120_000.0 - 1.0
    };
    assert!(estimate(Operation::Hash, Caches::Warm, true).abs() < 0.005);
    assert!(estimate(Operation::Hash, Caches::Warm, false).abs() < 0.005);
    // Keys and messages differ, and so does what is left in evicted caches: some calls take less
    // time than others.
    assert!(estimate(Operation::Sign, Caches::Warm, true) > 0.03);
    assert!(estimate(Operation::Hash, Caches::Evicted, true) > 0.03);
}
