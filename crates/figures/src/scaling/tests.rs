//! Tests the verdicts on records whose truth is known.

use super::*;
use crate::testing::{record, run};

const HERTZ: f64 = 4e9;

/// Makes a record of as many threads on CPUs of their own, with this efficiency
/// relative to a million calls per second, and this distribution of time.
fn concurrent([processes, threads]: [usize; 2], efficiency: f64, time: [f64; 4]) -> Record {
    let [user, kernel, waiting, blocked] = time;
    let known = |value| Some(Figure::new(value, None));
    let concurrent = Concurrent {
        calls_per_second: known(efficiency * 1e6 * (processes * threads) as f64),
        efficiency: known(efficiency),
        slowest: Some(1.0),
        time: Some(TimeShares { user, kernel, waiting: Some(waiting), blocked: Some(blocked) }),
        core_hertz: Some(HERTZ),
        probe_cycles: Some(0.25),
        ..Concurrent::default()
    };
    Record {
        setup: Setup { processes, threads, ..Setup::default() },
        method: Method::Throughput,
        concurrent: Some(concurrent),
        ..record("sha256", "a", 1.0)
    }
}

/// Returns `record` after `change`.
fn but(mut record: Record, change: impl Fn(&mut Concurrent)) -> Record {
    record.concurrent.iter_mut().for_each(change);
    record
}

const ALONE: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn alone() -> Record {
    concurrent([1, 1], 1.0, ALONE)
}

fn blamed(records: &[Record]) -> Vec<Bottleneck> {
    let verdict = verdict(records, 4).unwrap();
    verdict.causes.iter().map(|cause| cause.what).collect()
}

#[test]
fn what_scales_has_no_cause() {
    let found =
        verdict(&[alone(), concurrent([1, 2], 0.99, ALONE), concurrent([1, 4], 0.93, ALONE)], 4);
    let found = found.unwrap();
    assert_eq!((found.stops_at, found.told_by), (None, EvidenceSource::Calls));
    assert_eq!((found.causes.len(), found.processes), (0, None));
    assert_eq!(verdict(&[alone()], 4), None);
    assert_eq!(verdict(&[concurrent([1, 2], 0.5, ALONE)], 4), None);
}

/// Does the same as `concurrent`, beside neighbours that make its calls per second
/// uncertain.
fn disturbed([processes, threads]: [usize; 2], efficiency: f64, slowdown: [f64; 2]) -> Record {
    let between = |[low, high]: [f64; 2]| {
        let interval = Interval { low, high, confidence: 0.95 };
        Some(Figure::new((low + high) / 2.0, Some(interval)))
    };
    but(concurrent([processes, threads], efficiency, ALONE), |it| {
        it.efficiency = between([efficiency * 0.6, efficiency * 1.4]);
        it.slowdown = between(slowdown);
    })
}

fn round(round: u32, calls_per_second: f64) -> ConcurrentRound {
    ConcurrentRound {
        round,
        calls_per_second,
        slowest: Some(0.9),
        time: Some(TimeShares { user: 1.0, ..TimeShares::default() }),
        ..ConcurrentRound::default()
    }
}

/// Two threads slow each other by a fifth. A neighbour, beside them in some rounds and
/// beside the single thread in others, makes calls and probes take up to twice as long.
#[test]
fn rounds_beside_neighbours_do_not_count_where_there_are_others() {
    let busy = |round: u32, by: u32| {
        if round % by == 1 { 1.3 + 0.1 * f64::from(round % 7) } else { 1.0 }
    };
    let made = |number: u32, threads: f64, cost: f64, slower: f64| ConcurrentRound {
        cycles_per_call: Some(cost * slower),
        probe_cycles: Some(0.25 * slower * (1.0 + 0.001 * f64::from(number % 5))),
        ..round(number, threads * 1e6 / (cost / 100.0 * slower))
    };
    let one: Vec<ConcurrentRound> = (0..20).map(|it| made(it, 1.0, 100.0, busy(it, 3))).collect();
    let two: Vec<ConcurrentRound> = (0..20).map(|it| made(it, 2.0, 120.0, busy(it, 2))).collect();
    let of = |rounds: usize| figures(2, two[..rounds].to_vec(), &one, 2);
    let (found, cycles) = of(20);
    assert_eq!(found.quiet_rounds, 7);
    assert!((found.slowdown.unwrap().estimate - 1.2).abs() < 1e-9);
    assert!((found.efficiency.unwrap().estimate - 1.0 / 1.2).abs() < 1e-9);
    assert!((cycles.unwrap().estimate - 120.0).abs() < 1e-9);
    // With too few quiet rounds, all rounds count, and widen the interval.
    let (found, _) = of(6);
    assert_eq!((found.quiet_rounds, found.rounds.len()), (2, 6));
    assert!(found.slowdown.unwrap().interval.unwrap().high > 1.3);
    // Threads that share a core do so in every round, which is no neighbour.
    let shared = (0..8).map(|it| made(it, 2.0, 100.0, 1.6)).collect();
    let (found, _) = figures(2, shared, &one, 2);
    assert_eq!(found.quiet_rounds, 5);
}

#[test]
fn where_calls_a_second_leave_it_open_cycles_tell_or_nobody_does() {
    let of = |records: &[Record]| {
        let found = verdict(records, 4).unwrap();
        (found.stops_at, found.told_by, found.causes)
    };
    let steady = || disturbed([1, 2], 0.8, [0.97, 1.04]);
    assert_eq!(of(&[alone(), steady()]), (None, EvidenceSource::Cycles, vec![]));
    let unknown = || disturbed([1, 2], 0.95, [1.0, 1.3]);
    assert_eq!(of(&[alone(), unknown()]), (None, EvidenceSource::Nothing, vec![]));
    let blamed = |what| vec![BottleneckShare { what, share: 1.0 }];
    let slow = || disturbed([1, 2], 0.8, [1.5, 2.5]);
    let crowded = (Some(2), EvidenceSource::Cycles, blamed(Bottleneck::Memory));
    assert_eq!(of(&[alone(), slow()]), crowded);
    let apart = || disturbed([2, 1], 0.9, [0.95, 1.1]);
    let locked = (Some(2), EvidenceSource::Cycles, blamed(Bottleneck::Locks));
    assert_eq!(of(&[alone(), slow(), apart()]), locked);
    // Four threads certainly do not scale; about two nothing is known.
    let four = || concurrent([1, 4], 0.4, ALONE);
    assert_eq!(of(&[alone(), unknown(), four()]).0, Some(4));
    // Cycles do not show threads that sleep occasionally for long.
    let time = Some(TimeShares { user: 0.5, blocked: Some(0.5), ..TimeShares::default() });
    let asleep = but(steady(), |it| it.time = time);
    assert_eq!(of(&[alone(), asleep]), (None, EvidenceSource::Nothing, vec![]));
}

#[test]
fn more_than_all_there_is_to_gain_is_no_scaling() {
    let found = verdict(&[alone(), concurrent([1, 2], 2.4, ALONE)], 4).unwrap();
    assert_eq!((found.stops_at, found.told_by), (None, EvidenceSource::Nothing));
}

#[test]
fn threads_that_sleep_wait_for_a_lock() {
    let asleep = concurrent([1, 2], 0.4, [0.4, 0.1, 0.0, 0.5]);
    let found = verdict(&[alone(), asleep, concurrent([1, 4], 0.2, ALONE)], 4).unwrap();
    assert_eq!(found.stops_at, Some(2));
    assert_eq!(found.causes.first().map(|cause| cause.what), Some(Bottleneck::Locks));
    assert!((found.causes[0].share - 1.0).abs() < 1e-9);
}

#[test]
fn what_processes_do_without_is_a_lock_though_threads_spin() {
    let spinning = || concurrent([1, 2], 0.5, ALONE);
    assert_eq!(blamed(&[alone(), spinning()]), [Bottleneck::Memory]);
    let found = verdict(&[alone(), spinning(), concurrent([2, 1], 0.98, ALONE)], 4).unwrap();
    assert_eq!((found.causes[0].what, found.processes), (Bottleneck::Locks, Some(0.98)));
    let apart = concurrent([2, 1], 0.5, ALONE);
    assert_eq!(blamed(&[alone(), spinning(), apart]), [Bottleneck::Memory]);
}

#[test]
fn cores_that_are_shared_are_known_or_probed() {
    let known = but(concurrent([1, 2], 0.6, ALONE), |it| it.shares_cores = true);
    assert_eq!(blamed(&[alone(), known]), [Bottleneck::Smt]);
    let probed = but(concurrent([1, 2], 0.6, ALONE), |it| it.probe_cycles = Some(0.4));
    assert_eq!(blamed(&[alone(), probed]), [Bottleneck::Smt]);
}

#[test]
fn a_lower_clock_and_a_lack_of_cpus_are_told() {
    let slower = but(concurrent([1, 2], 0.8, ALONE), |it| it.core_hertz = Some(HERTZ * 0.8));
    assert_eq!(blamed(&[alone(), slower]), [Bottleneck::Clock]);
    let waits = concurrent([1, 2], 0.5, [0.5, 0.0, 0.5, 0.0]);
    assert_eq!(blamed(&[alone(), waits]), [Bottleneck::Cpus]);
    // Sixteen threads on four CPUs wait, which alone is no loss.
    let many = concurrent([1, 16], 0.8, [0.25, 0.0, 0.75, 0.0]);
    assert!(!blamed(&[alone(), many]).contains(&Bottleneck::Cpus));
}

#[test]
fn efficiency_is_against_one_thread_of_the_same_round_on_each_cpu() {
    let one = [round(0, 100.0), round(1, 50.0), round(3, 100.0)];
    let rounds = vec![round(0, 150.0), round(1, 75.0), round(2, 400.0)];
    let of = |threads, cpus| figures(threads, rounds.clone(), &one, cpus).0;
    let found = of(2, 4);
    assert_eq!(found.efficiency.map(|it| it.estimate), Some(0.75));
    assert_eq!(found.calls_per_second.map(|it| it.estimate), Some(150.0));
    assert_eq!((found.slowest, found.core_hertz), (Some(0.9), None));
    assert_eq!(of(16, 2).efficiency.map(|it| it.estimate), Some(0.75));
}

#[test]
fn rows_begin_with_one_thread_and_are_of_one_length() {
    let longer = |record: Record| Record { lengths: vec![1024], ..record };
    let beside = |others| {
        let what = Some("memory traffic".to_owned()).filter(|_| others != 0);
        let setup = Setup { others, beside: what, ..Setup::default() };
        Record { setup, ..alone() }
    };
    let mut of_given_calls = but(alone(), |it| it.iterations = Some(1000));
    of_given_calls.setup.lanes = 8;
    let (one, two) = (alone, || concurrent([1, 2], 0.9, ALONE));
    let run = run(vec![
        one(),
        two(),
        concurrent([2, 1], 0.9, ALONE),
        // The record repeats, as with two sides of one library.
        one(),
        two(),
        longer(one()),
        longer(two()),
        beside(0),
        beside(3),
        record("sha256", "a", 1.0),
        of_given_calls,
    ]);
    let found = Scaled::of(&run.records, &run.host);
    let sizes: Vec<usize> = found.iter().map(|row| row.records.len()).collect();
    assert_eq!(sizes, [3, 2, 2, 2]);
    assert_eq!(found[3].beside(), Some("memory traffic"));
    assert!(found.iter().all(|row| row.verdict.is_some() && row.failure().is_none()));
}
