//! Decides from the times of the loops what a quiet core looks like, and how certain that is. Pure.
//!
//! docs/METHODOLOGY.md explains why.

use crate::times::{LoopTimes, WindowTimes};
use cpb_figures::bootstrap;
use cpb_model::{Certainty, CoreProfile, GateLoop, Reason};
use cpb_stats::{Histogram, Interval, mean_of_rounds, midmean, midmean_of};
use serde::{Deserialize, Serialize};

/// A block whose time is below this share of its chain's overlaps with the next block.
const OVERLAPS: f64 = 0.96;
/// The share of the window that a block of the probe's loop may fill, so that it certainly fits.
const GATE_SHARE: f64 = 0.9;
/// If the probe's loop takes this multiple of its time on a quiet core, it ran beside a neighbour.
const SLOW: f64 = 1.25;
/// The slow and fast rounds required to say anything about the window beside a neighbour.
const FEWEST_SLOW: usize = 20;
const FEWEST_FAST: usize = 10;
/// The divided window as a share of the whole one: half on Zen 5, two thirds on Zen 4.
const DIVIDED: std::ops::RangeInclusive<f64> = 0.38..=0.74;
/// If the window has at least this share of the instructions that the smaller register file allows,
/// that file may be the limit.
const BY_BUFFER: f64 = 0.9;
/// The window relative to that of the larger register file: wide windows are whole, narrow ones
/// not.
const WIDE: f64 = 1.2;
const NARROW: f64 = 1.1;
/// The largest relative deviation from its level at which a loop took the same time.
const STEADY: f64 = 0.03;
/// The parts of the time that are compared to say how certain a rate is.
const PARTS: usize = 10;
/// The accepted deviation of a unit loop's rate from a whole number.
const WHOLE: std::ops::RangeInclusive<f64> = -0.016..=0.009;
/// A window must be this much wider than the model's divided window to be whole; below the second
/// value it is divided.
const KNOWN_WHOLE: f64 = 1.25;
const KNOWN_DIVIDED: f64 = 1.1;

/// The knowledge about quiet on a CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    pub gate_loop: GateLoop,
    /// Cycles per instruction of the probe's loop on a quiet core: the quiet level.
    pub line: Option<f64>,
    /// The quiet level of the chains, for callers that run no other loop.
    pub chains: Option<f64>,
    pub certainty: Certainty,
    pub reason: Reason,
    pub core: CoreProfile,
}

/// What is known before the loops run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorKnowledge {
    /// Evidence that nobody can share the core, or that nobody did.
    pub alone: Option<Reason>,
    /// This CPU model's window beside a neighbour.
    pub divided_window: Option<u32>,
    /// The minimum of integer units in such cores.
    pub fewest_integer_units: u32,
    /// What an earlier run learned with certainty.
    pub remembered: Option<Learned>,
}

/// Decides from all rounds.
pub fn decide(times: &LoopTimes, known: &PriorKnowledge) -> Learned {
    let found = by_the_loops(times, known);
    match known.remembered.filter(|it| it.certainty == Certainty::Certain) {
        Some(remembered) if found.certainty != Certainty::Certain => {
            beside_remembered(times, found, remembered)
        }
        _ => found,
    }
}

fn by_the_loops(times: &LoopTimes, known: &PriorKnowledge) -> Learned {
    let chains = lowest_line(&times.chains);
    let by_chains = Learned { line: chains, chains, ..Learned::default() };
    let [mixed, ..] = &times.windows;
    let roots = lowest_line(&times.roots).unwrap_or(0.0);
    let window = window(mixed, roots, |it| lowest_line(&it.cycles));
    let gate = mixed.iter().rfind(|it| f64::from(it.size) <= GATE_SHARE * f64::from(window));
    let (gate_loop, gate_times, instructions) = match gate {
        Some(gate) => (GateLoop::Window(gate.size), &gate.cycles, gate.size),
        None => (GateLoop::Chains, &times.chains, 1),
    };
    let Some(line) = lowest_line(gate_times) else {
        return Learned { reason: Reason::NoLine, ..by_chains };
    };
    let (fast, slow) = rounds(gate_times, line, gate_loop);
    let core = profile(times, &fast, &slow);
    let (certainty, reason) = certainty(known, &core);
    let by_gate = Learned {
        gate_loop,
        line: Some(line / f64::from(instructions)),
        chains: in_rounds(&times.chains, &fast),
        certainty,
        reason,
        core,
    };
    match certainty {
        Certainty::Likely | Certainty::Certain => by_gate,
        Certainty::Busy => Learned { line: None, chains: None, ..by_gate },
        // A window that may be divided looks equally sharp whatever the neighbour does. Chains do
        // not, so their level comes first; the units also reveal a neighbour whose load varies.
        Certainty::Unknown if chains.is_none() && are_steady(&times.units, &fast) => {
            Learned { chains: None, ..by_gate }
        }
        Certainty::Unknown => Learned { certainty, reason, core, ..by_chains },
    }
}

/// Whether each unit loop took the same time in most rounds.
fn are_steady(units: &[Vec<f64>; 3], rounds: &[bool]) -> bool {
    units.iter().all(|series| {
        let series = chosen(series, rounds);
        let Some(line) = lowest_line(&series) else { return false };
        let near = series.iter().filter(|&cycles| (cycles / line - 1.0).abs() <= STEADY);
        2 * near.count() > series.len()
    })
}

/// Returns how certain it is that `core` was seen quiet.
fn certainty(known: &PriorKnowledge, core: &CoreProfile) -> (Certainty, Reason) {
    let window = f64::from(core.window);
    // Both register files are needed: a window too small to be read is that of a slow unit.
    let files = [core.integer_window, core.vector_window];
    let registers = if files.contains(&0) { 0 } else { files[0].max(files[1]) };
    let registers = f64::from(registers);
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
    // If threads share by need, a permanent neighbour with a varying load makes two levels as well,
    // but hardly ever leaves whole rates on all units.
    if core.divided_window.is_some() && wholes == 3 && !is_narrow {
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

/// Compares the result with the remembered certain one: equal, or slower all the time. A core
/// faster than remembered is another core.
fn beside_remembered(times: &LoopTimes, found: Learned, remembered: Learned) -> Learned {
    let Some(quiet) = remembered.line else { return found };
    let line = match remembered.gate_loop {
        GateLoop::Chains => lowest_line(&times.chains),
        GateLoop::Window(size) => {
            let same = times.windows[0].iter().find(|it| it.size == size);
            same.and_then(|it| lowest_line(&it.cycles)).map(|line| line / f64::from(size))
        }
    };
    let tolerance = remembered.gate_loop.tolerance();
    match line.map(|line| line / quiet - 1.0) {
        Some(off) if off.abs() <= tolerance => remembered,
        Some(off) if off < 0.0 => found,
        _ => Learned { certainty: Certainty::Busy, reason: Reason::NarrowWindow, ..remembered },
    }
}

/// Returns the rounds on a quiet core, and those beside a neighbour. Both must have neighbouring
/// rounds of the same kind, which excludes rounds in which a neighbour came or left.
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

/// Returns the mean of the middle half of a series over some of its rounds. A median would stick to
/// a step of the counter.
pub(super) fn in_rounds(series: &[f64], rounds: &[bool]) -> Option<f64> {
    midmean_of(&chosen(series, rounds))
}

fn chosen(series: &[f64], rounds: &[bool]) -> Vec<f64> {
    series.iter().zip(rounds).filter(|(_, of)| **of).map(|(cycles, _)| *cycles).collect()
}

/// Returns what the core did in fast rounds, and its window in slow ones.
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
        // A neighbour that fills a register file narrows the window of instructions that alternate
        // between the files, and it may have been there all the time.
        let registers = 2 * window_in(integer, slow).min(window_in(vector, slow));
        whole != 0
            && DIVIDED.contains(&(f64::from(divided) / f64::from(whole)))
            && f64::from(divided) <= BY_BUFFER * f64::from(registers)
    });
    let half_widths = times.units.each_ref().map(|series| half_width(series, fast));
    let rates_within =
        half_widths.into_iter().reduce(|one, other| Some(one?.max(other?))).flatten();
    CoreProfile {
        window: whole,
        integer_window: window_in(integer, fast),
        vector_window: window_in(vector, fast),
        divided_window: divided,
        integers,
        multiplies,
        vectors,
        rates_within,
    }
}

/// Returns half of the 95 % interval of the mean of a series over some of its rounds, relative to it.
/// What comes and goes shows by comparing parts of the time, and would not by comparing rounds.
fn half_width(series: &[f64], rounds: &[bool]) -> Option<f64> {
    let chosen = chosen(series, rounds);
    let parts = chosen.chunks(chosen.len().div_ceil(PARTS).max(1));
    let means: Vec<[f64; 1]> = parts.filter_map(midmean_of).map(|mean| [mean]).collect();
    let Interval { low, high, .. } = bootstrap(0).interval(&means, mean_of_rounds(midmean))?;
    Some((high - low) / (high + low))
}

/// Returns the largest block whose chain still overlaps with the next one's, by the cycles of a
/// block; 0 if there is none.
fn window(loops: &[WindowTimes], roots: f64, cycles: impl Fn(&WindowTimes) -> Option<f64>) -> u32 {
    let overlaps = |it: &&WindowTimes| cycles(it).is_none_or(|cycles| cycles < OVERLAPS * roots);
    let known = |it: &WindowTimes| cycles(it).is_some();
    loops.iter().take_while(overlaps).filter(|it| known(it)).last().map_or(0, |it| it.size)
}

/// Returns the narrowest level. A level blurred by the counter's step, or split into a few close
/// times, counts as one.
fn lowest_line(series: &[f64]) -> Option<f64> {
    let mut histogram = Histogram::default();
    series.iter().for_each(|&cycles| histogram.add(cycles));
    let line = [0.01, 0.02, 0.03].into_iter().find_map(|width| histogram.lowest_line_within(width));
    line.map(|line| line.centre)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: usize = 100;

    /// Returns a series of constant times.
    fn steady(cycles: f64) -> Vec<f64> {
        vec![cycles; ROUNDS]
    }

    /// Returns times evenly spread up to half above the minimum.
    fn restless(cycles: f64) -> Vec<f64> {
        (0..ROUNDS).map(|round| cycles * (1.0 + 0.5 * round as f64 / ROUNDS as f64)).collect()
    }

    /// Creates a core whose window is no wider than its register files, and constant.
    fn narrow() -> LoopTimes {
        let block =
            |size| WindowTimes { size, cycles: steady(if size <= 200 { 90.0 } else { 130.0 }) };
        LoopTimes {
            units: [steady(0.25), steady(1.0), steady(0.25)],
            chains: steady(0.251),
            roots: steady(128.0),
            windows: [(); 3].map(|()| [100, 150, 200, 250].map(block).to_vec()),
        }
    }

    fn gate(times: &LoopTimes) -> (GateLoop, Option<f64>) {
        let learned = decide(times, &PriorKnowledge::default());
        assert_eq!(learned.certainty, Certainty::Unknown);
        (learned.gate_loop, learned.line)
    }

    #[test]
    fn what_is_unknown_is_gated_by_the_lowest_sharp_line_there_is() {
        let is_near = |line: Option<f64>, cycles: f64| (line.unwrap() / cycles - 1.0).abs() < 0.001;
        let (gate_loop, line) = gate(&narrow());
        assert!(gate_loop == GateLoop::Chains && is_near(line, 0.251), "{gate_loop} {line:?}");
        let no_roots = LoopTimes { roots: restless(128.0), ..narrow() };
        let (gate_loop, line) = gate(&no_roots);
        assert!(gate_loop == GateLoop::Chains && is_near(line, 0.251), "{gate_loop} {line:?}");
        let no_chains = LoopTimes { chains: restless(0.251), ..narrow() };
        let (gate_loop, line) = gate(&no_chains);
        let is_window = gate_loop == GateLoop::Window(150);
        assert!(is_window && is_near(line, 90.0 / 150.0), "{gate_loop} {line:?}");
        assert_eq!(decide(&no_chains, &PriorKnowledge::default()).chains, None);
    }

    #[test]
    fn a_neighbour_who_does_more_and_less_leaves_no_line() {
        let of_units = |unit: usize| {
            let mut times = LoopTimes { chains: restless(0.251), ..narrow() };
            times.units[unit] = restless(times.units[unit][0]);
            times
        };
        for unit in 0..3 {
            assert_eq!(gate(&of_units(unit)).1, None, "{unit}");
        }
    }

    #[test]
    fn rates_are_certain_where_they_stay_the_same() {
        let profile = |cycles: &dyn Fn(usize) -> f64| {
            let series: Vec<f64> = (0..4 * ROUNDS).map(cycles).collect();
            let units = [steady(0.25), steady(1.0), series];
            super::profile(&LoopTimes { units, ..narrow() }, &[true; 4 * ROUNDS], &[])
        };
        // The counter's steps change from round to round, a neighbour who is not seen stays for a while.
        let by_round = profile(&|round| 0.25 + 0.004 * (round % 3) as f64);
        assert!(by_round.has_certain_rates(), "{by_round:?}");
        let by_time = profile(&|round| 0.25 + 0.004 * (round / ROUNDS % 3) as f64);
        assert!(!by_time.has_certain_rates(), "{by_time:?}");
        assert!(!CoreProfile::default().has_certain_rates());
    }

    /// Creates a core with a neighbour in a quarter of the rounds, which leaves this many
    /// instructions in flight to mixed and to integer blocks.
    fn visited(mixed: u32, integers: u32) -> LoopTimes {
        let windows = [(300, mixed), (160, integers), (160, 140)].map(|(alone, beside)| {
            let block = |size| {
                let cycles = |window| if size <= window { 90.0 } else { 130.0 };
                let mut all = vec![cycles(alone); 3 * ROUNDS];
                all.extend(vec![cycles(beside); ROUNDS]);
                WindowTimes { size, cycles: all }
            };
            (60..=320).step_by(10).map(block).collect()
        });
        let units = [0.25, 1.0, 0.25].map(|cycles| vec![cycles; 4 * ROUNDS]);
        LoopTimes {
            chains: vec![0.251; 4 * ROUNDS],
            roots: vec![128.0; 4 * ROUNDS],
            units,
            windows,
        }
    }

    #[test]
    fn two_levels_are_the_buffers_and_not_those_of_a_register_file() {
        let learned =
            |mixed, integers| decide(&visited(mixed, integers), &PriorKnowledge::default());
        assert_eq!(learned(150, 140).certainty, Certainty::Certain);
        assert_eq!(learned(200, 130).certainty, Certainty::Certain);
        assert_eq!(learned(200, 100).core.divided_window, None);
        assert_eq!(learned(200, 100).certainty, Certainty::Likely);
        assert_eq!(learned(280, 140).core.divided_window, None);
    }
}
