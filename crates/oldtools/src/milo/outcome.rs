//! What came of the names that were chosen.

use super::arguments::Repeats;
use super::choice::Chosen;
use cpb_model::{Point, Record, Run};

/// What was asked for, and what came out.
pub struct View<'a> {
    /// How often.
    pub repeats: &'a Repeats,
    /// Which names.
    pub chosen: &'a [Chosen],
    /// What was measured.
    pub run: &'a Run,
}

impl View<'_> {
    /// What was chosen, with the record of each that could run.
    pub fn results(&self) -> impl Iterator<Item = Outcome<'_>> {
        let mut records = self.run.records.iter();
        self.chosen.iter().map(move |chosen| Outcome {
            chosen,
            record: chosen.name.offer.as_ref().ok().and_then(|_| records.next()),
        })
    }

    /// What was counted with.
    #[must_use]
    pub fn counter(&self) -> Option<&str> {
        let calibration = self.run.clock.as_ref()?.calibrations.first()?;
        Some(&calibration.counter)
    }
}

/// What came of a name.
pub struct Outcome<'a> {
    /// The name.
    pub chosen: &'a Chosen,
    /// What was measured, where it could run.
    pub record: Option<&'a Record>,
}

impl Outcome<'_> {
    /// What ran.
    #[must_use]
    pub fn backend(&self) -> Option<&str> {
        self.record.map(|record| record.subject.backend.as_str())
    }

    /// How its output was proved.
    #[must_use]
    pub fn verified(&self) -> Option<&'static str> {
        Some(self.record?.verification.as_ref()?.name())
    }

    /// Its figure, where there is one.
    #[must_use]
    pub fn point(&self) -> Option<&Point> {
        self.record?.points.first()
    }

    /// The figures.
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

/// The figures of one name; times in nanoseconds per call.
pub struct Figures {
    bytes: u64,
    /// The estimate.
    pub nanoseconds: f64,
    /// The median.
    pub median: Option<f64>,
    /// Its interval.
    pub interval: Option<[f64; 2]>,
    /// Whether all of these are upper bounds only.
    pub upper_bound: bool,
    /// Relative, between processes.
    pub spread: Option<f64>,
    /// Core cycles of a call.
    pub cycles: f64,
    /// Calls that were accepted.
    pub calls: u64,
    /// Processes that made them.
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

    /// Nothing per byte where there are none.
    #[must_use]
    pub fn per_byte(&self, cost: f64) -> Option<f64> {
        (self.bytes != 0).then(|| cost / self.bytes as f64)
    }

    /// The speed; `None` where there are no bytes.
    #[must_use]
    pub fn megabytes_per_second(&self) -> Option<f64> {
        (self.bytes != 0).then(|| self.bytes as f64 / self.nanoseconds * 1e3)
    }
}
