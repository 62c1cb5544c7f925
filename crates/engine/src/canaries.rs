//! Whether the machine changed while it was measured, as loops over pages of code, pages of data and
//! indirect calls tell, which every worker runs once.

use cpb_clock::canary::{Canaries, Canary};
use cpb_figures::{Gate, cycles_per_call};
use cpb_model::{MachineChange, MachineLoop, MachineLoops, Samples};
use cpb_sampler::{Lookout, Timer};
use cpb_stats::median_of;
use std::time::Duration;

/// Readings on a quiet core that are wanted of each loop, of which the shortest counts; and how
/// often that is tried.
const READINGS: usize = 12;
const TRIES: usize = 40;
/// A step is told that is this large, and has so many readings on either side which do not
/// overlap: where pages lie differs from process to process, and moves single readings by as
/// much. Eight of them were met once in 44 runs of a machine that did not change.
const NOTABLE: f64 = 0.1;
const IN_A_ROW: usize = 12;

/// Cycles of a step of each of [`Canary::ALL`]; nothing where the core was never quiet, or it is not
/// known when it is.
pub(crate) fn read(timer: &mut dyn Timer, line: Option<f64>) -> Vec<f64> {
    let canaries = line.and_then(|_| Canaries::new());
    let Some(canaries) = canaries else { return Vec::new() };
    let gate_loop = timer.calibration().gate_loop;
    let mut lookout = Lookout::new(timer, Gate { gate_loop, quiet: line, assumed: false });
    let cycles = |it: Canary| {
        let mut readings = Samples { calls: it.steps(), ..Samples::default() };
        canaries.run(it);
        let mut before = lookout.look();
        for _ in 0..TRIES {
            let ticks = lookout.timer().time(&mut || canaries.run(it));
            let after = lookout.look();
            if lookout.was_quiet(before, after) {
                readings.ticks.push(ticks);
                readings.before.push(before.bracket);
                readings.after.push(after.bracket);
            }
            before = after;
            if readings.ticks.len() == READINGS {
                break;
            }
        }
        let cycles = cycles_per_call(lookout.timer().calibration(), &readings);
        cycles.into_iter().reduce(f64::min)
    };
    Canary::ALL.map(cycles).into_iter().collect::<Option<_>>().unwrap_or_default()
}

/// What all workers of a run read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings(Vec<(Duration, Vec<f64>)>);

impl Readings {
    /// Adds what a worker read that was started at this time of the run.
    pub(crate) fn add(&mut self, at: Duration, cycles: Vec<f64>) {
        if cycles.len() == Canary::ALL.len() {
            self.0.push((at, cycles));
        }
    }

    /// Each loop over the run, and where it moved; nothing where no worker read any.
    pub(crate) fn summary(&self) -> Option<MachineLoops> {
        if self.0.is_empty() {
            return None;
        }
        let of = |(index, it): (usize, Canary)| {
            let cycles: Vec<f64> = self.0.iter().map(|(_, cycles)| cycles[index]).collect();
            let change = self.change(&cycles);
            let cycles = cycles.into_iter().map(to_hundredths).collect();
            MachineLoop { name: it.name().to_owned(), cycles, change }
        };
        let seconds = self.0.iter().map(|(at, _)| to_hundredths(at.as_secs_f64())).collect();
        Some(MachineLoops { seconds, loops: Canary::ALL.into_iter().enumerate().map(of).collect() })
    }

    /// The largest step of a series: [`IN_A_ROW`] readings that are all above, or all below, as
    /// many before them.
    fn change(&self, cycles: &[f64]) -> Option<MachineChange> {
        let at = |place: usize| -> Option<MachineChange> {
            let (before, after) = (&cycles[place - IN_A_ROW..place], &cycles[place..][..IN_A_ROW]);
            let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
            let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
            let is_apart = most(before) < least(after) || most(after) < least(before);
            let seconds = to_hundredths(self.0[place].0.as_secs_f64());
            let (before, after) = (median_of(before)?, median_of(after)?);
            is_apart.then_some(MachineChange { seconds, before, after })
        };
        (IN_A_ROW..(cycles.len() + 1).saturating_sub(IN_A_ROW))
            .filter_map(at)
            .filter(|change| change.relative().abs() > NOTABLE)
            .max_by(|a, b| a.relative().abs().total_cmp(&b.relative().abs()))
    }
}

/// Nothing of these is known any better.
fn to_hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(cycles: impl Fn(usize) -> f64) -> Readings {
        let mut readings = Readings::default();
        for round in 0..30 {
            let noise = 1.0 + 0.004 * ((round * 7 % 5) as f64 - 2.0);
            let at = Duration::from_secs(round as u64);
            readings.add(at, vec![cycles(round) * noise, 8.0 * noise, 3.0]);
        }
        readings
    }

    #[test]
    fn a_machine_that_changes_for_a_while_is_told_by_the_loop_that_moved() {
        let summary = readings(|round| if round < 15 { 4.0 } else { 4.6 }).summary().unwrap().loops;
        let names: Vec<&str> = summary.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["code-pages", "data-pages", "indirect-calls"]);
        let change = summary[0].change.as_ref().expect("it moved");
        assert_eq!(change.seconds, 15.0);
        assert!((change.relative() - 0.15).abs() < 0.01, "{change:?}");
        assert!(summary[1].change.is_none() && summary[2].change.is_none());
    }

    #[test]
    fn noise_single_readings_and_small_steps_are_no_change() {
        let same = |cycles: &dyn Fn(usize) -> f64| {
            readings(cycles).summary().unwrap().loops[0].change.is_none()
        };
        assert!(same(&|_| 4.0));
        assert!(same(&|round| if round == 9 { 6.0 } else { 4.0 }));
        assert!(same(&|round| if round < 15 { 4.0 } else { 4.3 }));
        assert!(same(&|round| if round % 15 < 8 { 4.0 } else { 4.6 }));
    }

    #[test]
    fn a_worker_that_read_nothing_says_nothing() {
        let mut readings = Readings::default();
        readings.add(Duration::ZERO, Vec::new());
        assert_eq!(readings.summary(), None);
    }
}
