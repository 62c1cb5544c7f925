//! How far a workload scales with threads, and what keeps it from more.
//!
//! Of what a call takes of a thread's time, each part is compared with the same part where
//! one thread is alone: what was added is what was lost, and its parts say what for.

use crate::estimates::{centre_of_rounds, of_runs};
use cpb_model::{Blame, Cause, Crowd, CrowdRound, Figure, Interval, TimeShares, ToldBy, Verdict};
use cpb_stats::{median_of, median_of_rounds};

/// An efficiency below this is not scaling.
const SCALES: f64 = 0.9;
/// An efficiency above this is no scaling, either.
const MOST: f64 = 1.1;
/// Causes of less than this share of what was lost are not told.
const LEAST_SHARE: f64 = 0.1;
/// How much longer a probe takes where something else keeps the core busy.
const PROBE_OF_SHARED_CORE: f64 = 1.1;
/// Where as many processes lose less than this share of what threads lose, what they lack
/// is what the threads have in common.
const PROCESSES_LOSE_LESS: f64 = 0.5;

/// `crowd` with the figures of its rounds; efficiencies are against the rounds of `one`
/// thread, of which so many `cpus` could have one each.
#[must_use]
pub fn with_figures(crowd: Crowd, one: &[CrowdRound], cpus: usize) -> Crowd {
    let rounds = &crowd.rounds;
    let values = |value: fn(&CrowdRound) -> Option<f64>| -> Vec<f64> {
        rounds.iter().filter_map(value).collect()
    };
    let median = |value| median_of(&values(value));
    let against_one = |share: &dyn Fn(&CrowdRound, &CrowdRound) -> Option<f64>| -> Vec<f64> {
        let beside = |round: &CrowdRound| one.iter().find(|alone| alone.round == round.round);
        rounds.iter().filter_map(|round| share(round, beside(round)?)).collect()
    };
    let cpus = crowd.size().min(cpus.max(1)) as f64;
    let efficiencies =
        against_one(&|round, alone| Some(round.calls_per_second / (alone.calls_per_second * cpus)));
    let slowdowns =
        against_one(&|round, alone| Some(round.cycles_per_call? / alone.cycles_per_call?));
    let middle = || median_of_rounds(|run| median_of(run));
    Crowd {
        calls_per_second: of_runs(&values(|it| Some(it.calls_per_second)), middle()),
        efficiency: of_runs(&efficiencies, middle()),
        cycles_per_call: of_runs(&values(|it| it.cycles_per_call), centre_of_rounds),
        slowdown: of_runs(&slowdowns, middle()),
        slowest: median(|it| Some(it.slowest)),
        time: median(|it| Some(it.time.user)).map(|user| TimeShares {
            user,
            kernel: median(|it| Some(it.time.kernel)).unwrap_or_default(),
            waiting: median(|it| it.time.waiting),
            blocked: median(|it| it.time.blocked),
        }),
        core_hertz: median(|it| it.core_hertz),
        probe_cycles: median(|it| it.probe_cycles),
        ..crowd
    }
}

/// What `crowds` tell together, where so many `cpus` may be used; nothing where one
/// thread alone or more than one were not measured.
#[must_use]
pub fn verdict(crowds: &[Crowd], cpus: usize) -> Option<Verdict> {
    let of_threads = |crowd: &&Crowd| crowd.processes == 1 && crowd.efficiency.is_some();
    let one = crowds.iter().filter(of_threads).find(|crowd| crowd.all() == 1)?;
    let mut many: Vec<&Crowd> =
        crowds.iter().filter(of_threads).filter(|crowd| crowd.all() > 1).collect();
    many.sort_by_key(|crowd| crowd.all());
    let last = many.last()?;
    let processes = |crowd: &Crowd, by: ToldBy| {
        let as_many = |other: &&Crowd| {
            other.processes == crowd.threads && other.processes > 1 && other.threads == 1
        };
        Some(kept(crowds.iter().find(as_many)?, by)?.estimate)
    };
    let said: Vec<(Said, ToldBy)> = many.iter().map(|crowd| judge(one, crowd)).collect();
    let stopped = many.iter().zip(&said).find(|(_, (said, _))| *said == Said::Stops);
    if let Some((crowd, &(_, told_by))) = stopped {
        let processes = processes(crowd, told_by);
        let causes = match told_by {
            ToldBy::Cycles => {
                vec![Cause { what: work(one, crowd, processes, told_by), share: 1.0 }]
            }
            ToldBy::Calls | ToldBy::Nothing => causes(one, crowd, processes, cpus),
        };
        return Some(Verdict { stops_at: Some(crowd.all()), told_by, causes, processes });
    }
    let is_told_by = |by| said.iter().any(|(_, told_by)| *told_by == by);
    let told_by = [ToldBy::Nothing, ToldBy::Cycles].into_iter().find(|&by| is_told_by(by));
    let told_by = told_by.unwrap_or_default();
    let processes = processes(last, told_by);
    Some(Verdict { stops_at: None, told_by, causes: Vec::new(), processes })
}

/// What is known of a crowd.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Scales,
    Stops,
    /// The interval has room for both.
    Open,
}

/// Whether `many` make what as many alone do: by calls a second; where others on the machine
/// disturb these too much, by cycles of a call.
fn judge(one: &Crowd, many: &Crowd) -> (Said, ToldBy) {
    let sleeps = |crowd: &Crowd| {
        crowd.time.map_or(0.0, |time| time.kernel + time.blocked.unwrap_or_default())
    };
    match said(kept(many, ToldBy::Calls)) {
        Said::Open => {}
        told => return (told, ToldBy::Calls),
    }
    match said(kept(many, ToldBy::Cycles)) {
        // Rare long waits are hardly seen in cycles.
        Said::Scales if sleeps(many) - sleeps(one) < 1.0 - SCALES => (Said::Scales, ToldBy::Cycles),
        Said::Stops => (Said::Stops, ToldBy::Cycles),
        Said::Scales | Said::Open => (Said::Open, ToldBy::Nothing),
    }
}

fn said(kept: Option<Figure>) -> Said {
    let Some(Figure { estimate, interval, .. }) = kept else { return Said::Open };
    let (low, high) = interval.map_or((estimate, estimate), |it| (it.low, it.high));
    match (low, high) {
        (_, high) if high < SCALES => Said::Stops,
        // More than all there is to gain: somebody took from the one that was alone.
        (low, _) if low > MOST => Said::Open,
        (low, _) if low >= SCALES => Said::Scales,
        _ => Said::Open,
    }
}

/// What a crowd makes of what as many alone do, as a share.
fn kept(crowd: &Crowd, by: ToldBy) -> Option<Figure> {
    match by {
        ToldBy::Calls => crowd.efficiency,
        ToldBy::Cycles => {
            let Figure { estimate, interval, .. } = crowd.slowdown?;
            let inverse = |it: Interval| Interval { low: 1.0 / it.high, high: 1.0 / it.low, ..it };
            Some(Figure::new(1.0 / estimate, interval.map(inverse)))
        }
        ToldBy::Nothing => None,
    }
}

/// Seconds of a thread's time that a call takes, by where they go.
struct Spent {
    user: f64,
    kernel: f64,
    waiting: f64,
    blocked: f64,
}

impl Spent {
    fn by(crowd: &Crowd) -> Option<Self> {
        let TimeShares { user, kernel, waiting, blocked } = crowd.time?;
        let seconds = crowd.size() as f64 / crowd.calls_per_second?.estimate;
        let of = |share: Option<f64>| share.unwrap_or_default() * seconds;
        Some(Self {
            user: user * seconds,
            kernel: kernel * seconds,
            waiting: of(waiting),
            blocked: of(blocked),
        })
    }
}

/// What it is for that a call takes longer while it is worked at.
fn work(one: &Crowd, many: &Crowd, processes: Option<f64>, by: ToldBy) -> Blame {
    let probe = many.probe_cycles.zip(one.probe_cycles).map_or(1.0, |(many, one)| many / one);
    let is_shared = many.shares_cores || probe >= PROBE_OF_SHARED_CORE;
    let lost = kept(many, by).map_or(0.0, |it| 1.0 - it.estimate);
    // What processes on the same CPUs do without is in the process.
    let in_process = processes.is_some_and(|it| 1.0 - it < PROCESSES_LOSE_LESS * lost);
    match (in_process, is_shared) {
        (true, _) => Blame::Locks,
        (false, true) => Blame::Smt,
        (false, false) => Blame::Memory,
    }
}

/// What a call of `many` takes more than one of `one` thread alone, by what for.
fn causes(one: &Crowd, many: &Crowd, processes: Option<f64>, cpus: usize) -> Vec<Cause> {
    let Some((alone, crowded)) = Spent::by(one).zip(Spent::by(many)) else { return Vec::new() };
    let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(1.0, |(a, b)| a / b);
    let slower_clock = ratio(one.core_hertz, many.core_hertz) - 1.0;
    let clock = alone.user * slower_clock;
    let work = work(one, many, processes, ToldBy::Calls);
    // Where there are more threads than CPUs, some wait, and nothing is lost by that.
    let waiting = if many.all() <= cpus { crowded.waiting - alone.waiting } else { 0.0 };
    let asleep = crowded.kernel - alone.kernel + crowded.blocked - alone.blocked;
    let parts = [
        (Blame::Locks, asleep),
        (Blame::Cpus, waiting),
        (Blame::Clock, clock),
        (work, crowded.user - alone.user - clock),
    ];
    let all: f64 = parts.iter().map(|(_, seconds)| seconds.max(0.0)).sum();
    let mut causes: Vec<Cause> = Vec::new();
    for (what, seconds) in parts {
        let share = seconds.max(0.0) / all;
        match causes.iter_mut().find(|cause| cause.what == what) {
            Some(cause) => cause.share += share,
            None => causes.push(Cause { what, share }),
        }
    }
    causes.retain(|cause| cause.share >= LEAST_SHARE);
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERTZ: f64 = 4e9;

    /// As many threads on CPUs of their own, with this efficiency against a million calls
    /// a second, whose time went so.
    fn crowd([processes, threads]: [usize; 2], efficiency: f64, time: [f64; 4]) -> Crowd {
        let [user, kernel, waiting, blocked] = time;
        let known = |value| Some(Figure::new(value, None));
        Crowd {
            processes,
            calls_per_second: known(efficiency * 1e6 * (processes * threads) as f64),
            efficiency: known(efficiency),
            slowest: Some(1.0),
            time: Some(TimeShares { user, kernel, waiting: Some(waiting), blocked: Some(blocked) }),
            core_hertz: Some(HERTZ),
            probe_cycles: Some(0.25),
            ..Crowd::of_threads(threads)
        }
    }

    const ALONE: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

    fn alone() -> Crowd {
        crowd([1, 1], 1.0, ALONE)
    }

    fn blamed(crowds: &[Crowd]) -> Vec<Blame> {
        let verdict = verdict(crowds, 4).unwrap();
        verdict.causes.iter().map(|cause| cause.what).collect()
    }

    #[test]
    fn what_scales_has_no_cause() {
        let found = verdict(&[alone(), crowd([1, 2], 0.99, ALONE), crowd([1, 4], 0.93, ALONE)], 4);
        let found = found.unwrap();
        assert_eq!((found.stops_at, found.told_by), (None, ToldBy::Calls));
        assert_eq!((found.causes.len(), found.processes), (0, None));
        assert_eq!(verdict(&[alone()], 4), None);
        assert_eq!(verdict(&[crowd([1, 2], 0.5, ALONE)], 4), None);
    }

    /// As `crowd`, beside neighbours that leave its calls a second open.
    fn disturbed([processes, threads]: [usize; 2], efficiency: f64, slowdown: [f64; 2]) -> Crowd {
        let between = |[low, high]: [f64; 2]| {
            let interval = Interval { low, high, confidence: 0.95 };
            Some(Figure::new((low + high) / 2.0, Some(interval)))
        };
        Crowd {
            efficiency: between([efficiency * 0.6, efficiency * 1.4]),
            slowdown: between(slowdown),
            ..crowd([processes, threads], efficiency, ALONE)
        }
    }

    #[test]
    fn where_calls_a_second_leave_it_open_cycles_tell_or_nobody_does() {
        let of = |crowds: &[Crowd]| {
            let found = verdict(crowds, 4).unwrap();
            (found.stops_at, found.told_by, found.causes)
        };
        let steady = || disturbed([1, 2], 0.8, [0.97, 1.04]);
        assert_eq!(of(&[alone(), steady()]), (None, ToldBy::Cycles, vec![]));
        let unknown = || disturbed([1, 2], 0.95, [1.0, 1.3]);
        assert_eq!(of(&[alone(), unknown()]), (None, ToldBy::Nothing, vec![]));
        let blamed = |what| vec![Cause { what, share: 1.0 }];
        let slow = || disturbed([1, 2], 0.8, [1.5, 2.5]);
        assert_eq!(of(&[alone(), slow()]), (Some(2), ToldBy::Cycles, blamed(Blame::Memory)));
        let apart = || disturbed([2, 1], 0.9, [0.95, 1.1]);
        let locked = (Some(2), ToldBy::Cycles, blamed(Blame::Locks));
        assert_eq!(of(&[alone(), slow(), apart()]), locked);
        // Four stop for sure, of two nothing is known.
        let four = || crowd([1, 4], 0.4, ALONE);
        assert_eq!(of(&[alone(), unknown(), four()]).0, Some(4));
        // Cycles do not see threads that sleep now and then for long.
        let time = Some(TimeShares { user: 0.5, blocked: Some(0.5), ..TimeShares::default() });
        let asleep = Crowd { time, ..steady() };
        assert_eq!(of(&[alone(), asleep]), (None, ToldBy::Nothing, vec![]));
    }

    #[test]
    fn more_than_all_there_is_to_gain_is_no_scaling() {
        let found = verdict(&[alone(), crowd([1, 2], 2.4, ALONE)], 4).unwrap();
        assert_eq!((found.stops_at, found.told_by), (None, ToldBy::Nothing));
    }

    #[test]
    fn threads_that_sleep_wait_for_a_lock() {
        let asleep = crowd([1, 2], 0.4, [0.4, 0.1, 0.0, 0.5]);
        let found = verdict(&[alone(), asleep, crowd([1, 4], 0.2, ALONE)], 4).unwrap();
        assert_eq!(found.stops_at, Some(2));
        assert_eq!(found.causes.first().map(|cause| cause.what), Some(Blame::Locks));
        assert!((found.causes[0].share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_processes_do_without_is_a_lock_though_threads_spin() {
        let spinning = || crowd([1, 2], 0.5, ALONE);
        assert_eq!(blamed(&[alone(), spinning()]), [Blame::Memory]);
        let found = verdict(&[alone(), spinning(), crowd([2, 1], 0.98, ALONE)], 4).unwrap();
        assert_eq!((found.causes[0].what, found.processes), (Blame::Locks, Some(0.98)));
        assert_eq!(blamed(&[alone(), spinning(), crowd([2, 1], 0.5, ALONE)]), [Blame::Memory]);
    }

    #[test]
    fn cores_that_are_shared_are_known_or_probed() {
        let known = Crowd { shares_cores: true, ..crowd([1, 2], 0.6, ALONE) };
        assert_eq!(blamed(&[alone(), known]), [Blame::Smt]);
        let probed = Crowd { probe_cycles: Some(0.4), ..crowd([1, 2], 0.6, ALONE) };
        assert_eq!(blamed(&[alone(), probed]), [Blame::Smt]);
    }

    #[test]
    fn a_lower_clock_and_a_lack_of_cpus_are_told() {
        let slower = Crowd { core_hertz: Some(HERTZ * 0.8), ..crowd([1, 2], 0.8, ALONE) };
        assert_eq!(blamed(&[alone(), slower]), [Blame::Clock]);
        let waits = crowd([1, 2], 0.5, [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(blamed(&[alone(), waits]), [Blame::Cpus]);
        // Sixteen on four CPUs wait, and that alone is no loss.
        let many = crowd([1, 16], 0.8, [0.25, 0.0, 0.75, 0.0]);
        assert!(!blamed(&[alone(), many]).contains(&Blame::Cpus));
    }

    #[test]
    fn efficiency_is_against_one_thread_of_the_same_round_on_each_cpu() {
        let round = |round, calls_per_second| CrowdRound {
            round,
            calls_per_second,
            slowest: 0.9,
            time: TimeShares { user: 1.0, ..TimeShares::default() },
            cycles_per_call: None,
            core_hertz: None,
            probe_cycles: None,
            samples: 0,
            rejected: 0,
        };
        let one = [round(0, 100.0), round(1, 50.0), round(3, 100.0)];
        let rounds = vec![round(0, 150.0), round(1, 75.0), round(2, 400.0)];
        let of = |threads, cpus| {
            let crowd = Crowd { threads, rounds: rounds.clone(), ..alone() };
            with_figures(crowd, &one, cpus)
        };
        let found = of(2, 4);
        assert_eq!(found.efficiency.map(|it| it.estimate), Some(0.75));
        assert_eq!(found.calls_per_second.map(|it| it.estimate), Some(150.0));
        assert_eq!((found.slowest, found.core_hertz), (Some(0.9), None));
        assert_eq!(of(16, 2).efficiency.map(|it| it.estimate), Some(0.75));
    }
}
