//! Defines the simulated CPUs: known cores, and fictitious ones.

use cpb_model::Reason;
use cpb_quiet::PriorKnowledge;
use cpb_simulated::{Sharing, SimulatedCpu};
use fastrand::Rng;

/// A core by its published sizes.
struct Core {
    name: &'static str,
    width: f64,
    /// Integer units, multipliers, and vector units that add.
    units: [f64; 3],
    buffer: f64,
    /// The integer and vector registers in the register files.
    registers: [f64; 2],
    /// The share of the buffer that one of two threads keeps; `None` on cores with one thread.
    keeps: Option<f64>,
    /// What is known of the model: its window beside a neighbour.
    divided_window: Option<u32>,
}

const fn core(
    name: &'static str,
    width: f64,
    units: [f64; 3],
    buffer: f64,
    registers: [f64; 2],
    keeps: Option<f64>,
) -> Core {
    Core { name, width, units, buffer, registers, keeps, divided_window: None }
}

/// The sizes come from the vendors' optimisation manuals and hardware conference talks, or else
/// from independent measurements of windows (Chips and Cheese; Dougall Johnson for Apple's). A
/// thread keeps half according to Intel's manual; the share was measured on Zen 4 and Zen 5.
const HALF: Option<f64> = Some(0.5);
const CORES: [Core; 16] = [
    core("Haswell", 4.0, [4.0, 1.0, 2.0], 192.0, [168.0, 168.0], HALF),
    core("Skylake", 4.0, [4.0, 1.0, 3.0], 224.0, [180.0, 168.0], HALF),
    core("Ice Lake", 5.0, [4.0, 1.0, 3.0], 352.0, [280.0, 224.0], HALF),
    core("Golden Cove", 6.0, [5.0, 1.0, 3.0], 512.0, [280.0, 332.0], HALF),
    core("Zen 1", 5.0, [4.0, 1.0, 3.0], 192.0, [168.0, 160.0], HALF),
    core("Zen 2", 6.0, [4.0, 1.0, 3.0], 224.0, [180.0, 160.0], HALF),
    core("Zen 3", 6.0, [4.0, 1.0, 4.0], 256.0, [192.0, 160.0], HALF),
    Core {
        divided_window: Some(201),
        ..core("Zen 4", 6.0, [4.0, 1.0, 4.0], 320.0, [224.0, 192.0], Some(2.0 / 3.0))
    },
    Core {
        divided_window: Some(217),
        ..core("Zen 5", 8.0, [6.0, 3.0, 4.0], 448.0, [240.0, 384.0], HALF)
    },
    // These are the same two, as if cpb did not know them yet.
    core("unknown Zen 4", 6.0, [4.0, 1.0, 4.0], 320.0, [224.0, 192.0], Some(2.0 / 3.0)),
    core("unknown Zen 5", 8.0, [6.0, 3.0, 4.0], 448.0, [240.0, 384.0], HALF),
    core("Gracemont", 5.0, [4.0, 1.0, 3.0], 256.0, [214.0, 207.0], None),
    core("Neoverse N1", 4.0, [3.0, 1.0, 2.0], 128.0, [120.0, 128.0], None),
    core("Neoverse V1", 8.0, [4.0, 2.0, 4.0], 256.0, [188.0, 192.0], None),
    core("Neoverse V2", 8.0, [6.0, 2.0, 4.0], 320.0, [213.0, 188.0], None),
    core("Firestorm", 8.0, [6.0, 2.0, 4.0], 630.0, [380.0, 432.0], None),
];

/// The registers of a file that hold the program's architectural state.
const ARCHITECTURAL: [f64; 2] = [20.0, 36.0];
/// The share of the buffer that the loops can fill.
const USABLE: f64 = 0.98;

/// A simulated CPU.
pub(super) struct Specimen {
    pub(super) name: &'static str,
    pub(super) is_known: bool,
    pub(super) cpu: SimulatedCpu,
    pub(super) has_two_threads: bool,
    pub(super) known: PriorKnowledge,
}

/// Returns one of the known cores.
pub(super) fn known(random: &mut Rng) -> Specimen {
    let core = &CORES[random.usize(..CORES.len())];
    let efficiency = between(random, (0.994, 1.0));
    let chains = core.units[0].min(core.width) * between(random, (0.8, 0.998));
    let free = |it: usize| core.registers[it] - ARCHITECTURAL[it];
    let cpu = SimulatedCpu {
        width: core.width,
        units: core.units.map(|units| efficiency * units.min(core.width)),
        chains,
        buffer: USABLE * core.buffer,
        registers: [free(0), free(1)],
        sharing: [Sharing::Parts(core.keeps.unwrap_or(1.0)), Sharing::ByNeed],
        ..common(random)
    };
    Specimen {
        name: core.name,
        is_known: true,
        cpu,
        has_two_threads: core.keeps.is_some(),
        known: PriorKnowledge {
            // Half of those with one thread are models known to have one.
            alone: (core.keeps.is_none() && random.bool()).then_some(Reason::SingleThread),
            divided_window: core.divided_window,
            fewest_integer_units: if core.units[0] < 4.0 { 2 } else { 4 },
            remembered: None,
        },
    }
}

/// Returns any CPU, with random widths, units, sizes and kinds of sharing.
pub(super) fn any(random: &mut Rng) -> Specimen {
    let width = one_of(random, &[3.0, 4.0, 5.0, 6.0, 8.0, 10.0]);
    let integers = f64::from(random.u32(2..=8)).min(width);
    let multiplies = one_of(random, &[1.0, 1.0, 1.0, 2.0, 3.0]);
    let vectors = one_of(random, &[2.0_f64, 3.0, 4.0]).min(width);
    // Schedulers limit some loops, which then do not execute a whole number of instructions per
    // cycle.
    let units = [integers, multiplies, vectors].map(|units: f64| {
        let limited = if random.f64() < 0.1 { (0.78, 0.98) } else { (0.985, 1.0) };
        units * between(random, limited)
    });
    let buffer = between(random, (100.0, 660.0));
    let share = if random.f64() < 0.93 { (0.45, 0.78) } else { (0.8, 1.2) };
    let parts = |random: &mut Rng| Sharing::Parts(one_of(random, &[0.5, 2.0 / 3.0]));
    let of_buffer = if random.f64() < 0.8 { parts(random) } else { Sharing::ByNeed };
    let of_registers = if random.f64() < 0.2 { parts(random) } else { Sharing::ByNeed };
    let registers = [(); 2].map(|()| buffer * between(random, share));
    let cpu = SimulatedCpu {
        width,
        units,
        chains: units[0] * between(random, (0.8, 1.0)),
        buffer,
        registers,
        sharing: [of_buffer, of_registers],
        ..common(random)
    };
    let fewest_integer_units = if integers < 4.0 { 2 } else { 4 };
    let known = PriorKnowledge { fewest_integer_units, ..PriorKnowledge::default() };
    let has_two_threads = random.f64() < 0.8;
    Specimen { name: "any", is_known: false, cpu, has_two_threads, known }
}

fn common(random: &mut Rng) -> SimulatedCpu {
    SimulatedCpu {
        roots: between(random, (80.0, 140.0)),
        jitter: between(random, (0.001, 0.006)),
        ..SimulatedCpu::default()
    }
}

pub(super) fn between(random: &mut Rng, (low, high): (f64, f64)) -> f64 {
    low + (high - low) * random.f64()
}

pub(super) fn one_of<T: Copy>(random: &mut Rng, choices: &[T]) -> T {
    choices[random.usize(..choices.len())]
}
