//! As many rounds as are asked for, and further ones of what was beside a neighbour in too many of
//! them: of calls that many make at once.
//!
//! In every round all sizes of a row follow one another in random order, in the same processes: what
//! disturbs the machine hits all alike, and each size is compared with one thread of its own
//! round.

use super::{Design, Round, RowState, Rows, Seen, Time};
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::scale::{Company, ScalePlan, Size, call};
use crate::together::{CrowdWork, Job, Taken, not_the_same, round};
use crate::workers::protocol::{Beside, Implementation};
use cpb_figures::scaling;
use cpb_host::share_cores;
use cpb_model::{
    Concurrent, ConcurrentRound, Estimator, Failure, FailureKind, Host, Method, Point, Record,
    Setup,
};
use cpb_sampler::Amount;
use cpb_stats::relative_range;

/// How many times as many rounds as are asked for are made at most.
const MOST_ROUNDS: u32 = 3;
/// Rounds after which a row is given up as not precise.
const MOST_PRECISE_ROUNDS: u32 = 100;

/// Measures each row of a plan at each of its sizes: what is measured at once is one of these, and
/// those of a row stand one behind the other.
pub(crate) struct QuietRounds<'a> {
    plan: &'a ScalePlan,
    host: &'a Host,
    random: fastrand::Rng,
    /// Of the next round.
    number: u32,
    crowds: Vec<CrowdState>,
}

/// What is known of a row at one of its sizes.
#[derive(Default)]
struct CrowdState {
    rounds: Vec<ConcurrentRound>,
    /// What all its threads put out, where all must put out the same.
    output: Option<String>,
}

impl<'a> QuietRounds<'a> {
    /// Of `plan`, of which nothing has been measured, on `host`.
    pub(crate) fn new(plan: &'a ScalePlan, host: &'a Host) -> Self {
        let crowds = plan.plan.rows.len() * plan.sizes.len();
        Self {
            plan,
            host,
            random: fastrand::Rng::with_seed(plan.plan.seed),
            number: 0,
            crowds: (0..crowds).map(|_| CrowdState::default()).collect(),
        }
    }

    fn cpus(&self) -> usize {
        scaling::cpus(self.host)
    }

    /// The place of a row at a size.
    fn place(&self, row: usize, size: usize) -> usize {
        row * self.plan.sizes.len() + size
    }

    /// Whether fewer rounds of a row than are wanted were beside no neighbour, at a size that has a
    /// CPU for each thread, and could have them.
    fn lacks_quiet(&self, row: usize, rows: &Rows) -> bool {
        let one = &self.crowds[self.place(row, 0)].rounds;
        let lacks = |(number, size): (usize, &Size)| {
            let place = self.place(row, number);
            let rounds = &self.crowds[place].rounds;
            size.all() <= self.cpus()
                && rounds.iter().any(|round| round.probe_cycles.is_some())
                && !rows.has_failed(place)
                && scaling::quiet(rounds, one).len() < self.plan.rounds as usize
        };
        !self.plan.plan.memory.assumes_quiet() && self.plan.sizes.iter().enumerate().any(lacks)
    }

    /// Whether some figure of a row is known less precisely than was asked: of one thread what a
    /// call costs, of others their efficiency.
    fn lacks_precision(&self, row: usize, rows: &Rows) -> bool {
        let Some(precision) = self.plan.precision else { return false };
        let lacks = |(number, &size): (usize, &Size)| {
            let place = self.place(row, number);
            let (found, point) = self.figures(row, size, self.crowds[place].rounds.clone());
            let cycles = point.map(|point| point.cycles_per_call);
            let of_one = || cycles.or(found.calls_per_second);
            let figure = if size == Size::ONE { of_one() } else { found.efficiency };
            let width = figure.and_then(|figure| figure.relative_half_width());
            !rows.has_failed(place) && width.is_none_or(|width| width > precision)
        };
        self.plan.sizes.iter().enumerate().any(lacks)
    }

    /// Rounds that are made at most.
    fn most_rounds(&self) -> u32 {
        let most = self.plan.rounds.saturating_mul(MOST_ROUNDS);
        self.plan.precision.map_or(most, |_| most.max(MOST_PRECISE_ROUNDS))
    }

    /// What stands abreast in random order, its sizes, and at each size its rows. Once all rounds
    /// asked for were made, only of what has fewer quiet ones than that, or is not precise.
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

    /// What a row at a size did in this round, and put out.
    fn found(
        &self,
        place: usize,
        taken: &Taken,
    ) -> Result<(ConcurrentRound, Option<String>), Failure> {
        let output = taken.common_output(&call(self.row(place)))?;
        let known = &self.crowds[place];
        if !known.rounds.is_empty() && output != known.output {
            return Err(not_the_same());
        }
        Ok((round::figures(self.number, taken)?, output))
    }

    /// The records of all rows, at each of their sizes.
    fn records(&self, rows: &Rows) -> Vec<Record> {
        (0..self.plan.plan.rows.len()).flat_map(|row| self.records_of(row, rows)).collect()
    }

    fn records_of(&self, row: usize, rows: &Rows) -> Vec<Record> {
        let places = self.place(row, 0)..self.place(row + 1, 0);
        let verification = &rows.states[places.start].verification;
        // What it lacks, it lacks at every size; and where it is wrong alone, nothing was measured.
        let voids = |state: &RowState| {
            let failure = state.failure.as_ref()?;
            let is_void = state.verification.is_none() || failure.kind == FailureKind::Unavailable;
            is_void.then(|| failure.clone())
        };
        let void = rows.states[places.clone()].iter().find_map(voids);
        let of_size = |(place, &size): (usize, &Size)| {
            let failure = void.clone().or_else(|| self.failure(place, places.start, rows));
            let rounds = match failure {
                None => self.crowds[place].rounds.clone(),
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

    /// Why a row at a size has no figures, which one thread has at the place of `one`.
    fn failure(&self, place: usize, one: usize, rows: &Rows) -> Option<Failure> {
        let [own, of_one] = [place, one].map(|it| &self.crowds[it].output);
        let differs = own.is_some() && of_one.is_some() && own != of_one;
        let nothing = self.crowds[place].rounds.is_empty();
        let failure = rows.states[place].failure.clone();
        let failure = failure.or_else(|| differs.then(not_the_same));
        failure.or_else(|| nothing.then(|| rows.why_nothing(&[place])))
    }

    /// What `rounds` of a row at a size say, and what a call costs.
    fn figures(
        &self,
        row: usize,
        size: Size,
        rounds: Vec<ConcurrentRound>,
    ) -> (Concurrent, Option<Point>) {
        let (setup, place) = (self.setup(row, size), self.place(row, 0));
        let cpus: Vec<usize> = self.plan.cpus.iter().copied().take(size.all()).collect();
        let costs: Vec<f64> = rounds.iter().filter_map(|round| round.cycles_per_call).collect();
        let one = &self.crowds[place].rounds;
        let (found, cycles) = scaling::figures(setup.size(), rounds, one, self.cpus());
        let between = relative_range(&costs).filter(|_| costs.len() > 1);
        let parameters = call(self.row(place)).parameters;
        let point = cycles.and_then(|cycles| found.point(&setup, parameters, cycles, between));
        (Concurrent { shares_cores: share_cores(self.host, &cpus), cpus, ..found }, point)
    }

    /// How calls of a row are made at a size.
    fn setup(&self, row: usize, size: Size) -> Setup {
        let company = &self.plan.company[row];
        let threads = company.measured(size.threads);
        let others = size.threads - threads;
        Setup {
            processes: size.processes,
            threads,
            others,
            beside: company.words().filter(|_| others != 0),
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
            // Sides of a comparison share no processes, though they may be of the same library.
            side: place / sizes % plan.abreast,
            size: plan.sizes[place % sizes],
            work: CrowdWork {
                implementation: Implementation::of_subject(&row.subject),
                workload: call(row),
                beside: beside(&plan.company[place / sizes]),
            },
            amount: Amount::Time(plan.time),
            operations: 1,
        }
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Taken)>, _seen: Seen<'_>) {
        for (place, taken) in unit {
            match self.found(place, &taken) {
                Ok((round, output)) => {
                    self.crowds[place].rounds.push(round);
                    self.crowds[place].output = output;
                    rows.states[place].rounds += 1;
                }
                Err(failure) => rows.fail(place, failure),
            }
        }
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, _is_over: bool) {
        self.number += 1;
    }

    fn snapshot(&self, rows: &Rows, _seen: Seen<'_>) -> Vec<Record> {
        self.records(rows)
    }
}

fn beside(company: &Company) -> Option<Beside> {
    match company {
        Company::Same => None,
        Company::Memory => Some(Beside::Memory),
        Company::Calls(row) => Some(Beside::Calls {
            implementation: Implementation::of_subject(&row.subject),
            workload: call(row),
        }),
    }
}
