//! Combines the measurements of a gate into one run: each row's last measurement, by which it is
//! judged.

use cpb_engine::SampleFile;
use cpb_model::{RawRound, RawRounds, Run};
use std::io;

/// A measurement, to be saved.
pub(super) struct Measurement {
    /// The run; `None` if it is the verdict's.
    pub(super) run: Option<Run>,
    pub(super) samples: SampleFile,
}

/// The combined run, with the location of its records' raw samples.
pub(super) struct Whole<'a> {
    pub(super) run: Run,
    places: Vec<RecordLocation<'a>>,
}

#[derive(Clone, Copy)]
struct RecordLocation<'a> {
    spool: &'a SampleFile,
    record: usize,
    /// The number of calibrations of earlier measurements that precede its own.
    calibrations: usize,
}

impl<'a> Whole<'a> {
    /// Combines the first run and the measurements, of which the first belongs to that run.
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

    /// Returns the raw samples of a record.
    pub(super) fn raw(&self, record: usize) -> io::Result<Vec<RawRounds>> {
        let RecordLocation { spool, record, calibrations } = self.places[record];
        let moved =
            |round: RawRound| RawRound { calibration: round.calibration + calibrations, ..round };
        let all = spool.samples(record)?;
        Ok(all.iter().map(|rounds| rounds.iter().map(moved).collect()).collect())
    }
}
