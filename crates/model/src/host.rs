//! The machine, as far as it lets itself be asked. What cannot be read is
//! absent, never guessed.

use serde::{Deserialize, Serialize};

/// One logical CPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Core {
    /// Its number.
    pub number: usize,
    /// Its frequency governor.
    pub governor: Option<String>,
    /// Its highest frequency, in kHz.
    pub maximum_kilohertz: Option<u64>,
    /// Its relative capacity, as the scheduler sees it (1024 is the largest).
    pub capacity: Option<u64>,
    /// Logical CPUs on the same core, itself included.
    pub siblings: Vec<usize>,
}

/// CPU time taken by the hypervisor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Steal {
    /// Share of the CPU's time, 0 to 1.
    pub share: f64,
}

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Architecture, such as `x86_64`.
    pub architecture: String,
    /// The CPU's marketing name.
    pub cpu: Option<String>,
    /// Maker, family, model and stepping, or the ARM part.
    pub cpu_id: Option<String>,
    /// The revision of the CPU's microcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// Instruction-set extensions that cpb's kernels can use.
    pub features: Vec<String>,
    /// Hypervisor's name, where the CPU says it runs under one.
    pub hypervisor: Option<String>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// What the kernel calls this boot: another after every start of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// The operating system's name.
    pub system: Option<String>,
    /// Whether turbo or boost is on.
    pub turbo: Option<bool>,
    /// Whether simultaneous multithreading is on, as the kernel says.
    pub smt: Option<bool>,
    /// `kernel.perf_event_paranoid`.
    pub perf_event_paranoid: Option<i32>,
    /// The CPUs this process may run on.
    pub allowed_cpus: Vec<usize>,
    /// Each allowed CPU.
    pub cores: Vec<Core>,
    /// Load average over a minute at the start.
    pub load: Option<f64>,
}
