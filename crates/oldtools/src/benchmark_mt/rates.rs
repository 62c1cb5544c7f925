//! Defines the units of throughput in the recursive SHA-256 benchmark.

use clap::ValueEnum;
use cpb_model::{Figure, Record};
use std::collections::BTreeSet;

/// The unit of throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// Million hashes a second.
    #[value(name = "MH")]
    Mh,
    /// Million bytes a second, of 64-byte blocks.
    #[value(name = "MB")]
    Mb,
    /// Mebibytes a second, of 64-byte blocks.
    #[value(name = "MiB")]
    Mib,
    /// Cycles per block and per byte.
    #[value(name = "cpb")]
    Cpb,
}

/// The bytes of a hash: one block of SHA-256.
pub const BLOCK_BYTES: f64 = 64.0;

/// The units in which figures are shown.
pub struct RateOptions {
    /// The unit of throughput.
    pub unit: Unit,
    /// The clock stated by the user.
    pub gigahertz: Option<f64>,
}

impl RateOptions {
    /// Returns the unit of throughput; with cycles, hashes.
    pub fn rate_unit(&self) -> &'static str {
        match self.unit {
            Unit::Mh | Unit::Cpb => "MH/s",
            Unit::Mb => "MB/s",
            Unit::Mib => "MiB/s",
        }
    }

    /// Converts hashes per second to this unit.
    pub fn rate(&self, hashes_per_second: f64) -> f64 {
        match self.unit {
            Unit::Mh | Unit::Cpb => hashes_per_second / 1e6,
            Unit::Mb => hashes_per_second * BLOCK_BYTES / 1e6,
            Unit::Mib => hashes_per_second * BLOCK_BYTES / f64::from(1 << 20),
        }
    }

    /// Returns the clock to which rates refer: the stated one, or else the measured one.
    fn clock(&self, row: &Record) -> Option<f64> {
        self.gigahertz.or_else(|| Some(core_hertz(row)? / 1e9))
    }

    /// Returns the rate per 0.1 GHz.
    pub fn rate_per_clock(&self, row: &Record) -> Option<f64> {
        Some(self.rate(rate_of(row)?) / (self.clock(row)? * 10.0))
    }

    /// Returns the cycles per hash at the stated clock, from the wall-clock time of all threads and
    /// the CPUs they had.
    pub fn stated_cycles(&self, row: &Record) -> Option<f64> {
        let cpus: BTreeSet<&usize> = row.concurrent.iter().flat_map(|it| &it.cpus).collect();
        let cores = cpus.len().max(1) as f64;
        Some(self.gigahertz? * 1e9 * cores / rate_of(row)?)
    }

    /// Returns further costs in cycles besides those per hash, only under [`Unit::Cpb`].
    pub fn cycles_besides(&self, row: &Record) -> Vec<Option<f64>> {
        if self.unit != Unit::Cpb {
            return Vec::new();
        }
        let per_byte = |cycles: f64| cycles / BLOCK_BYTES;
        let mut cycles = vec![cycles_of(row).map(|figure| per_byte(figure.estimate))];
        if self.gigahertz.is_some() {
            let stated = self.stated_cycles(row);
            cycles.extend([stated, stated.map(per_byte)]);
        }
        cycles
    }

    /// Returns the headings of [`RateOptions::cycles_besides`].
    pub fn cycles_headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        if self.unit == Unit::Cpb {
            headings.push("c/B".to_owned());
            if let Some(gigahertz) = self.gigahertz {
                headings.push(format!("c/hash at {gigahertz:.2} GHz"));
                headings.push("c/B".to_owned());
            }
        }
        headings
    }
}

/// Returns the hashes per second; `None` if the row failed.
pub fn rate_of(row: &Record) -> Option<f64> {
    Some(row.concurrent.as_ref()?.calls_per_second?.estimate)
}

/// Returns the core cycles of one core per hash; `None` if cycles cannot be measured.
pub fn cycles_of(row: &Record) -> Option<Figure> {
    row.points.first().map(|point| point.cycles_per_call)
}

/// Returns the median core clock over the repetitions, in Hz.
pub fn core_hertz(row: &Record) -> Option<f64> {
    let runs = row.concurrent.iter().flat_map(|it| &it.rounds);
    let seen: Vec<f64> = runs.filter_map(|run| run.core_hertz).collect();
    cpb_stats::median_of(&seen)
}

/// Returns how much the rate of `row` exceeds that of one lane, relatively; `None` for one lane
/// itself.
pub fn uplift(row: &Record, one_lane: Option<f64>) -> Option<f64> {
    let share = rate_of(row)? / one_lane? - 1.0;
    (row.setup.lanes != 1).then_some(share)
}

/// Returns the rate ÷ (that of one thread × threads).
pub fn efficiency(group: &[Record], row: &Record) -> Option<f64> {
    let one = group.iter().find(|other| other.setup.threads == 1).and_then(rate_of)?;
    Some(rate_of(row)? / (one * row.setup.threads as f64))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cpb_figures::testing::record;
    use cpb_model::{Concurrent, ConcurrentRound, Parameters, Setup};

    /// Creates a row with this many hashes per second at 4 GHz.
    pub(crate) fn row(lanes: usize, threads: usize, hashes_per_second: f64) -> Record {
        let figure = |estimate| Figure::new(estimate, None);
        let round = ConcurrentRound { core_hertz: Some(4e9), ..ConcurrentRound::default() };
        let concurrent = Concurrent {
            cpus: (0..threads).collect(),
            calls_per_second: Some(figure(hashes_per_second)),
            rounds: vec![round],
            ..Concurrent::default()
        };
        let setup = Setup { lanes, threads, ..Setup::default() };
        let cycles = figure(4e9 * threads as f64 / hashes_per_second);
        let point = concurrent.point(&setup, Parameters::default(), cycles, None);
        Record {
            points: point.into_iter().collect(),
            concurrent: Some(concurrent),
            setup,
            ..record("recursive-sha256", "native", 1.0)
        }
    }

    #[test]
    fn units_count_64_bytes_to_a_hash() {
        let shown = |unit| RateOptions { unit, gigahertz: None };
        assert_eq!(shown(Unit::Mh).rate(50e6), 50.0);
        assert_eq!(shown(Unit::Mb).rate(50e6), 3200.0);
        assert_eq!(shown(Unit::Mib).rate(1_048_576.0), 64.0);
    }

    #[test]
    fn the_stated_clock_is_honoured() {
        let row = row(4, 2, 100e6);
        let measured = RateOptions { unit: Unit::Mh, gigahertz: None };
        assert_eq!(measured.rate_per_clock(&row), Some(2.5));
        assert_eq!(measured.stated_cycles(&row), None);
        let stated = RateOptions { unit: Unit::Mh, gigahertz: Some(5.0) };
        assert_eq!(stated.rate_per_clock(&row), Some(2.0));
        assert_eq!(stated.stated_cycles(&row), Some(100.0));
    }

    #[test]
    fn uplift_is_over_one_lane() {
        assert_eq!(uplift(&row(2, 1, 60e6), Some(40e6)), Some(0.5));
        assert_eq!(uplift(&row(1, 1, 40e6), Some(40e6)), None);
        assert_eq!(uplift(&row(2, 1, 60e6), None), None);
    }

    #[test]
    fn efficiency_is_against_one_thread() {
        let group = [row(4, 1, 50e6), row(4, 2, 98e6), row(4, 4, 98e6)];
        assert_eq!(efficiency(&group, &group[0]), Some(1.0));
        assert_eq!(efficiency(&group, &group[1]), Some(0.98));
        assert_eq!(efficiency(&group, &group[2]), Some(0.49));
        assert_eq!(efficiency(&group[1..], &group[1]), None);
    }
}
