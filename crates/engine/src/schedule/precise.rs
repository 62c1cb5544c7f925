//! Measures rounds of rows until each is precise enough, or a fixed number of rounds.

use super::gated::{Gated, Job};
use super::race::{self, RowProgress};
use crate::failures::not_measured;
use crate::plan::{Plan, Rounds, Row};
use crate::schedule::design::{Design, Round, Time};
use crate::schedule::rows::{Rows, Seen};
use crate::workers::Taken;
use cpb_figures::{FEWEST_ROUNDS, PointSamples, QuietCriterion, is_precise};
use cpb_model::{Failure, Fit, Record};
use std::collections::HashMap;

/// Additional rounds for rows with an impossible slope.
const ROUNDS_AGAIN: u32 = 5;
/// How many rounds, as a divisor of those so far, may pass before rows are checked for precision
/// again, because a check computes the figures of all samples.
const BETWEEN_CHECKS: u32 = 8;

pub(crate) struct UntilPrecise<'a> {
    pub(crate) gated: Gated<'a>,
    random: fastrand::Rng,
    /// The number of the next round.
    number: u32,
    /// The number of rounds at which rows are next checked for precision.
    next_check: u32,
    /// The criterion for quiet samples when rows were last found precise.
    gate: QuietCriterion,
    known: Vec<RowProgress>,
    /// Rows that may have an impossible slope, once the planned rounds are over.
    doubtful: Option<Vec<usize>>,
}

impl<'a> UntilPrecise<'a> {
    /// Creates the design for the rows of a plan of which none has been measured.
    pub(crate) fn new(gated: Gated<'a>, gate: QuietCriterion) -> Self {
        let Plan { rows, seed, .. } = gated.plan;
        let known = rows.iter().map(|_| RowProgress::default()).collect();
        let random = fastrand::Rng::with_seed(*seed);
        Self { gated, random, number: 0, next_check: 0, gate, known, doubtful: None }
    }

    fn plan(&self) -> &'a Plan {
        self.gated.plan
    }

    /// Returns the next planned round; `None` if there is none.
    fn planned(&mut self, rows: &Rows, time: Time) -> Option<Round> {
        let sampling = &self.plan().sampling;
        let is_late = matches!(sampling.rounds, Rounds::Until { .. })
            && self.number >= FEWEST_ROUNDS
            && time == Time::Late;
        let is_over = is_late
            || self.number >= sampling.rounds.at_most()
            || sampling.samples_in_round(self.number) == 0;
        let units = if is_over { Vec::new() } else { self.order(rows) };
        let sure = sampling.sure_rounds().saturating_sub(self.number + 1).into();
        (!units.is_empty()).then_some(Round { number: self.number, units, to_come: sure, sure })
    }

    /// Orders the rows randomly, with comparable ones next to each other.
    fn order(&mut self, rows: &Rows) -> Vec<Vec<usize>> {
        let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, (row, known)) in self.plan().rows.iter().zip(&self.known).enumerate() {
            if !rows.has_failed(index) && !known.is_precise {
                groups.entry(&row.workload).or_default().push(index);
            }
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        // The map's order differs between processes; only the seed may decide.
        groups.sort_unstable();
        self.random.shuffle(&mut groups);
        for group in &mut groups {
            self.random.shuffle(group);
        }
        groups.into_iter().flatten().map(|row| vec![row]).collect()
    }

    /// Returns an additional round for rows whose slope is not positive, which no cost can be. Rows
    /// whose slope stays so fail.
    fn again(&mut self, rows: &mut Rows, seen: Seen<'_>, is_over: bool) -> Option<Round> {
        let planned = self.plan().sampling.rounds.at_most();
        let doubtful = self.doubtful.take().unwrap_or_else(|| {
            self.number = planned;
            (0..self.known.len()).collect()
        });
        let falling = self.falling(doubtful, rows, seen);
        let number = self.number;
        let has_samples = self.plan().sampling.samples_in_round(number) != 0;
        if is_over || !has_samples || number == planned + ROUNDS_AGAIN {
            falling.into_iter().for_each(|row| rows.fail(row, falls()));
            return None;
        }
        let units: Vec<_> = falling.iter().map(|&row| vec![row]).collect();
        self.doubtful = Some(falling);
        Some(Round { number, units, to_come: 0, sure: 0 })
    }

    /// Returns those of these rows for which only the slope was requested and is not positive.
    /// Stores the computed figures, which are final for rows that are not measured again.
    fn falling(&mut self, mut doubtful: Vec<usize>, rows: &Rows, seen: Seen<'_>) -> Vec<usize> {
        doubtful.retain(|&row| !rows.has_failed(row) && is_slope_alone(&self.plan().rows[row]));
        let figures = self.gated.figures_of(&doubtful, seen);
        let falls = doubtful.into_iter().zip(figures).filter_map(|(row, figures)| {
            let figures = figures.ok()?;
            let slope = figures.1.as_ref().map(|line| line.cycles_per_byte.estimate);
            self.known[row].figures = figures;
            slope.is_some_and(|slope| slope <= 0.0).then_some(row)
        });
        falls.collect()
    }

    fn note_precise_rows(&mut self, rows: &Rows, seen: Seen<'_>) {
        let sampling = &self.plan().sampling;
        let until = match sampling.rounds {
            Rounds::Until { precision, coarse, at_least, .. } if self.number >= at_least => {
                Some((precision, coarse))
            }
            _ => None,
        };
        // Without a decision, figures are computed to learn how long the final ones take.
        let is_timed = sampling.budget_is_maximum && self.number >= FEWEST_ROUNDS;
        if self.number < self.next_check || (until.is_none() && !is_timed) {
            return;
        }
        let wait = if until.is_some() { self.number / BETWEEN_CHECKS } else { self.number };
        self.next_check = self.number + wait.max(1);
        let is_open = |row: &usize| !rows.has_failed(*row) && !self.known[*row].is_precise;
        let open: Vec<usize> = (0..self.known.len()).filter(is_open).collect();
        let figures = self.gated.figures_of(&open, seen);
        let Some((precision, coarse)) = until else { return };
        for (row, figures) in open.into_iter().zip(figures) {
            let (Ok(figures), known) = (figures, &mut self.known[row]) else { continue };
            let (points, line) = (&figures.0, figures.1.as_ref());
            known.is_precise = is_precise(points, line, precision);
            known.is_coarse = coarse.is_some_and(|coarse| is_precise(points, line, coarse));
            known.figures = figures;
        }
        for row in race::dominated_rows(&self.plan().rows, rows, &self.known) {
            self.known[row].is_precise = true;
            self.known[row].is_behind = true;
        }
    }

    fn record(&mut self, row: usize, rows: &Rows) -> Record {
        let known = &mut self.known[row];
        let figures = match &rows.states[row].failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(std::mem::take(&mut known.figures)),
        };
        let precise = match (self.gated.plan.sampling.rounds, &figures) {
            (Rounds::Until { precision, coarse, .. }, Ok((points, line))) => {
                let enough = coarse.filter(|_| known.is_behind).unwrap_or(precision);
                Some(is_precise(points, line.as_ref(), enough))
            }
            _ => None,
        };
        Record { precise, ..self.gated.record(row, &rows.states[row], figures) }
    }
}

impl Design for UntilPrecise<'_> {
    type Job = Job;
    type Taken = Taken;

    fn row(&self, row: usize) -> &Row {
        &self.plan().rows[row]
    }

    fn round(&mut self, rows: &mut Rows, seen: Seen<'_>, time: Time) -> Option<Round> {
        let is_over = time == Time::Over;
        let may_be_planned = self.doubtful.is_none() && !is_over;
        let planned = may_be_planned.then(|| self.planned(rows, time)).flatten();
        planned.or_else(|| self.again(rows, seen, is_over))
    }

    fn job(&self, row: usize, round: u32) -> Job {
        self.gated.job(row, self.plan().sampling.samples_in_round(round), round)
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Taken)>, seen: Seen<'_>) {
        for (row, taken) in unit {
            self.gated.keep(row, taken, seen);
            rows.states[row].rounds += 1;
        }
    }

    fn end_round(&mut self, rows: &mut Rows, seen: Seen<'_>, _is_over: bool) {
        self.number += 1;
        if seen.gate != self.gate {
            // The criterion changed, so neither precision nor slopes found before may hold.
            self.gate = seen.gate;
            self.known.iter_mut().for_each(|known| *known = RowProgress::default());
            self.next_check = 0;
            self.doubtful = self.doubtful.take().map(|_| (0..self.known.len()).collect());
        }
        if self.doubtful.is_none() {
            self.note_precise_rows(rows, seen);
        }
    }

    fn finish(&mut self, rows: &mut Rows, seen: Seen<'_>) -> Vec<Record> {
        for row in 0..self.known.len() {
            if !rows.has_failed(row) && rows.states[row].rounds == 0 {
                rows.states[row].failure = Some(rows.why_nothing(&[row]));
            }
        }
        let is_final = |row: usize| {
            is_slope_alone(&self.plan().rows[row]) && !self.known[row].figures.0.is_empty()
        };
        let open = (0..self.known.len()).filter(|&row| !rows.has_failed(row) && !is_final(row));
        let open: Vec<usize> = open.collect();
        // Computed once more, with the final quiet criterion.
        let figures = self.gated.figures_of(&open, seen);
        for (row, figures) in open.into_iter().zip(figures) {
            match figures {
                Ok(figures) => self.known[row].figures = figures,
                Err(failure) => rows.states[row].failure = Some(failure),
            }
        }
        (0..self.known.len()).map(|row| self.record(row, rows)).collect()
    }

    fn known_loop(&self, row: &Row, calls: Option<u64>) -> Option<Job> {
        self.gated.known_loop(row, calls)
    }

    fn add_known_loop(&self, so_far: &mut PointSamples, taken: Taken, seen: Seen<'_>) {
        Gated::add_known_loop(so_far, taken, seen);
    }

    /// Uses the stored figures of each row, or else computes them from its samples.
    fn snapshot(&self, rows: &Rows, seen: Seen<'_>) -> Vec<Record> {
        let record = |(row, known): (usize, &RowProgress)| {
            let state = &rows.states[row];
            let figures = match &state.failure {
                Some(failure) => Err(failure.clone()),
                None if known.figures.0.is_empty() => self.gated.figures(row, seen),
                None => Ok(known.figures.clone()),
            };
            self.gated.record(row, state, figures)
        };
        self.known.iter().enumerate().map(record).collect()
    }
}

/// Whether only a slope through all lengths was requested.
fn is_slope_alone(row: &Row) -> bool {
    row.line.as_ref().is_some_and(|(fit, _)| *fit == Fit::LeastSquares)
}

fn falls() -> Failure {
    not_measured(
        "the more there was to do, the less it took: its samples are too few or too disturbed for \
         a slope; give more --repetitions, or a quieter machine",
    )
}
