//! A simulated machine, where the truth is known: quiet and busy stretches on
//! each CPU, contention that depends on the code, a clock that steps, a counter
//! that moves in steps, interruptions, and processes that differ.
//!
//! It stands behind the same interfaces as the real one, so that the timed loop,
//! the rounds and the summary run on it unchanged.

mod core;
mod cpu;
mod noise;
mod scenarios;
mod traces;
mod windows;
mod workers;
mod zoo;

pub(crate) use cpb_figures::testing::calibration;
use cpb_model::{Calibration, Lengths, Offer, Operation};
use cpb_sampler::Timer;

/// Ticks of so many cycles at 4 GHz, overhead included.
pub(crate) fn ticks(calibration: &Calibration, cycles: f64) -> u64 {
    let per_cycle = calibration.ticks_per_second / calibration.core_hertz;
    (cycles * per_cycle + calibration.overhead_ticks).round() as u64
}

/// A quiet core, and what lets so many seconds pass on it.
pub(crate) fn idle_core() -> (impl Timer, impl Fn(f64)) {
    let execution = core::Execution::new(cpu::SimulatedCpu::default(), noise::Noise::default(), 0);
    let timer = core::Core::new(std::rc::Rc::clone(&execution));
    (timer, move |seconds| execution.borrow_mut().idle(seconds))
}

/// Something that can be measured.
pub(crate) fn offer() -> Offer {
    Offer {
        primitive: "x".to_owned(),
        operation: Operation::Hash,
        spelling: "x".to_owned(),
        backend: "default".to_owned(),
        default_backend: true,
        is_variant: false,
        security: None,
        row: None,
        lengths: Lengths::default(),
        unavailable: None,
    }
}
