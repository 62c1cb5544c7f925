//! Provides what tests of several modules need from the simulation.

use cpb_model::{Calibration, Lengths, Offer, Operation};
use cpb_sampler::Timer;
use cpb_simulated::{Core, Execution, Noise, SimulatedCpu};
use std::rc::Rc;

/// Returns the ticks of `cycles` at 4 GHz, overhead included.
pub(crate) fn ticks(calibration: &Calibration, cycles: f64) -> u64 {
    let per_cycle = calibration.ticks_per_second / calibration.core_hertz;
    (cycles * per_cycle + calibration.overhead_ticks).round() as u64
}

/// Creates a quiet core, and a function that lets time pass on it.
pub(crate) fn idle_core() -> (impl Timer, impl Fn(f64)) {
    let execution = Execution::new(SimulatedCpu::default(), Noise::default(), 0);
    let timer = Core::new(Rc::clone(&execution));
    (timer, move |seconds| execution.borrow_mut().idle(seconds))
}

/// Creates an offer that can be measured.
pub(crate) fn offer() -> Offer {
    Offer::new("x", Operation::Hash, Lengths::default())
}
