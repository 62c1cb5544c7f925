//! What the loops say of quiet: the gate, and how sure it is. Pure.
//!
//! docs/METHODOLOGY.md says why, in words.

use crate::quiet::times::{LoopTimes, WindowTimes};
use cpb_model::{Certainty, CoreProfile, GateLoop, Reason};
use cpb_stats::{Histogram, SharpLine, midmean_of};
use serde::{Deserialize, Serialize};

/// A block that takes less than this of the chain in it overlaps the next one.
const OVERLAPS: f64 = 0.96;
/// The gate's loop has at most this share of the window in a block, so that all of it fits surely.
const GATE_SHARE: f64 = 0.9;
/// From this many times its line on, the gate's loop ran beside a neighbour.
const SLOW: f64 = 1.25;
/// Slow rounds without which nothing is said of the window beside a neighbour, and fast ones.
const FEWEST_SLOW: usize = 20;
const FEWEST_FAST: usize = 10;
/// The divided window, as a share of the whole one: half on Zen 5, two thirds on Zen 4.
const DIVIDED: std::ops::RangeInclusive<f64> = 0.38..=0.74;
/// The window against that of the larger register file: from here on it is whole, or not.
const WIDE: f64 = 1.2;
const NARROW: f64 = 1.1;
/// How far the rate of a unit loop may be from a whole number.
const WHOLE: std::ops::RangeInclusive<f64> = -0.016..=0.009;
/// How much wider than beside a neighbour a known model's window is, for it to be whole.
const KNOWN_WHOLE: f64 = 1.25;
const KNOWN_DIVIDED: f64 = 1.1;

/// What is known of quiet on a CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    pub(crate) gate_loop: GateLoop,
    /// Cycles of an instruction of the gate's loop on a quiet core.
    pub(crate) line: Option<f64>,
    /// The same of the chains, for who runs no other loop.
    pub(crate) chains: Option<f64>,
    pub(crate) certainty: Certainty,
    pub(crate) reason: Reason,
    pub(crate) core: CoreProfile,
}

/// What is known before the loops run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Known {
    /// That nobody can share the core, or that nobody did.
    pub(crate) alone: Option<Reason>,
    /// The window of this CPU model beside a neighbour.
    pub(crate) divided_window: Option<u32>,
    /// Integer units that every core like this one has.
    pub(crate) fewest_integer_units: u32,
    /// What was certain earlier.
    pub(crate) remembered: Option<Learned>,
}

/// Decides by all rounds.
pub(crate) fn decide(times: &LoopTimes, known: &Known) -> Learned {
    let found = by_the_loops(times, known);
    match known.remembered.filter(|it| it.certainty == Certainty::Certain) {
        Some(remembered) if found.certainty != Certainty::Certain => {
            beside_remembered(times, found, remembered)
        }
        _ => found,
    }
}

fn by_the_loops(times: &LoopTimes, known: &Known) -> Learned {
    let nothing = Learned { reason: Reason::NoLine, ..Learned::default() };
    let [mixed, ..] = &times.windows;
    let Some(roots) = lowest_line(&times.roots) else { return nothing };
    let line_of = |it: &WindowTimes| lowest_line(&it.cycles).map(|line| line.centre);
    let window = window(mixed, roots.centre, line_of);
    let gate = mixed.iter().rfind(|it| f64::from(it.size) <= GATE_SHARE * f64::from(window));
    let (gate_loop, gate_times) = match gate {
        Some(gate) => (GateLoop::Window(gate.size), &gate.cycles),
        None => (GateLoop::Chains, &times.chains),
    };
    let chains_line = lowest_line(&times.chains).map(|line| line.centre);
    let Some(line) = lowest_line(gate_times) else {
        return Learned { line: chains_line, chains: chains_line, ..nothing };
    };
    let instructions = gate.map_or(1, |gate| gate.size);
    let (fast, slow) = rounds(gate_times, line.centre, gate_loop);
    let core = profile(times, &fast, &slow);
    let (certainty, reason) = certainty(known, &core);
    let found = Learned { certainty, reason, core, ..nothing };
    match certainty {
        Certainty::Busy => found,
        // A window that may be divided is as sharp whatever the neighbour does. Chains are not.
        Certainty::Unknown => Learned { line: chains_line, chains: chains_line, ..found },
        Certainty::Likely | Certainty::Certain => Learned {
            gate_loop,
            line: Some(line.centre / f64::from(instructions)),
            chains: in_rounds(&times.chains, &fast),
            ..found
        },
    }
}

/// How sure it is that what `core` shows is a quiet core.
fn certainty(known: &Known, core: &CoreProfile) -> (Certainty, Reason) {
    let window = f64::from(core.window);
    let registers = f64::from(core.integer_window.max(core.vector_window));
    let is_whole = |rate: f64, fewest: u32| {
        let units = rate.round();
        units >= f64::from(fewest) && WHOLE.contains(&(rate / units - 1.0))
    };
    let wholes = [
        is_whole(core.integers, known.fewest_integer_units),
        is_whole(core.multiplies, 1),
        is_whole(core.vectors, 1),
    ];
    let wholes = wholes.into_iter().filter(|&whole| whole).count();
    let is_narrow = core.window != 0 && registers != 0.0 && window <= NARROW * registers;
    if let Some(reason) = known.alone {
        return (Certainty::Certain, reason);
    }
    if let Some(divided) = known.divided_window.map(f64::from).filter(|_| core.window != 0) {
        if window >= KNOWN_WHOLE * divided {
            return (Certainty::Certain, Reason::KnownModel);
        }
        if window <= KNOWN_DIVIDED * divided {
            return (Certainty::Busy, Reason::NarrowWindow);
        }
    }
    if core.divided_window.is_some() && wholes >= 2 && !is_narrow {
        return (Certainty::Certain, Reason::TwoLevels);
    }
    if is_narrow {
        return (Certainty::Unknown, Reason::NarrowWindow);
    }
    let is_wide = registers != 0.0 && window >= WIDE * registers;
    if is_wide && wholes == 3 {
        return (Certainty::Likely, Reason::WholeUnits);
    }
    (Certainty::Unknown, Reason::NoEvidence)
}

/// What was found, held against what is remembered as certain: the same, or slower all the time. A
/// core that is faster than remembered is another.
fn beside_remembered(times: &LoopTimes, found: Learned, remembered: Learned) -> Learned {
    let Some(quiet) = remembered.line else { return found };
    let line = match remembered.gate_loop {
        GateLoop::Chains => lowest_line(&times.chains).map(|line| line.centre),
        GateLoop::Window(size) => {
            let same = times.windows[0].iter().find(|it| it.size == size);
            let line = same.and_then(|it| lowest_line(&it.cycles));
            line.map(|line| line.centre / f64::from(size))
        }
    };
    let tolerance = remembered.gate_loop.tolerance();
    match line.map(|line| line / quiet - 1.0) {
        Some(off) if off.abs() <= tolerance => remembered,
        Some(off) if off < 0.0 => found,
        _ => Learned { certainty: Certainty::Busy, reason: Reason::NarrowWindow, ..remembered },
    }
}

/// Rounds on a quiet core, and rounds beside a neighbour: in those next to them it was so, too,
/// since a neighbour that comes or goes within a round is in neither.
pub(super) fn rounds(gate_times: &[f64], line: f64, gate_loop: GateLoop) -> (Vec<bool>, Vec<bool>) {
    let near = |cycles: &f64| (cycles / line - 1.0).abs() <= gate_loop.tolerance();
    let near: Vec<bool> = gate_times.iter().map(near).collect();
    let slow: Vec<bool> = gate_times.iter().map(|cycles| cycles / line >= SLOW).collect();
    let padded = |of: &[bool]| -> Vec<bool> {
        let at = |index: usize| of.get(index).copied().unwrap_or(true);
        (0..of.len()).map(|i| of[i] && at(i + 1) && at(i.wrapping_sub(1))).collect()
    };
    let fast = padded(&near);
    let are_enough = fast.iter().filter(|&&it| it).count() >= FEWEST_FAST;
    (if are_enough { fast } else { near }, padded(&slow))
}

/// The mean of the middle half of a series over some of its rounds: a median would stick to a step of
/// the counter.
pub(super) fn in_rounds(series: &[f64], rounds: &[bool]) -> Option<f64> {
    let chosen = series.iter().zip(rounds).filter(|(_, of)| **of).map(|(cycles, _)| *cycles);
    midmean_of(&chosen.collect::<Vec<f64>>())
}

/// What the core did in the fast rounds, and its window in the slow ones.
fn profile(times: &LoopTimes, fast: &[bool], slow: &[bool]) -> CoreProfile {
    let rate = |series: &[f64]| in_rounds(series, fast).map_or(0.0, |cycles| 1.0 / cycles);
    let [integers, multiplies, vectors] = times.units.each_ref().map(|series| rate(series));
    let roots = in_rounds(&times.roots, fast).unwrap_or(0.0);
    let window_in =
        |of: &[WindowTimes], rounds| window(of, roots, |it| in_rounds(&it.cycles, rounds));
    let [mixed, integer, vector] = &times.windows;
    let whole = window_in(mixed, fast);
    let is_seen = slow.iter().filter(|&&it| it).count() >= FEWEST_SLOW;
    let divided = is_seen.then(|| window_in(mixed, slow)).filter(|&divided| {
        whole != 0 && DIVIDED.contains(&(f64::from(divided) / f64::from(whole)))
    });
    CoreProfile {
        window: whole,
        integer_window: window_in(integer, fast),
        vector_window: window_in(vector, fast),
        divided_window: divided,
        integers,
        multiplies,
        vectors,
    }
}

/// The largest block whose chain still overlaps the next one's, by what a block takes; 0 if none
/// does.
fn window(loops: &[WindowTimes], roots: f64, cycles: impl Fn(&WindowTimes) -> Option<f64>) -> u32 {
    let overlaps = |it: &&WindowTimes| cycles(it).is_none_or(|cycles| cycles < OVERLAPS * roots);
    let known = |it: &WindowTimes| cycles(it).is_some();
    loops.iter().take_while(overlaps).filter(|it| known(it)).last().map_or(0, |it| it.size)
}

/// The narrowest line there is: what the counter's step blurs, or what takes one of a few times
/// close together, is a line as well.
fn lowest_line(series: &[f64]) -> Option<SharpLine> {
    let mut histogram = Histogram::default();
    series.iter().for_each(|&cycles| histogram.add(cycles));
    [0.01, 0.02, 0.03].into_iter().find_map(|width| histogram.lowest_line_within(width))
}
