//! Lists the loops that measure what a core can do.

use crate::probe::{self, OPERATIONS_PER_BLOCK, Probe};
use crate::window::{self, Filler, ROOTS};
use cpb_model::GateLoop;

/// A loop that is run to learn a core's capabilities, and to tell whether it is quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoreLoop {
    /// A loop limited by execution units.
    Unit(Probe),
    /// Additions in many short chains.
    Chains,
    /// The square roots of a window loop alone.
    Roots,
    /// A window loop, with this many instructions per block.
    Window(Filler, u32),
}

impl CoreLoop {
    /// Runs `blocks` blocks.
    #[inline]
    pub fn run(self, blocks: u32) {
        match self {
            CoreLoop::Unit(probe) => probe.run(blocks),
            CoreLoop::Chains => probe::chains(blocks),
            CoreLoop::Roots => window::roots(blocks),
            CoreLoop::Window(filler, size) => window::run(filler, size, blocks),
        }
    }

    /// Returns the instructions per block; for [`CoreLoop::Roots`], the roots.
    pub fn instructions_per_block(self) -> u32 {
        match self {
            CoreLoop::Unit(_) | CoreLoop::Chains => OPERATIONS_PER_BLOCK,
            CoreLoop::Roots => ROOTS,
            CoreLoop::Window(_, size) => size,
        }
    }
}

impl From<GateLoop> for CoreLoop {
    fn from(gate_loop: GateLoop) -> Self {
        match gate_loop {
            GateLoop::Chains => CoreLoop::Chains,
            GateLoop::Window(size) => CoreLoop::Window(Filler::Mixed, size),
        }
    }
}
