//! Presents the results of the chosen names.

use super::arguments::Repeats;
use super::choice::Chosen;
use cpb_model::{Point, Record, Run};

/// The request, with its results.
pub struct View<'a> {
    /// How often calls were requested.
    pub repeats: &'a Repeats,
    /// The chosen names.
    pub chosen: &'a [Chosen],
    pub run: &'a Run,
}

impl View<'_> {
    /// Iterates over the chosen names, with the record of each that could run.
    pub fn results(&self) -> impl Iterator<Item = Outcome<'_>> {
        let mut records = self.run.records.iter();
        self.chosen.iter().map(move |chosen| Outcome {
            chosen,
            record: chosen.name.offer.as_ref().ok().and_then(|_| records.next()),
        })
    }

    /// Returns the counter's name.
    pub fn counter(&self) -> Option<&str> {
        let calibration = self.run.clock.as_ref()?.calibrations.first()?;
        Some(&calibration.counter)
    }
}

/// The result of a name.
pub struct Outcome<'a> {
    pub chosen: &'a Chosen,
    /// The record, if it could run.
    pub record: Option<&'a Record>,
}

impl Outcome<'_> {
    /// Returns the backend that ran.
    pub fn backend(&self) -> Option<&str> {
        self.record.map(|record| record.subject.backend.as_str())
    }

    /// Returns how its output was verified.
    pub fn verified(&self) -> Option<&'static str> {
        Some(self.record?.verification.as_ref()?.name())
    }

    /// Returns its point, if there is one.
    pub fn point(&self) -> Option<&Point> {
        self.record?.points.first()
    }

    /// Returns the figures.
    ///
    /// # Errors
    /// Why there are none.
    pub fn figures(&self) -> Result<Figures, String> {
        let failure = self.record.and_then(|record| record.failure.as_ref());
        match (&self.chosen.name.offer, failure, self.point()) {
            (Err(reason), ..) => Err(reason.clone()),
            (_, Some(failure), _) => Err(failure.reason.clone()),
            (_, _, Some(point)) => Ok(Figures::of(self.chosen.bytes, point)),
            (_, _, None) => Err("it was not measured".to_owned()),
        }
    }
}

/// The figures of one name; times are in nanoseconds per call.
pub struct Figures {
    bytes: u64,
    /// The estimate.
    pub nanoseconds: f64,
    pub median: Option<f64>,
    /// The interval of the estimate.
    pub interval: Option<[f64; 2]>,
    /// Whether all of these are only upper bounds.
    pub upper_bound: bool,
    /// The relative spread between processes.
    pub spread: Option<f64>,
    /// Core cycles per call.
    pub cycles: f64,
    /// Accepted calls.
    pub calls: u64,
    /// The number of processes.
    pub processes: u32,
}

impl Figures {
    fn of(bytes: u64, point: &Point) -> Self {
        let cycles = point.cycles_per_call.estimate;
        let nanoseconds_per_cycle = point.nanoseconds_per_call / cycles;
        let interval = point.cycles_per_call.interval;
        Self {
            bytes,
            nanoseconds: point.nanoseconds_per_call,
            median: point.median.map(|median| median * nanoseconds_per_cycle),
            interval: interval.map(|i| [i.low, i.high].map(|end| end * nanoseconds_per_cycle)),
            upper_bound: point.cycles_per_call.upper_bound,
            spread: point.between_rounds,
            cycles,
            calls: point.samples * point.calls_per_sample,
            processes: point.rounds,
        }
    }

    /// Returns the cost per byte; `None` if there are no bytes.
    pub fn per_byte(&self, cost: f64) -> Option<f64> {
        (self.bytes != 0).then(|| cost / self.bytes as f64)
    }

    /// Returns the speed; `None` if there are no bytes.
    pub fn megabytes_per_second(&self) -> Option<f64> {
        (self.bytes != 0).then(|| self.bytes as f64 / self.nanoseconds * 1e3)
    }
}
