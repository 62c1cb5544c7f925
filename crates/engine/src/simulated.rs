//! A simulated machine, where the truth is known: quiet and busy stretches on
//! each CPU, contention that depends on the code, a clock that steps, a counter
//! that moves in steps, interruptions, and processes that differ.
//!
//! It stands behind the same interfaces as the real one, so that the timed loop,
//! the rounds and the summary run on it unchanged.

mod core;
mod noise;
mod scenarios;
mod traces;
mod workers;

use crate::timer::Timer;
use cpb_model::{Calibration, CycleSource, Lengths, Offer, Operation};

pub(crate) fn calibration(step_ticks: u64) -> Calibration {
    Calibration {
        counter: "simulated".to_owned(),
        version: None,
        cycle_source: CycleSource::Chain,
        ticks_per_second: 2.6e9,
        step_ticks,
        overhead_ticks: 60.0,
        bracket_links: 7168,
        probe_operations: 40_960,
        multiply_latency: Some(3),
        chain_ratio: 3.0,
        core_hertz: 4e9,
        chain_hertz: Some(4e9),
    }
}

/// Ticks of so many cycles at 4 GHz, overhead included.
pub(crate) fn ticks(calibration: &Calibration, cycles: f64) -> u64 {
    let per_cycle = calibration.ticks_per_second / calibration.core_hertz;
    (cycles * per_cycle + calibration.overhead_ticks).round() as u64
}

/// A quiet core, and what lets so many seconds pass on it.
pub(crate) fn idle_core() -> (impl Timer, impl Fn(f64)) {
    let execution = core::Execution::new(noise::Noise::default(), 0);
    let timer = core::Core::new(std::rc::Rc::clone(&execution));
    (timer, move |seconds| execution.borrow_mut().idle(seconds))
}

/// Something that can be measured.
fn offer() -> Offer {
    Offer {
        primitive: "x".to_owned(),
        operation: Operation::Hash,
        spelling: "x".to_owned(),
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        lengths: Lengths::default(),
        unavailable: None,
    }
}
