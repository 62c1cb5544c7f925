//! Defines the simulated neighbours: what they do, and when.

use super::cpus::{Specimen, between, one_of};
use cpb_simulated::{Neighbour, Noise, SimulatedCpu, log_uniform};
use fastrand::Rng;

/// States when a neighbour is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Presence {
    Never,
    /// The core is free for 90 to 99 % of the time, for 10 to 90, or for 1 to 10.
    Seldom,
    Often,
    Mostly,
    /// It is always present, with a varying load.
    Changing,
    /// It is always present, and does much or next to nothing.
    Resting,
    /// It is always present, with a constant load.
    Constant,
}

/// States what a neighbour does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    Nothing,
    Adding,
    Multiplying,
    Vectors,
    Loading,
    Pausing,
    Everything,
}

/// The demand of a neighbour: instructions per cycle of the front end and of each unit, and
/// the share of the buffer and of the register files that it could fill.
#[derive(Default)]
struct Demand {
    front: f64,
    units: [f64; 3],
    buffer: f64,
    registers: [f64; 2],
}

/// Returns the noise of a machine with `specimen`, and the neighbour's kind.
pub(super) fn noise(random: &mut Rng, specimen: &Specimen) -> (Presence, Work, Noise) {
    use Presence::{Changing, Constant, Mostly, Never, Often, Resting, Seldom};
    use Work::{Adding, Everything, Loading, Multiplying, Pausing, Vectors};
    let some = [Never, Seldom, Often, Mostly, Changing, Resting, Constant, Constant, Constant];
    let presence = if specimen.has_two_threads { one_of(random, &some) } else { Never };
    let work = match presence {
        Never => Work::Nothing,
        _ => one_of(random, &[Adding, Multiplying, Vectors, Loading, Pausing, Everything]),
    };
    let (quiet_share, load, least_load) = match presence {
        Never => (1.0, (0.0, 0.0), 0.0),
        Seldom => (between(random, (0.9, 0.99)), some_load(random), 0.0),
        Often => (between(random, (0.1, 0.9)), some_load(random), 0.0),
        Mostly => (log_uniform(random, (0.01, 0.1)), some_load(random), 0.0),
        Changing => (0.0, (0.05, 1.0), 0.0),
        Resting => (log_uniform(random, (0.02, 0.9)), (1.0, 1.0), 0.02),
        Constant => (0.0, (1.0, 1.0), 0.0),
    };
    let highest = between(random, (3e9, 5e9));
    let noise = Noise {
        quiet_share,
        load,
        least_load,
        neighbour: neighbour(&specimen.cpu, &demand(random, work, &specimen.cpu)),
        cpus: random.usize(1..=2),
        step_ticks: one_of(random, &[1, 2, 26]),
        hertz: (highest * one_of(random, &[1.0, 0.97, 0.8]), highest),
        interruptions: one_of(random, &[10.0, 100.0, 1000.0]),
        ..Noise::default()
    };
    (presence, work, noise)
}

/// Returns minimum and maximum load; half of the neighbours that come and go do the same each
/// time.
fn some_load(random: &mut Rng) -> (f64, f64) {
    if random.bool() { (1.0, 1.0) } else { (0.05, 1.0) }
}

fn demand(random: &mut Rng, work: Work, cpu: &SimulatedCpu) -> Demand {
    let place = match work {
        Work::Nothing | Work::Pausing => {
            return Demand { front: 0.02, buffer: 0.02, ..Demand::default() };
        }
        Work::Adding => 0,
        Work::Multiplying => 1,
        Work::Vectors => 2,
        Work::Loading => {
            let [integers, vectors] = [(); 2].map(|()| between(random, (0.1, 0.7)));
            let front = between(random, (0.1, 2.0));
            let buffer = between(random, (0.3, 0.8));
            let units = [front / 4.0, 0.0, 0.0];
            return Demand { front, units, buffer, registers: [integers, vectors] };
        }
        Work::Everything => {
            let units = cpu.units.map(|rate| between(random, (0.0, 0.8)) * rate);
            let front = units.iter().sum::<f64>().max(between(random, (0.0, 0.8)) * cpu.width);
            let [buffer, integers, vectors] = [(); 3].map(|()| between(random, (0.0, 0.6)));
            return Demand { front, units, buffer, registers: [integers, vectors] };
        }
    };
    // Chains use a whole number of units; other code does not.
    let most = cpu.units[place];
    let front = if random.bool() {
        f64::from(random.u32(1..=(most / 2.0).round().max(1.0) as u32))
    } else {
        between(random, (0.1, 0.9)) * most
    };
    let buffer = between(random, (0.0, 0.6));
    let mut it = Demand { front, buffer, ..Demand::default() };
    it.units[place] = front;
    it.registers[place / 2] = buffer;
    it
}

/// Returns the effect of `demand` on `cpu`, where each thread gets what it demands up to half.
fn neighbour(cpu: &SimulatedCpu, demand: &Demand) -> Neighbour {
    let left = |all: f64, taken: f64| (all - taken).max(all / 2.0);
    let width = left(cpu.width, demand.front);
    let units = |it: usize| cpu.units[it] / left(cpu.units[it], demand.units[it]).min(width) - 1.0;
    // The neighbour's architectural state is in registers, too.
    let registers =
        |it: usize| (ARCHITECTURAL / cpu.registers[it] + demand.registers[it]).min(MOST_REGISTERS);
    Neighbour {
        front: cpu.width / width - 1.0,
        units: [0, 1, 2].map(units),
        buffer: demand.buffer,
        registers: [0, 1].map(registers),
    }
}

/// The registers of either kind that every thread has, and the most that one can take of a
/// file.
const ARCHITECTURAL: f64 = 20.0;
const MOST_REGISTERS: f64 = 0.67;
