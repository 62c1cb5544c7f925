//! The measurements of a gate as one run: what each row is judged by, its last measurement.

use super::Measurement;
use cpb_engine::SampleFile;
use cpb_model::{RawRound, RawRounds, Run};
use std::io;

/// A run, with where the raw samples of its records are.
pub(super) struct Whole<'a> {
    pub(super) run: Run,
    places: Vec<RecordLocation<'a>>,
}

#[derive(Clone, Copy)]
struct RecordLocation<'a> {
    spool: &'a SampleFile,
    record: usize,
    /// How many calibrations of other measurements stand before its own.
    calibrations: usize,
}

impl<'a> Whole<'a> {
    /// Of the first run and the measurements, the first of which is that run's own.
    pub(super) fn of(first: &Run, measurements: &'a [Measurement]) -> Self {
        let mut whole = Self { run: first.without_records(), places: Vec::new() };
        let clock = whole.run.clock.as_mut();
        clock.into_iter().for_each(|clock| clock.calibrations.clear());
        for Measurement { run, samples } in measurements {
            whole.take(run.as_ref().unwrap_or(first), samples);
        }
        whole
    }

    fn take(&mut self, run: &Run, spool: &'a SampleFile) {
        let own = run.clock.iter().flat_map(|clock| clock.calibrations.iter().cloned());
        let before = self.run.clock.as_mut().map_or(0, |clock| {
            let before = clock.calibrations.len();
            clock.calibrations.extend(own);
            before
        });
        for (record, measured) in run.records.iter().enumerate() {
            let place = RecordLocation { spool, record, calibrations: before };
            let is_it = |it: &cpb_model::Record| {
                (&it.subject, it.work()) == (&measured.subject, measured.work())
            };
            match self.run.records.iter().position(is_it) {
                Some(known) => {
                    self.run.records[known] = measured.clone();
                    self.places[known] = place;
                }
                None => {
                    self.run.records.push(measured.clone());
                    self.places.push(place);
                }
            }
        }
    }

    /// The raw samples of a record.
    pub(super) fn raw(&self, record: usize) -> io::Result<Vec<RawRounds>> {
        let RecordLocation { spool, record, calibrations } = self.places[record];
        let moved =
            |round: RawRound| RawRound { calibration: round.calibration + calibrations, ..round };
        let all = spool.samples(record)?;
        Ok(all.iter().map(|rounds| rounds.iter().map(moved).collect()).collect())
    }
}
