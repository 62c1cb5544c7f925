//! Simulates a CPU: the time of its loops, alone and beside a neighbour.

use cpb_clock::CoreLoop;
use cpb_clock::probe::Probe;
use cpb_clock::window::Filler;

/// States how the two threads of a core share what holds instructions in flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sharing {
    /// Each thread has this share, whatever the other does.
    Parts(f64),
    /// A thread has what the other does not fill.
    ByNeed,
}

impl Sharing {
    /// Returns the share left by a neighbour that could fill `filled`.
    fn left(self, filled: f64) -> f64 {
        match self {
            Sharing::Parts(share) => share,
            Sharing::ByNeed => 1.0 - filled,
        }
    }
}

/// The limits of the loops on a CPU.
#[derive(Debug, Clone, Copy)]
pub struct SimulatedCpu {
    /// The most instructions that begin per cycle.
    pub width: f64,
    /// Instructions per cycle of the integer, multiply and vector loops.
    pub units: [f64; 3],
    /// Instructions per cycle of the chains.
    pub chains: f64,
    /// Cycles of a block's chain of square roots.
    pub roots: f64,
    /// Instructions in flight in the reorder buffer.
    pub buffer: f64,
    /// Integer and vector registers for results in flight.
    pub registers: [f64; 2],
    /// How its hardware threads share the buffer, and the registers.
    pub sharing: [Sharing; 2],
    /// The largest relative variation of a loop's time between runs.
    pub jitter: f64,
}

impl Default for SimulatedCpu {
    fn default() -> Self {
        Self {
            width: 6.0,
            units: [4.0, 1.0, 4.0],
            chains: 1.0 / 0.251,
            roots: 128.0,
            buffer: 300.0,
            registers: [200.0, 150.0],
            sharing: [Sharing::Parts(0.67), Sharing::Parts(0.7)],
            jitter: 0.0,
        }
    }
}

/// The effect of a neighbour on a core at its full load.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    /// The relative slowdown of the front end.
    pub front: f64,
    /// The relative slowdown of the unit loops; chains slow down as integers do.
    pub units: [f64; 3],
    /// The share of the buffer, and of each kind of registers, that it could fill.
    pub buffer: f64,
    pub registers: [f64; 2],
}

impl Default for Neighbour {
    fn default() -> Self {
        Self { front: 0.0, units: [1.0, 0.3, 0.5], buffer: 0.5, registers: [0.3; 2] }
    }
}

impl SimulatedCpu {
    /// Returns the cycles of a loop's block beside a neighbour with `taken` times its full load, 0
    /// for none.
    pub fn block(&self, it: CoreLoop, neighbour: &Neighbour, taken: f64) -> f64 {
        let instructions = f64::from(it.instructions_per_block());
        let [integers, multiplies, vectors] = self.units;
        let [by_integers, by_multiplies, by_vectors] = neighbour.units;
        let (rate, slowed) = match it {
            CoreLoop::Unit(Probe::Integers | Probe::Loads) => (integers, by_integers),
            CoreLoop::Unit(Probe::Multiplies | Probe::TwoChains | Probe::ThreeChains) => {
                (multiplies, by_multiplies)
            }
            CoreLoop::Unit(Probe::Vectors) => (vectors, by_vectors),
            CoreLoop::Chains => (self.chains, by_integers),
            CoreLoop::Roots => return self.roots,
            CoreLoop::Window(filler, _) => {
                return self.window_block(filler, instructions, neighbour, taken);
            }
        };
        instructions / rate * (1.0 + slowed * taken)
    }

    /// Returns the cycles of a window loop's block. A block that fits overlaps with the next one's
    /// chain, the less the longer it is.
    fn window_block(&self, filler: Filler, size: f64, neighbour: &Neighbour, taken: f64) -> f64 {
        let front = size / self.width * (1.0 + neighbour.front * taken);
        let unit =
            |it: usize, size: f64| size / self.units[it] * (1.0 + neighbour.units[it] * taken);
        let window = self.window(filler, neighbour, taken);
        let at_least = match filler {
            Filler::Mixed => unit(0, size / 2.0).max(unit(2, size / 2.0)),
            Filler::Integers => unit(0, size),
            Filler::Vectors => unit(2, size),
        };
        let chain = if size <= window {
            self.roots * (0.42 + 0.38 * size / window)
        } else {
            1.02 * self.roots + front * (1.0 - window / size)
        };
        chain.max(front).max(at_least)
    }

    /// Returns the instructions of a window loop that are in flight.
    fn window(&self, filler: Filler, neighbour: &Neighbour, taken: f64) -> f64 {
        let left = |sharing: Sharing, filled: f64| {
            if taken > 0.0 { sharing.left(filled * taken.min(1.0)) } else { 1.0 }
        };
        let [by_buffer, by_registers] = self.sharing;
        let buffer = self.buffer * left(by_buffer, neighbour.buffer);
        let registers =
            |it: usize| self.registers[it] * left(by_registers, neighbour.registers[it]);
        match filler {
            Filler::Mixed => buffer.min(2.0 * registers(0).min(registers(1))),
            Filler::Integers => buffer.min(registers(0)),
            Filler::Vectors => buffer.min(registers(1)),
        }
    }
}
