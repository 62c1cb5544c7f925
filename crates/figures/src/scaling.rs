//! Determines how far a workload scales with threads, and what limits it.
//!
//! Each part of a call's thread time is compared with that part for one thread alone. The increase
//! is the loss, and its parts show the bottlenecks.

mod verdict;

pub use verdict::{Bottleneck, BottleneckShare, EvidenceSource, Verdict};

use crate::estimates::{middle_of_runs, of_runs};
use cpb_model::{
    Concurrent, ConcurrentRound, Failure, Figure, Host, Interval, Method, Record, Setup, Subject,
    TimeShares, Workload,
};
use cpb_stats::{median_of, median_of_rounds};

/// Below this efficiency a workload does not scale.
const SCALES: f64 = 0.9;
/// Above this efficiency the single thread was disturbed, so nothing is concluded.
const MOST: f64 = 1.1;
/// Bottlenecks with less than this share of the loss are not reported.
const LEAST_SHARE: f64 = 0.1;
/// With fewer quiet rounds, the quiet ones have no interval of their own.
pub const ENOUGH: usize = 4;
/// The largest relative slowdown of a probe between rounds on an otherwise idle core.
const PROBE_OF_QUIET_CORE: f64 = 1.04;
/// The smallest relative slowdown of a probe on a core that something else keeps busy.
const PROBE_OF_SHARED_CORE: f64 = 1.1;
/// If processes lose less than this share of what as many threads lose, the bottleneck is something
/// that threads share.
const PROCESSES_LOSE_LESS: f64 = 0.5;

/// The records of one implementation at one length, by number of threads; one thread comes first.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled<'a> {
    pub records: &'a [Record],
    /// The verdict; `None` if too little could be measured.
    pub verdict: Option<Verdict>,
}

impl<'a> Scaled<'a> {
    /// Groups all concurrent records among `records`, measured on `host`.
    pub fn of(records: &'a [Record], host: &Host) -> Vec<Self> {
        let is_next = |one: &Record, next: &Record| {
            let is_alone = |record: &Record| record.setup.all() == 1;
            let is_beside_same = one.setup.beside == next.setup.beside;
            row(one) == row(next) && !is_alone(next) && (is_alone(one) || is_beside_same)
        };
        let is_scaled = |record: &Record| {
            let is_timed = |it: &Concurrent| it.iterations.is_none();
            record.method == Method::Throughput && record.concurrent.as_ref().is_none_or(is_timed)
        };
        let groups = records.chunk_by(is_next).filter(|group| group.iter().all(is_scaled));
        let of_group = |records| Self { records, verdict: verdict(records, cpus(host)) };
        groups.map(of_group).collect()
    }

    /// Returns the record of one thread, or else the first.
    pub fn first(&self) -> &'a Record {
        &self.records[0]
    }

    /// Describes the background load of the other threads, if they have another one.
    pub fn beside(&self) -> Option<&'a str> {
        self.records.iter().find_map(|record| record.setup.beside.as_deref())
    }

    /// Returns why nothing was measured, if nothing was.
    pub fn failure(&self) -> Option<&'a Failure> {
        let first = self.first();
        first.failure.as_ref().filter(|_| first.concurrent.is_none())
    }
}

/// Returns what the records of one row have in common.
fn row(record: &Record) -> (&Subject, &Workload, &[usize], bool) {
    (&record.subject, &record.workload, &record.lengths, record.setup.shares_keys)
}

/// Counts the CPUs of `host` that threads can use.
pub fn cpus(host: &Host) -> usize {
    host.cores.len().max(1)
}

/// Computes the figures of these `rounds` with `size` threads, and the cycles per call. If enough
/// rounds are without a neighbour ([`quiet`]), only these count. Efficiency is relative to the
/// rounds of `one` thread, on `cpus` CPUs.
#[must_use]
pub fn figures(
    size: usize,
    rounds: Vec<ConcurrentRound>,
    one: &[ConcurrentRound],
    cpus: usize,
) -> (Concurrent, Option<Figure>) {
    let quiet = quiet(&rounds, one);
    let (counted, pairs): (Vec<&ConcurrentRound>, Vec<Pair<'_>>) = match quiet.len() {
        ..ENOUGH => (rounds.iter().collect(), beside(&rounds, one).collect()),
        _ => (quiet.iter().map(|(round, _)| *round).collect(), quiet.clone()),
    };
    let values = |value: fn(&ConcurrentRound) -> Option<f64>| -> Vec<f64> {
        counted.iter().filter_map(|round| value(round)).collect()
    };
    let median = |value| median_of(&values(value));
    let cpus = size.min(cpus.max(1)) as f64;
    let efficiency =
        |(round, alone): &Pair| round.calls_per_second / (alone.calls_per_second * cpus);
    let efficiencies: Vec<f64> = pairs.iter().map(efficiency).collect();
    let slowdown = |(round, alone): &Pair| Some(round.cycles_per_call? / alone.cycles_per_call?);
    let slowdowns: Vec<f64> = pairs.iter().filter_map(slowdown).collect();
    let middle = || median_of_rounds(|run| median_of(run));
    let found = Concurrent {
        calls_per_second: of_runs(&values(|it| Some(it.calls_per_second)), middle()),
        efficiency: of_runs(&efficiencies, middle()),
        slowdown: of_runs(&slowdowns, middle()),
        quiet_rounds: quiet.len(),
        slowest: median(|it| it.slowest),
        time: median(|it| Some(it.time?.user)).map(|user| TimeShares {
            user,
            kernel: median(|it| Some(it.time?.kernel)).unwrap_or_default(),
            waiting: median(|it| it.time?.waiting),
            blocked: median(|it| it.time?.blocked),
        }),
        core_hertz: median(|it| it.core_hertz),
        probe_cycles: median(|it| it.probe_cycles),
        ..Concurrent::default()
    };
    let cycles = of_runs(&values(|it| it.cycles_per_call), middle_of_runs);
    (Concurrent { rounds, ..found }, cycles)
}

/// A round, with the round of one thread that has the same number.
type Pair<'a> = (&'a ConcurrentRound, &'a ConcurrentRound);

/// Pairs `rounds` with those of `one` thread by number.
pub fn beside<'a>(
    rounds: &'a [ConcurrentRound],
    one: &'a [ConcurrentRound],
) -> impl Iterator<Item = Pair<'a>> {
    let alone = |round: &ConcurrentRound| one.iter().find(|alone| alone.round == round.round);
    rounds.iter().filter_map(move |round| Some((round, alone(round)?)))
}

/// Pairs `rounds` with those of `one` thread, if neither had a neighbour. A neighbour slows the
/// throughput probe down compared with the best round of as many threads; our own threads that
/// share a core do so in every round.
#[must_use]
pub fn quiet<'a>(
    rounds: &'a [ConcurrentRound],
    one: &'a [ConcurrentRound],
) -> Vec<(&'a ConcurrentRound, &'a ConcurrentRound)> {
    let most = |rounds: &[ConcurrentRound]| {
        let probes = rounds.iter().filter_map(|round| round.probe_cycles);
        probes.fold(f64::INFINITY, f64::min) * PROBE_OF_QUIET_CORE
    };
    let (most, most_alone) = (most(rounds), most(one));
    let is_quiet =
        |round: &ConcurrentRound, most: f64| round.probe_cycles.is_some_and(|it| it <= most);
    beside(rounds, one)
        .filter(|(round, alone)| is_quiet(round, most) && is_quiet(alone, most_alone))
        .collect()
}

/// Returns the verdict on one row, whose `records` differ in the number of threads, on a machine
/// with `cpus` usable CPUs. `None` unless one thread alone and more than one were measured.
#[must_use]
pub fn verdict(records: &[Record], cpus: usize) -> Option<Verdict> {
    let points = records.iter().filter_map(|Record { setup, concurrent, .. }| {
        Some(ConcurrentPoint { setup, found: concurrent.as_ref()? })
    });
    let all: Vec<ConcurrentPoint> = points.collect();
    let of_threads =
        |point: &&ConcurrentPoint| point.setup.processes == 1 && point.found.efficiency.is_some();
    let one = all.iter().filter(of_threads).find(|point| point.setup.all() == 1)?;
    let mut many: Vec<&ConcurrentPoint> =
        all.iter().filter(of_threads).filter(|point| point.setup.all() > 1).collect();
    many.sort_by_key(|point| point.setup.all());
    let last = many.last()?;
    let processes = |point: &ConcurrentPoint, by: EvidenceSource| {
        let as_many = |other: &&ConcurrentPoint| {
            let Setup { processes, threads, .. } = *other.setup;
            processes == point.setup.threads && processes > 1 && threads == 1
        };
        Some(kept(all.iter().find(as_many)?.found, by)?.estimate)
    };
    let said: Vec<(Said, EvidenceSource)> = many.iter().map(|point| judge(one, point)).collect();
    let stopped = many.iter().zip(&said).find(|(_, (said, _))| *said == Said::Stops);
    if let Some((point, &(_, told_by))) = stopped {
        let processes = processes(point, told_by);
        let causes = match told_by {
            EvidenceSource::Cycles => {
                vec![BottleneckShare { what: work(one, point, processes, told_by), share: 1.0 }]
            }
            EvidenceSource::Calls | EvidenceSource::Nothing => causes(one, point, processes, cpus),
        };
        return Some(Verdict { stops_at: Some(point.setup.all()), told_by, causes, processes });
    }
    let is_told_by = |by| said.iter().any(|(_, told_by)| *told_by == by);
    let told_by =
        [EvidenceSource::Nothing, EvidenceSource::Cycles].into_iter().find(|&by| is_told_by(by));
    let told_by = told_by.unwrap_or_default();
    let processes = processes(last, told_by);
    Some(Verdict { stops_at: None, told_by, causes: Vec::new(), processes })
}

/// A number of threads, with its results.
#[derive(Clone, Copy)]
struct ConcurrentPoint<'a> {
    setup: &'a Setup,
    found: &'a Concurrent,
}

/// The conclusion about a number of threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Scales,
    Stops,
    /// The interval allows both.
    Open,
}

/// Judges whether `many` threads reach their share of what as many alone would: by throughput, or,
/// if others on the machine disturb that too much, by cycles per call.
fn judge(one: &ConcurrentPoint, many: &ConcurrentPoint) -> (Said, EvidenceSource) {
    let sleeps = |point: &ConcurrentPoint| {
        point.found.time.map_or(0.0, |time| time.kernel + time.blocked.unwrap_or_default())
    };
    match said(kept(many.found, EvidenceSource::Calls)) {
        Said::Open => {}
        told => return (told, EvidenceSource::Calls),
    }
    match said(kept(many.found, EvidenceSource::Cycles)) {
        // Rare long waits hardly show in cycles.
        Said::Scales if sleeps(many) - sleeps(one) < 1.0 - SCALES => {
            (Said::Scales, EvidenceSource::Cycles)
        }
        Said::Stops => (Said::Stops, EvidenceSource::Cycles),
        Said::Scales | Said::Open => (Said::Open, EvidenceSource::Nothing),
    }
}

fn said(kept: Option<Figure>) -> Said {
    let Some(Figure { estimate, interval, .. }) = kept else { return Said::Open };
    let (low, high) = interval.map_or((estimate, estimate), |it| (it.low, it.high));
    match (low, high) {
        (_, high) if high < SCALES => Said::Stops,
        // Above the possible maximum: something disturbed the single thread.
        (low, _) if low > MOST => Said::Open,
        (low, _) if low >= SCALES => Said::Scales,
        _ => Said::Open,
    }
}

/// Returns the achieved share of what as many threads alone would reach.
fn kept(found: &Concurrent, by: EvidenceSource) -> Option<Figure> {
    match by {
        EvidenceSource::Calls => found.efficiency,
        EvidenceSource::Cycles => {
            let Figure { estimate, interval, .. } = found.slowdown?;
            let inverse = |it: Interval| Interval { low: 1.0 / it.high, high: 1.0 / it.low, ..it };
            Some(Figure::new(1.0 / estimate, interval.map(inverse)))
        }
        EvidenceSource::Nothing => None,
    }
}

/// Returns the thread time of a call in seconds: in user space, in the kernel, waiting for a CPU, and
/// blocked.
fn spent(point: &ConcurrentPoint) -> Option<[f64; 4]> {
    let TimeShares { user, kernel, waiting, blocked } = point.found.time?;
    let seconds = point.setup.size() as f64 / point.found.calls_per_second?.estimate;
    let shares = [user, kernel, waiting.unwrap_or_default(), blocked.unwrap_or_default()];
    Some(shares.map(|share| share * seconds))
}

/// Names the bottleneck that makes calls take longer while they run.
fn work(
    one: &ConcurrentPoint,
    many: &ConcurrentPoint,
    processes: Option<f64>,
    by: EvidenceSource,
) -> Bottleneck {
    let (one, many) = (one.found, many.found);
    let probe = many.probe_cycles.zip(one.probe_cycles).map_or(1.0, |(many, one)| many / one);
    let is_shared = many.shares_cores || probe >= PROBE_OF_SHARED_CORE;
    let lost = kept(many, by).map_or(0.0, |it| 1.0 - it.estimate);
    // A loss that processes on the same CPUs avoid has its cause within the process.
    let in_process = processes.is_some_and(|it| 1.0 - it < PROCESSES_LOSE_LESS * lost);
    match (in_process, is_shared) {
        (true, _) => Bottleneck::Locks,
        (false, true) => Bottleneck::Smt,
        (false, false) => Bottleneck::Memory,
    }
}

/// Splits the additional time per call of `many` threads over `one` thread by bottleneck.
fn causes(
    one: &ConcurrentPoint,
    many: &ConcurrentPoint,
    processes: Option<f64>,
    cpus: usize,
) -> Vec<BottleneckShare> {
    let Some((alone, crowded)) = spent(one).zip(spent(many)) else { return Vec::new() };
    let [user, kernel, waiting, blocked] = std::array::from_fn(|part| crowded[part] - alone[part]);
    let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(1.0, |(a, b)| a / b);
    let slower_clock = ratio(one.found.core_hertz, many.found.core_hertz) - 1.0;
    let clock = alone[0] * slower_clock;
    let work = work(one, many, processes, EvidenceSource::Calls);
    // With more threads than CPUs some must wait, which loses nothing.
    let waiting = if many.setup.all() <= cpus { waiting } else { 0.0 };
    let parts = [
        (Bottleneck::Locks, kernel + blocked),
        (Bottleneck::Cpus, waiting),
        (Bottleneck::Clock, clock),
        (work, user - clock),
    ];
    let all: f64 = parts.iter().map(|(_, seconds)| seconds.max(0.0)).sum();
    let mut causes: Vec<BottleneckShare> = Vec::new();
    for (what, seconds) in parts {
        let share = seconds.max(0.0) / all;
        match causes.iter_mut().find(|cause| cause.what == what) {
            Some(cause) => cause.share += share,
            None => causes.push(BottleneckShare { what, share }),
        }
    }
    causes.retain(|cause| cause.share >= LEAST_SHARE);
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
    causes
}

#[cfg(test)]
mod tests;
