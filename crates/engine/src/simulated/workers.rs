//! Simulates workers.

use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::worker::job::carry_out;
use crate::workers::machine::{Machine, Worker};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job};
use cpb_libraries::Prepared;
use cpb_model::{CallSpec, Failure};
use cpb_sampler::{Noise, Timer, watch};
use cpb_simulated::{Core, Execution, Work, normal};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// The cost of code: cycles per call and per byte or iteration, and the slowdown by a neighbour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) per_call: f64,
    pub(super) per_byte: f64,
    pub(super) susceptibility: f64,
}

impl Cost {
    pub(super) fn of(&self, length: usize) -> f64 {
        self.per_call + self.per_byte * length as f64
    }

    /// Multiplies the cost by `factor`.
    pub(super) fn times(self, factor: f64) -> Self {
        let (per_call, per_byte) = (self.per_call * factor, self.per_byte * factor);
        Self { per_call, per_byte, ..self }
    }
}

/// Returns the cost of a library's implementation of a call, with the library at a position.
pub(super) type Costs = dyn Fn(&LibrarySpec, u8, &Implementation, &CallSpec) -> Cost;

/// A machine on which the cost of code is known.
pub(super) struct SimulatedMachine {
    pub(super) execution: Rc<RefCell<Execution>>,
    pub(super) costs: Rc<Costs>,
}

impl Machine for SimulatedMachine {
    fn start(&mut self, library: &LibrarySpec, position: u8) -> Result<Box<dyn Worker>, Failure> {
        let mut execution = self.execution.borrow_mut();
        execution.idle(5e-3);
        let deviation = execution.noise().between_processes;
        let factor = 1.0 + deviation * normal(execution.random());
        drop(execution);
        let (execution, costs) = (Rc::clone(&self.execution), Rc::clone(&self.costs));
        let core = Core::new(Rc::clone(&execution));
        let library = library.clone();
        Ok(Box::new(SimulatedWorker { core, factor, library, position, execution, costs }))
    }

    fn now(&self) -> Duration {
        self.execution.borrow().now()
    }

    fn stolen_and_total(&self, _cpus: &[usize]) -> Option<(u64, u64)> {
        None
    }
}

struct SimulatedWorker {
    core: Core,
    /// The relative slowness of this process.
    factor: f64,
    library: LibrarySpec,
    /// The position of its library.
    position: u8,
    execution: Rc<RefCell<Execution>>,
    costs: Rc<Costs>,
}

impl Worker for SimulatedWorker {
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure> {
        if let Some(megahertz) = calibrate.clock.megahertz {
            self.core.state_clock(megahertz);
        }
        let learned = cpb_quiet::gate(&mut self.core, &calibrate.learning);
        let calibration = self.core.calibration().clone();
        Ok(Calibrated { calibration, learned })
    }

    fn position(&self) -> Option<u8> {
        Some(self.position)
    }

    fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        let Self { core, factor, library, position, execution, costs } = self;
        let mut prepare = |workload: &CallSpec| -> Result<Box<dyn Prepared>, Failure> {
            let cost = costs(library, *position, &job.implementation, workload);
            Ok(Box::new(Work {
                execution: Rc::clone(execution),
                cycles: cost.of(workload.parameters.length()) * *factor,
                susceptibility: cost.susceptibility,
            }))
        };
        carry_out(&job, core, &mut prepare)
    }

    fn watch(&mut self, time: Duration) -> Result<Noise, Failure> {
        Ok(watch(&mut self.core, time))
    }

    fn is_gone(&self) -> bool {
        false
    }
}
