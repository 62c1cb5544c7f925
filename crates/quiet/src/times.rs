//! Holds the times of all loops over many short rounds.

use cpb_clock::probe::Probe;

/// The times of the loops in each round, in core cycles by the brackets around the round. Every
/// series has one value per round, in order of time, without rounds whose brackets disagree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoopTimes {
    /// Cycles per instruction of [`Probe::Integers`], [`Probe::Multiplies`], [`Probe::Vectors`].
    pub units: [Vec<f64>; 3],
    /// Cycles per instruction of the probe's chains.
    pub chains: Vec<f64>,
    /// Cycles of the square roots alone.
    pub roots: Vec<f64>,
    /// The window loops, in the order of [`cpb_clock::window::Filler::ALL`], each by rising size.
    pub windows: [Vec<WindowTimes>; 3],
}

/// The loops of [`LoopTimes::units`].
pub const UNITS: [Probe; 3] = [Probe::Integers, Probe::Multiplies, Probe::Vectors];

/// The times of a window loop.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WindowTimes {
    /// Instructions per block.
    pub size: u32,
    /// Cycles per block.
    pub cycles: Vec<f64>,
}
