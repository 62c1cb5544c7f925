//! Measures concurrent calls in the requested number of rounds, and in further ones for rows that
//! had a neighbour in too many.
//!
//! In every round, all sizes of a row follow one another in random order in the same processes.
//! Disturbances then hit all sizes alike, and each size is compared with one thread in its own
//! round.

use crate::implementation::Implementation;
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::plan::scale::{BackgroundLoad, ScalePlan, Size, call};
use crate::schedule::design::{Design, Round, Time};
use crate::schedule::rows::{RowState, Rows, Seen};
use crate::together::job::{Job, Taken, ThreadWork, not_the_same};
use crate::together::round;
use crate::workers::protocol::Beside;
use cpb_figures::{PointSamples, scaling};
use cpb_host::share_cores;
use cpb_model::{
    Concurrent, ConcurrentRound, Estimator, Failure, FailureKind, Host, Method, Point, Record,
    Setup,
};
use cpb_sampler::Amount;
use cpb_stats::relative_range;

/// The limit of rounds as a multiple of those requested.
const MOST_ROUNDS: u32 = 3;
/// Rounds after which a row is given up as imprecise.
const MOST_PRECISE_ROUNDS: u32 = 100;

/// Measures each row of a plan at each of its sizes. The scheduler sees each combination as a row
/// of its own; those of one row of the plan are consecutive.
pub(crate) struct QuietRounds<'a> {
    plan: &'a ScalePlan,
    host: &'a Host,
    random: fastrand::Rng,
    /// The number of the next round.
    number: u32,
    points: Vec<PointState>,
}

/// The state of a row at one of its sizes.
#[derive(Default)]
struct PointState {
    rounds: Vec<ConcurrentRound>,
    /// The output of its threads, if all must have the same.
    output: Option<String>,
}

impl<'a> QuietRounds<'a> {
    /// Creates the design for `plan` on `host`, with nothing measured.
    pub(crate) fn new(plan: &'a ScalePlan, host: &'a Host) -> Self {
        let points = plan.plan.rows.len() * plan.sizes.len();
        Self {
            plan,
            host,
            random: fastrand::Rng::with_seed(plan.plan.seed),
            number: 0,
            points: (0..points).map(|_| PointState::default()).collect(),
        }
    }

    fn cpus(&self) -> usize {
        scaling::cpus(self.host)
    }

    /// Returns the index of a row at a size.
    fn place(&self, row: usize, size: usize) -> usize {
        row * self.plan.sizes.len() + size
    }

    /// Whether a row has fewer rounds without a neighbour than wanted, at a size that has a CPU for
    /// each thread and so could have them.
    fn lacks_quiet(&self, row: usize, rows: &Rows) -> bool {
        let one = &self.points[self.place(row, 0)].rounds;
        let lacks = |(number, size): (usize, &Size)| {
            let place = self.place(row, number);
            let rounds = &self.points[place].rounds;
            size.all() <= self.cpus()
                && rounds.iter().any(|round| round.probe_cycles.is_some())
                && !rows.has_failed(place)
                && scaling::quiet(rounds, one).len() < self.plan.rounds as usize
        };
        !self.plan.plan.memory.assumes_quiet() && self.plan.sizes.iter().enumerate().any(lacks)
    }

    /// Whether some figure of a row is less precise than requested: for one thread the cost per
    /// call, for others their efficiency.
    fn lacks_precision(&self, row: usize, rows: &Rows) -> bool {
        let Some(precision) = self.plan.precision else { return false };
        let lacks = |(number, &size): (usize, &Size)| {
            let place = self.place(row, number);
            let (found, point) = self.figures(row, size, self.points[place].rounds.clone());
            let cycles = point.map(|point| point.cycles_per_call);
            let of_one = || cycles.or(found.calls_per_second);
            let figure = if size == Size::ONE { of_one() } else { found.efficiency };
            let width = figure.and_then(|figure| figure.relative_half_width());
            !rows.has_failed(place) && width.is_none_or(|width| width > precision)
        };
        self.plan.sizes.iter().enumerate().any(lacks)
    }

    /// Returns the maximum of rounds.
    fn most_rounds(&self) -> u32 {
        let most = self.plan.rounds.saturating_mul(MOST_ROUNDS);
        self.plan.precision.map_or(most, |_| most.max(MOST_PRECISE_ROUNDS))
    }

    /// Orders groups of rows randomly, then their sizes, and at each size their rows. After the
    /// requested rounds, only rows with too few quiet ones, or not yet precise, are included.
    fn order(&mut self, rows: &Rows) -> Vec<Vec<usize>> {
        let (abreast, count) = (self.plan.abreast, self.plan.plan.rows.len());
        let of_group = |first: usize| first..count.min(first + abreast);
        let mut groups: Vec<usize> = (0..count).step_by(abreast).collect();
        if self.number >= self.plan.rounds {
            let lacks = |row| {
                let may_get_quiet = self.number < self.plan.rounds.saturating_mul(MOST_ROUNDS);
                may_get_quiet && self.lacks_quiet(row, rows) || self.lacks_precision(row, rows)
            };
            groups.retain(|&first| of_group(first).any(lacks));
        }
        let mut order = Vec::new();
        self.random.shuffle(&mut groups);
        for first in groups {
            let mut sizes: Vec<usize> = (0..self.plan.sizes.len()).collect();
            self.random.shuffle(&mut sizes);
            for size in sizes {
                let mut of_group: Vec<usize> = of_group(first).collect();
                self.random.shuffle(&mut of_group);
                order.extend(of_group.into_iter().map(|row| self.place(row, size)));
            }
        }
        order.retain(|&place| !rows.has_failed(place));
        order.into_iter().map(|place| vec![place]).collect()
    }

    /// Returns the results of a row at a size in this round, with its output.
    fn found(
        &self,
        place: usize,
        taken: &Taken,
    ) -> Result<(ConcurrentRound, Option<String>), Failure> {
        let output = taken.common_output(&call(self.row(place)))?;
        let known = &self.points[place];
        if !known.rounds.is_empty() && output != known.output {
            return Err(not_the_same());
        }
        Ok((round::figures(self.number, taken)?, output))
    }

    /// Returns the records of all rows, at each of their sizes.
    fn records(&self, rows: &Rows) -> Vec<Record> {
        (0..self.plan.plan.rows.len()).flat_map(|row| self.records_of(row, rows)).collect()
    }

    fn records_of(&self, row: usize, rows: &Rows) -> Vec<Record> {
        let places = self.place(row, 0)..self.place(row + 1, 0);
        let verification = &rows.states[places.start].verification;
        // These failures affect every size; and if one thread alone is wrong, nothing was measured.
        let voids = |state: &RowState| {
            let failure = state.failure.as_ref()?;
            let is_void = state.verification.is_none() || failure.kind == FailureKind::Unavailable;
            is_void.then(|| failure.clone())
        };
        let void = rows.states[places.clone()].iter().find_map(voids);
        let of_size = |(place, &size): (usize, &Size)| {
            let failure = void.clone().or_else(|| self.failure(place, places.start, rows));
            let rounds = match failure {
                None => self.points[place].rounds.clone(),
                Some(_) => Vec::new(),
            };
            let (concurrent, point) = self.figures(row, size, rounds);
            let figures = failure.map_or(Ok((point.into_iter().collect(), None)), Err);
            Record {
                setup: self.setup(row, size),
                method: Method::Throughput,
                concurrent: void.is_none().then_some(concurrent),
                estimator: Estimator::OF_MANY,
                ..self.row(place).record(verification.clone(), figures)
            }
        };
        places.clone().zip(&self.plan.sizes).map(of_size).collect()
    }

    /// Returns why a row at a size has no figures; `one` is the index of one thread.
    fn failure(&self, place: usize, one: usize, rows: &Rows) -> Option<Failure> {
        let [own, of_one] = [place, one].map(|it| &self.points[it].output);
        let differs = own.is_some() && of_one.is_some() && own != of_one;
        let nothing = self.points[place].rounds.is_empty();
        let failure = rows.states[place].failure.clone();
        let failure = failure.or_else(|| differs.then(not_the_same));
        failure.or_else(|| nothing.then(|| rows.why_nothing(&[place])))
    }

    /// Computes the figures and the cost per call from `rounds` of a row at a size.
    fn figures(
        &self,
        row: usize,
        size: Size,
        rounds: Vec<ConcurrentRound>,
    ) -> (Concurrent, Option<Point>) {
        let (setup, place) = (self.setup(row, size), self.place(row, 0));
        let cpus: Vec<usize> = self.plan.cpus.iter().copied().take(size.all()).collect();
        let costs: Vec<f64> = rounds.iter().filter_map(|round| round.cycles_per_call).collect();
        let one = &self.points[place].rounds;
        let (found, cycles) = scaling::figures(setup.size(), rounds, one, self.cpus());
        let between = relative_range(&costs).filter(|_| costs.len() > 1);
        let parameters = call(self.row(place)).parameters;
        let point = cycles.and_then(|cycles| found.point(&setup, parameters, cycles, between));
        (Concurrent { shares_cores: share_cores(self.host, &cpus), cpus, ..found }, point)
    }

    /// Returns the setup of a row at a size.
    fn setup(&self, row: usize, size: Size) -> Setup {
        let load = &self.plan.load[row];
        let threads = load.measured(size.threads);
        let others = size.threads - threads;
        Setup {
            processes: size.processes,
            threads,
            others,
            beside: load.describe().filter(|_| others != 0),
            shares_keys: self.plan.shares_keys,
            ..Setup::default()
        }
    }
}

impl Design for QuietRounds<'_> {
    type Job = Job;
    type Taken = Taken;

    fn row(&self, place: usize) -> &Row {
        &self.plan.plan.rows[place / self.plan.sizes.len()]
    }

    fn round(&mut self, rows: &mut Rows, _seen: Seen<'_>, time: Time) -> Option<Round> {
        let units = match time == Time::Over || self.number >= self.most_rounds() {
            true => Vec::new(),
            false => self.order(rows),
        };
        let to_come = self.plan.rounds.saturating_sub(self.number + 1).into();
        Some(Round { number: self.number, units, to_come, sure: to_come })
    }

    fn job(&self, place: usize, _round: u32) -> Job {
        let (plan, sizes) = (self.plan, self.plan.sizes.len());
        let row = self.row(place);
        let is_its = |spec: &LibrarySpec| spec.label() == row.subject.library;
        Job {
            library: plan.plan.libraries.iter().position(is_its),
            // Sides of a comparison never share processes, even if they are of one library.
            side: place / sizes % plan.abreast,
            size: plan.sizes[place % sizes],
            work: ThreadWork {
                implementation: Implementation::of_subject(&row.subject),
                workload: call(row),
                beside: beside(&plan.load[place / sizes]),
            },
            amount: Amount::Time(plan.time),
            operations: 1,
        }
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Taken)>, _seen: Seen<'_>) {
        for (place, taken) in unit {
            match self.found(place, &taken) {
                Ok((round, output)) => {
                    self.points[place].rounds.push(round);
                    self.points[place].output = output;
                    rows.states[place].rounds += 1;
                }
                Err(failure) => rows.fail(place, failure),
            }
        }
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, _is_over: bool) {
        self.number += 1;
    }

    fn known_loop(&self, row: &Row, _calls: Option<u64>) -> Option<Job> {
        Some(Job::known_loop(self.plan.plan.libraries.len(), row))
    }

    fn add_known_loop(&self, so_far: &mut PointSamples, taken: Taken, seen: Seen<'_>) {
        taken.add_to(so_far, seen.gate);
    }

    fn snapshot(&self, rows: &Rows, _seen: Seen<'_>) -> Vec<Record> {
        self.records(rows)
    }
}

fn beside(load: &BackgroundLoad) -> Option<Beside> {
    match load {
        BackgroundLoad::Same => None,
        BackgroundLoad::Memory => Some(Beside::Memory),
        BackgroundLoad::Calls(row) => Some(Beside::Calls {
            implementation: Implementation::of_subject(&row.subject),
            workload: call(row),
        }),
    }
}
