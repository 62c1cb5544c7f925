//! Converts ticks to core cycles. Pure.

use cpb_model::{Calibration, ClockSummary, CycleSource, RawRound, Samples};

/// Returns the cycles per call of each kept sample, in the order taken. `None` if the round belongs
/// to another run and names none of the `clock`'s calibrations.
#[must_use]
pub fn cycles_of_kept(clock: &ClockSummary, round: &RawRound) -> Option<Vec<f64>> {
    Some(cycles_per_call(&calibration_of(round, &clock.calibrations)?, &round.samples))
}

/// Returns the worker's calibration with the round's overhead; `None` if it is not among these.
pub(crate) fn calibration_of(
    round: &RawRound,
    calibrations: &[Calibration],
) -> Option<Calibration> {
    let overhead_ticks = round.overhead_ticks;
    Some(Calibration { overhead_ticks, ..calibrations.get(round.calibration)?.clone() })
}

/// Returns the cycles per call of each sample, in the order taken.
#[must_use]
pub fn cycles_per_call(calibration: &Calibration, samples: &Samples) -> Vec<f64> {
    let calls = samples.calls as f64;
    let overhead = calibration.overhead_ticks;
    let cycles = |(per_tick, &ticks): (f64, &u64)| (ticks as f64 - overhead) * per_tick / calls;
    cycles_per_tick(calibration, samples).zip(&samples.ticks).map(cycles).collect()
}

/// Iterates over the core clock around each sample, in Hz.
pub fn core_hertz<'a>(
    calibration: &'a Calibration,
    samples: &'a Samples,
) -> impl Iterator<Item = f64> + 'a {
    cycles_per_tick(calibration, samples).map(|ratio| ratio * calibration.ticks_per_second)
}

/// Iterates over the core clock around each sample by the chain, whatever the cycle source, in Hz;
/// empty if the chain cannot tell.
pub fn chain_hertz<'a>(
    calibration: &'a Calibration,
    samples: &'a Samples,
) -> impl Iterator<Item = f64> + 'a {
    let latency = calibration.multiply_latency.map(f64::from);
    let brackets = samples.before.iter().zip(&samples.after);
    brackets.filter_map(move |(&before, &after)| {
        let cycles = calibration.bracket_links as f64 * latency?;
        let ticks = (before as f64 + after as f64) / 2.0 - calibration.overhead_ticks;
        Some(cycles / ticks * calibration.ticks_per_second)
    })
}

fn cycles_per_tick<'a>(
    calibration: &'a Calibration,
    samples: &'a Samples,
) -> impl Iterator<Item = f64> + 'a {
    let latency = f64::from(calibration.multiply_latency.unwrap_or(0));
    let bracket_cycles = calibration.bracket_links as f64 * latency;
    let overhead = calibration.overhead_ticks;
    samples.before.iter().zip(&samples.after).map(move |(&before, &after)| {
        match calibration.cycle_source {
            CycleSource::Counted => 1.0,
            CycleSource::StatedClock { megahertz } => {
                megahertz * 1e6 / calibration.ticks_per_second
            }
            CycleSource::Chain => {
                bracket_cycles / ((before as f64 + after as f64) / 2.0 - overhead)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(cycle_source: CycleSource) -> Calibration {
        Calibration {
            cycle_source,
            overhead_ticks: 52.0,
            bracket_links: 10_000,
            ..crate::testing::calibration(26)
        }
    }

    /// Returns the ticks that `cycles` take on a core of `hertz`, overhead included.
    fn ticks(cycles: f64, hertz: f64) -> u64 {
        (cycles / hertz * 2.6e9 + 52.0).round() as u64
    }

    #[test]
    fn the_chain_gives_cycles_at_any_clock() {
        for hertz in [1.0e9, 2.6e9, 4.3e9] {
            let bracket = ticks(30_000.0, hertz);
            let samples = Samples {
                calls: 10,
                ticks: vec![ticks(123_450.0, hertz)],
                before: vec![bracket],
                after: vec![bracket],
                ..Samples::default()
            };
            let chain = calibration(CycleSource::Chain);
            let cycles = cycles_per_call(&chain, &samples)[0];
            assert!((cycles / 12_345.0 - 1.0).abs() < 1e-4, "{cycles} at {hertz}");
            let measured = core_hertz(&chain, &samples).next().unwrap();
            assert!((measured / hertz - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn a_stated_clock_scales_time() {
        let samples = Samples {
            calls: 1,
            ticks: vec![2_652],
            before: vec![1],
            after: vec![9],
            ..Samples::default()
        };
        let stated = calibration(CycleSource::StatedClock { megahertz: 5_200.0 });
        assert_eq!(cycles_per_call(&stated, &samples), [5_200.0]);
        let wandering = Samples {
            before: vec![ticks(30_000.0, 3e9), ticks(30_000.0, 4e9)],
            after: vec![ticks(30_000.0, 3e9), ticks(30_000.0, 4e9)],
            ..Samples::default()
        };
        let seen: Vec<f64> = chain_hertz(&stated, &wandering).collect();
        assert!((seen[0] / 3e9 - 1.0).abs() < 1e-3 && (seen[1] / 4e9 - 1.0).abs() < 1e-3);
        assert_eq!(cycles_per_call(&calibration(CycleSource::Counted), &samples), [2_600.0]);
    }
}
