//! Describes the machine. What cannot be read is absent, never guessed.

use serde::{Deserialize, Serialize};

/// One logical CPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Core {
    pub number: usize,
    pub governor: Option<String>,
    /// Its maximum frequency, in kHz.
    pub maximum_kilohertz: Option<u64>,
    /// Its relative capacity according to the scheduler (at most 1024).
    pub capacity: Option<u64>,
    /// Logical CPUs on the same core, including this one.
    pub siblings: Vec<usize>,
}

/// CPU time taken by the hypervisor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Steal {
    /// Its share of the CPU's time, 0 to 1.
    pub share: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The architecture, such as `x86_64`.
    pub architecture: String,
    /// The CPU's marketing name.
    pub cpu: Option<String>,
    /// Maker, family, model and stepping, or the ARM part number.
    pub cpu_id: Option<String>,
    /// The revision of the CPU's microcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
    /// Instruction-set extensions that cpb's kernels can use.
    pub features: Vec<String>,
    /// The hypervisor's name, if the CPU reports one.
    pub hypervisor: Option<String>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The kernel's ID of this boot, which changes with every start of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// The operating system's name.
    pub system: Option<String>,
    /// Whether turbo or boost is on.
    pub turbo: Option<bool>,
    /// Whether simultaneous multithreading is on, according to the kernel.
    pub smt: Option<bool>,
    /// `kernel.perf_event_paranoid`.
    pub perf_event_paranoid: Option<i32>,
    /// The CPUs this process may run on.
    pub allowed_cpus: Vec<usize>,
    pub cores: Vec<Core>,
    /// The one-minute load average at the start.
    pub load: Option<f64>,
}
