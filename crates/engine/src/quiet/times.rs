//! What all loops took, over many short rounds.

use cpb_clock::probe::Probe;

/// What the loops took in each round, in core cycles by the bracket around the round. Every series
/// has one value a round, in order of time; rounds whose brackets disagree are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LoopTimes {
    /// Cycles of an instruction of [`Probe::Integers`], [`Probe::Multiplies`], [`Probe::Vectors`].
    pub(crate) units: [Vec<f64>; 3],
    /// Cycles of an instruction of the gate's chains.
    pub(crate) chains: Vec<f64>,
    /// Cycles of the square roots alone.
    pub(crate) roots: Vec<f64>,
    /// Of the window loops, in the order of [`cpb_clock::window::Filler::ALL`]; each smallest
    /// first.
    pub(crate) windows: [Vec<WindowTimes>; 3],
}

/// The unit loops, in the order of [`LoopTimes::units`].
pub(crate) const UNITS: [Probe; 3] = [Probe::Integers, Probe::Multiplies, Probe::Vectors];

/// What a window loop took.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WindowTimes {
    /// Instructions of a block.
    pub(crate) size: u32,
    /// Cycles of a block.
    pub(crate) cycles: Vec<f64>,
}
