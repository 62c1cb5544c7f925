//! What is known of neighbours on a core's other hardware threads.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The loop by which samples from a quiet core are told from others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum GateLoop {
    /// Chains of additions, independent of each other; the only loop in files from before there
    /// were windows.
    #[default]
    Chains,
    /// A window loop of so many instructions a block, half of them integer and half vector.
    Window(u32),
}

impl GateLoop {
    /// How far a probe may be from what it takes on a quiet core, relatively. A window loop takes
    /// half as long again beside a neighbour, and on a quiet core it has several steady states, up
    /// to four percent apart; chains take a fifth longer, and hardly vary.
    #[must_use]
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

/// How sure it is that a core which is called quiet has no neighbour.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// A neighbour that is always there is known: at best, the core was as it is beside one.
    Busy,
    /// A neighbour that is always there, and always alike, cannot be excluded.
    #[default]
    Unknown,
    /// What was seen is what a quiet core shows, but no neighbour was seen to compare with.
    Likely,
    /// Quiet and busy were seen, or are known of this CPU, or there is nobody to share the core.
    Certain,
}

/// What a [`Certainty`] rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The core has one hardware thread.
    SingleThread,
    /// The kernel says that the core's other threads were idle.
    IdleSiblings,
    /// The window was seen whole and divided.
    TwoLevels,
    /// CPUs of this model were measured alone and beside neighbours.
    KnownModel,
    /// The window is wider than the register files, and every unit does a whole number of
    /// instructions a cycle.
    WholeUnits,
    /// The window is no wider than beside a neighbour.
    NarrowWindow,
    /// There is a sharp line, and nothing that says of what.
    #[default]
    NoEvidence,
    /// No loop took the same time often enough.
    NoLine,
}

impl Reason {
    /// As it is said behind "since".
    #[must_use]
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

/// What the core can do, as it was read while it was as quiet as it ever was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreProfile {
    /// Instructions in flight: integer and vector ones in turn, integer ones, vector ones. 0 where
    /// no window could be read.
    pub window: u32,
    /// See `window`.
    pub integer_window: u32,
    /// See `window`.
    pub vector_window: u32,
    /// The window beside a neighbour, where one was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divided_window: Option<u32>,
    /// Integer instructions a cycle.
    pub integers: f64,
    /// Multiplications a cycle.
    pub multiplies: f64,
    /// Vector instructions a cycle.
    pub vectors: f64,
}

/// What a block of the window loop takes by its length: the picture of the two levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowCurve {
    /// Cycles of the chain in a block alone: a block that takes less overlaps the next one.
    pub chain: f64,
    /// By length of the block, shortest first.
    pub points: Vec<WindowPoint>,
}

/// One length of a window loop's block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowPoint {
    /// Instructions of the block.
    pub instructions: u32,
    /// Cycles of the block on a quiet core; absent where that was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
    /// The same beside a neighbour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<f64>,
}

/// What is known of neighbours on the cores' other hardware threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Quiet {
    /// Cycles that an instruction of the gate's loop takes on a quiet core; absent where the loop
    /// never took the same time twice.
    pub cycles_per_operation: Option<f64>,
    /// The gate's loop.
    #[serde(default)]
    pub gate_loop: GateLoop,
    /// Share of the time watched that the core was quiet, from 0 to 1.
    pub share: f64,
    /// Whether every core was taken for quiet, as `CPB_ASSUME_QUIET=1` asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// How sure that is; absent in files from before it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What the core can do; absent where nothing was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<CoreProfile>,
}

impl Quiet {
    /// Whether figures are shown as figures though a neighbour cannot be excluded.
    #[must_use]
    pub fn is_unproven(&self) -> bool {
        !self.assumed && self.certainty == Some(Certainty::Unknown)
    }

    /// Whether nothing was quiet.
    #[must_use]
    pub fn is_never(&self) -> bool {
        !self.assumed
            && (self.cycles_per_operation.is_none() || self.certainty == Some(Certainty::Busy))
    }
}
