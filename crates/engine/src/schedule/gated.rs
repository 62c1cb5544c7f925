//! Keeps the rows of designs that measure with one worker at a time, on a quiet core.

use super::events;
use super::sample_file::SampleFile;
use crate::failures::not_measured;
use crate::parallel;
use crate::plan::{Plan, Rounds, Row};
use crate::schedule::rows::{RowState, Seen};
use crate::workers::Taken;
use crate::workers::protocol;
use cpb_figures::{PointSamples, add_round, cells};
use cpb_model::{EventCounts, Failure, Line, Point, Record};

/// Fewer rows are not worth a thread.
const ROWS_OF_A_THREAD: usize = 4;
/// The number of samples of a loop of known cycles per round: about a millisecond of them, because
/// stalls come in bursts that last as long.
const KNOWN_LOOP_SAMPLES: u32 = 40;

/// The figures of a row: its points, and its line.
pub(crate) type Figures = (Vec<Point>, Option<Line>);

/// A job for one worker.
pub(crate) struct Job {
    /// The index of its library among those that workers are started for; `None` if it is missing.
    pub(crate) library: Option<usize>,
    pub(crate) work: protocol::Job,
}

/// The samples of all rows, with what belongs to them.
pub(crate) struct Gated<'a> {
    pub(crate) plan: &'a Plan,
    rows: Vec<GatedRow>,
    /// The index of the library that has the loops of known cycles; `None` if it is missing.
    self_test: Option<usize>,
    pub(crate) samples: SampleFile,
}

struct GatedRow {
    library: Option<usize>,
    /// Calls per sample where they are fixed, in the order of a job's calls, and those of the last
    /// round.
    calls: Vec<Option<u64>>,
    last_calls: Vec<Option<u64>>,
    /// Other events that the core counted, in each round by length.
    events: Vec<Vec<Option<EventCounts>>>,
    /// Why serial calls were not measured, if requested.
    no_dependence: Option<String>,
}

impl<'a> Gated<'a> {
    /// Collects the rows of a plan, each with the index of its library, and the index of the
    /// self-test.
    pub(crate) fn new(
        plan: &'a Plan,
        library: impl Fn(usize, &Row) -> Option<usize>,
        self_test: Option<usize>,
    ) -> Self {
        let row = |(index, row): (usize, &Row)| GatedRow {
            library: library(index, row),
            calls: vec![None; row.lengths.len()],
            last_calls: vec![None; row.lengths.len()],
            events: Vec::new(),
            no_dependence: None,
        };
        let rows: Vec<_> = plan.rows.iter().enumerate().map(row).collect();
        Self { plan, samples: SampleFile::new(rows.len()), rows, self_test }
    }

    /// Returns the job of a row with this number of samples per length.
    pub(crate) fn job(&self, row: usize, samples: u32, round: u32) -> Job {
        let GatedRow { library, calls, .. } = &self.rows[row];
        let (plan, calls) = (self.plan, calls.clone());
        let work = protocol::Job::new(&plan.rows[row], &plan.sampling, calls, samples, round);
        Job { library: *library, work }
    }

    /// Returns the job of a loop of known cycles.
    pub(crate) fn known_loop(&self, row: &Row, calls: Option<u64>) -> Option<Job> {
        let sampling = &self.plan.sampling;
        let work = protocol::Job::new(row, sampling, vec![calls], KNOWN_LOOP_SAMPLES, 0);
        self.self_test.map(|index| Job { library: Some(index), work })
    }

    /// Adds the result of such a job to the samples of its loop.
    pub(crate) fn add_known_loop(so_far: &mut PointSamples, taken: Taken, seen: Seen<'_>) {
        let Seen { gate, calibrations, .. } = seen;
        let round = taken.raw(calibrations);
        add_round(std::slice::from_mut(so_far), calibrations, gate, &round);
    }

    /// Stores a round of a row.
    pub(crate) fn keep(&mut self, row: usize, taken: Taken, seen: Seen<'_>) {
        let state = &mut self.rows[row];
        state.no_dependence.clone_from(&taken.no_dependence);
        state.events.push(taken.events.clone());
        let round = taken.raw(seen.calibrations);
        let calls = round.iter().map(|raw| Some(raw.samples.calls).filter(|calls| *calls != 0));
        state.last_calls = calls.collect();
        // Where a fixed number of samples is spread over many rounds, finding the number of calls
        // in each takes as long as the samples.
        if matches!(self.plan.sampling.rounds, Rounds::Fixed(_)) {
            state.calls.clone_from(&state.last_calls);
        }
        self.samples.add(row, round);
    }

    /// Drops the rounds of all rows, but keeps the calls per sample.
    pub(crate) fn forget_rounds(&mut self) {
        self.samples = SampleFile::new(self.rows.len());
        self.rows.iter_mut().for_each(|row| row.events.clear());
    }

    /// Returns the calls per sample in the last round of a row, by length.
    pub(crate) fn last_calls(&self, row: usize) -> &[Option<u64>] {
        &self.rows[row].last_calls
    }

    /// Fixes the calls per sample of a row from now on, by length. Until then each round finds its
    /// own number: where two fit about equally well, every run has some rounds of each.
    pub(crate) fn fix_calls(&mut self, row: usize, calls: Vec<Option<u64>>) {
        self.rows[row].calls = calls;
    }

    /// Returns the samples of a row so far, by length.
    pub(crate) fn cells(&self, row: usize, seen: Seen<'_>) -> Result<Vec<PointSamples>, Failure> {
        let samples = (self.samples.samples(row))
            .map_err(|error| not_measured(format!("the samples cannot be read back: {error}")))?;
        cells(&self.plan.rows[row].workload, &samples, seen.calibrations, seen.gate)
            .ok_or_else(|| not_measured("the samples have no calibration"))
    }

    /// Computes the figures of a row from its samples so far.
    pub(crate) fn figures(&self, row: usize, seen: Seen<'_>) -> Result<Figures, Failure> {
        let asked = self.plan.rows[row].asked(self.plan.seed);
        Ok(asked.figures(&self.cells(row, seen)?))
    }

    /// Computes the figures of several rows on all CPUs, because nothing is measured meanwhile.
    pub(crate) fn figures_of(
        &self,
        rows: &[usize],
        seen: Seen<'_>,
    ) -> Vec<Result<Figures, Failure>> {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cpus.min(rows.len() / ROWS_OF_A_THREAD);
        parallel::map(rows, threads, |&row| self.figures(row, seen))
    }

    /// Creates the record of a row from these figures.
    pub(crate) fn record(
        &self,
        row: usize,
        state: &RowState,
        figures: Result<Figures, Failure>,
    ) -> Record {
        let (planned, known) = (&self.plan.rows[row], &self.rows[row]);
        let figures = figures.map(|(mut points, line)| {
            events::put(&mut points, planned, &known.events);
            (points, line)
        });
        let record = planned.record(state.verification.clone(), figures);
        Record { no_dependence: known.no_dependence.clone(), ..record }
    }
}
