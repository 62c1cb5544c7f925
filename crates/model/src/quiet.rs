//! Defines the evidence about neighbours on a core's other hardware threads.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The widest [`CoreProfile::rates_within`] of rates that are certain: a quarter of the deviation at which
/// a loop counts as wrong.
const RATES_WITHIN: f64 = 0.0025;

/// Names the loop that distinguishes samples on a quiet core from others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum GateLoop {
    /// Independent chains of additions; the only loop in files from before window loops.
    #[default]
    Chains,
    /// A window loop with this many instructions per block, half integer and half vector.
    Window(u32),
}

impl GateLoop {
    /// Returns how far a probe may be from its time on a quiet core, relatively. A window loop
    /// takes half as long again beside a neighbour, and has several steady states on a quiet core,
    /// up to four percent apart; chains take a fifth longer, and hardly vary.
    pub fn tolerance(self) -> f64 {
        match self {
            GateLoop::Chains => 0.02,
            GateLoop::Window(_) => 0.1,
        }
    }
}

impl fmt::Display for GateLoop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateLoop::Chains => formatter.write_str("chains"),
            GateLoop::Window(size) => write!(formatter, "window-{size}"),
        }
    }
}

impl From<GateLoop> for String {
    fn from(gate_loop: GateLoop) -> Self {
        gate_loop.to_string()
    }
}

impl TryFrom<String> for GateLoop {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let size = name.strip_prefix("window-").and_then(|size| size.parse().ok());
        match name.as_str() {
            "chains" => Ok(GateLoop::Chains),
            _ => size.map(GateLoop::Window).ok_or_else(|| format!("{name:?} is no loop of a gate")),
        }
    }
}

/// Names how certain it is that a core which is called quiet has no neighbour.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// A neighbour is known to be always there, so the core was at best as beside one.
    Busy,
    /// A neighbour that is always there and always alike cannot be excluded.
    #[default]
    Unknown,
    /// The probes look like those of a quiet core, but no neighbour was seen to compare with.
    Likely,
    /// Quiet and busy were both seen, or are known of this CPU, or nobody can share the core.
    Certain,
}

/// The evidence behind a [`Certainty`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The core has one hardware thread.
    SingleThread,
    /// The kernel reports the core's other threads as idle.
    IdleSiblings,
    /// The window was seen both whole and divided.
    TwoLevels,
    /// CPUs of this model were measured alone and beside neighbours.
    KnownModel,
    /// The window is wider than the register files, and every unit executes a whole number of
    /// instructions per cycle.
    WholeUnits,
    /// The window is no wider than a divided one.
    NarrowWindow,
    /// The probe has a sharp level, but nothing tells whether it is quiet or busy.
    #[default]
    NoEvidence,
    /// No loop took the same time often enough for a sharp level.
    NoLine,
}

impl Reason {
    /// Returns the reason as a clause that follows "since".
    pub fn describe(self) -> &'static str {
        match self {
            Reason::SingleThread => "the core runs one hardware thread",
            Reason::IdleSiblings => "the kernel kept the core's other threads idle",
            Reason::TwoLevels => "the core's window was seen whole and divided",
            Reason::KnownModel => "its window is that of this CPU model without a neighbour",
            Reason::WholeUnits => {
                "units work at whole rates, but no neighbour was seen to compare with"
            }
            Reason::NarrowWindow => "its window is as narrow as beside a neighbour",
            Reason::NoEvidence => {
                "a neighbour that is always there, and always alike, cannot be excluded"
            }
            Reason::NoLine => "its speed never came to rest",
        }
    }
}

/// The core's capabilities, read while it was as quiet as it ever was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreProfile {
    /// Instructions in flight: alternating integer and vector, integer only, vector only. 0 if no
    /// window could be read.
    pub window: u32,
    pub integer_window: u32,
    pub vector_window: u32,
    /// The window beside a neighbour, if one was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divided_window: Option<u32>,
    /// Integer instructions per cycle.
    pub integers: f64,
    /// Multiplications per cycle.
    pub multiplies: f64,
    /// Vector instructions per cycle.
    pub vectors: f64,
    /// Half of the 95 % interval of the least certain of these rates, relative to it; absent in older
    /// files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates_within: Option<f64>,
}

impl CoreProfile {
    /// Whether the rates are known well enough to judge others by.
    pub fn has_certain_rates(&self) -> bool {
        self.rates_within.is_some_and(|within| within <= RATES_WITHIN)
    }
}

/// The time of a block of the window loop by its length, which shows the two levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowCurve {
    /// Cycles of the block's chain alone. A faster block overlaps with the next one.
    pub chain: f64,
    /// The points by rising length of the block.
    pub points: Vec<WindowPoint>,
}

/// The window loop at one block length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowPoint {
    /// Instructions per block.
    pub instructions: u32,
    /// Cycles per block on a quiet core; absent if not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
    /// Cycles per block beside a neighbour; absent if not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<f64>,
}

/// The evidence about neighbours on the cores' other hardware threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Quiet {
    /// Cycles per instruction of the probe's loop on a quiet core; absent if the loop never took
    /// the same time twice.
    pub cycles_per_operation: Option<f64>,
    /// The probe's loop.
    #[serde(default)]
    pub gate_loop: GateLoop,
    /// The share of the watched time in which the core was quiet, from 0 to 1.
    pub share: f64,
    /// Whether every core was assumed to be quiet, as `CPB_ASSUME_QUIET=1` asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// How certain it is; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// The evidence for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The core's capabilities; absent if nothing was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<CoreProfile>,
}

impl Quiet {
    /// Whether figures are shown although a neighbour cannot be excluded.
    pub fn is_unproven(&self) -> bool {
        !self.assumed && self.certainty == Some(Certainty::Unknown)
    }

    /// Whether the core was never quiet.
    pub fn is_never(&self) -> bool {
        !self.assumed
            && (self.cycles_per_operation.is_none() || self.certainty == Some(Certainty::Busy))
    }
}
