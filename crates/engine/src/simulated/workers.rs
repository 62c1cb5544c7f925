//! Workers on a simulated machine.

use super::core::{Core, Execution, Work};
use super::noise::normal;
use crate::job::carry_out;
use crate::plan::library::LibrarySpec;
use crate::quiet::learn;
use crate::workers::machine::{Machine, Worker};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job};
use cpb_libraries::Prepared;
use cpb_model::{Failure, Workload};
use cpb_sampler::Timer;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// What the code under test costs: cycles for a call and for each byte, and how
/// much it feels a neighbour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) per_call: f64,
    pub(super) per_byte: f64,
    pub(super) susceptibility: f64,
}

impl Cost {
    pub(super) fn of(&self, bytes: usize) -> f64 {
        self.per_call + self.per_byte * bytes as f64
    }
}

/// A machine on which every library has the same code; the candidate of a
/// comparison may cost more.
pub(super) struct SimulatedMachine {
    pub(super) execution: Rc<RefCell<Execution>>,
    pub(super) cost: Cost,
    /// How much slower the library called so is than all others.
    pub(super) slower: (&'static str, f64),
    /// A library, a position at which its calls cost more, and how much.
    pub(super) layout: Option<(&'static str, u8, f64)>,
}

impl Machine for SimulatedMachine {
    fn start(&mut self, library: &LibrarySpec, position: u8) -> Result<Box<dyn Worker>, Failure> {
        let mut execution = self.execution.borrow_mut();
        execution.idle(5e-3);
        let deviation = execution.noise().between_processes;
        let planted = if library.name == self.slower.0 { self.slower.1 } else { 1.0 };
        let layout = self.layout.filter(|(name, at, _)| library.name == *name && position == *at);
        let planted = planted * layout.map_or(1.0, |(_, _, factor)| factor);
        let factor = planted * (1.0 + deviation * normal(execution.random()));
        drop(execution);
        let core = Core::new(Rc::clone(&self.execution));
        Ok(Box::new(SimulatedWorker {
            core,
            factor,
            position,
            machine: (Rc::clone(&self.execution), self.cost),
        }))
    }

    fn now(&self) -> Duration {
        self.execution.borrow().now()
    }
}

struct SimulatedWorker {
    core: Core,
    /// How much slower this process is than others.
    factor: f64,
    /// Where its library lies.
    position: u8,
    machine: (Rc<RefCell<Execution>>, Cost),
}

impl Worker for SimulatedWorker {
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure> {
        let learned = learn::gate(&mut self.core, &calibrate);
        let calibration = self.core.calibration().clone();
        Ok(Calibrated { calibration, learned, canaries: Vec::new() })
    }

    fn position(&self) -> Option<u8> {
        Some(self.position)
    }

    fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        let (execution, cost) = &self.machine;
        let mut prepare = |workload: &Workload| -> Result<Box<dyn Prepared>, Failure> {
            Ok(Box::new(Work {
                execution: Rc::clone(execution),
                cycles: cost.of(workload.parameters.message_bytes) * self.factor,
                susceptibility: cost.susceptibility,
            }))
        };
        carry_out(&job, &mut self.core, &mut prepare)
    }

    fn is_gone(&self) -> bool {
        false
    }
}
