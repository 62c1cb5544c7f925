//! Learns what a quiet core looks like: runs all loops until it is known.

use crate::curve::curve;
use crate::decision::{Learned, PriorKnowledge, decide};
use crate::times::{LoopTimes, UNITS, WindowTimes};
use cpb_clock::CoreLoop;
use cpb_clock::probe::Probe;
use cpb_clock::window::Filler;
use cpb_figures::agree;
use cpb_model::{Calibration, Certainty, Reason, WindowCurve};
use cpb_sampler::Timer;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Rounds before the first look at them; every further look has twice as many.
const FIRST_LOOK: usize = 1000;
/// Rounds without a neighbour after which learning no longer waits for one.
const ENOUGH_WITHOUT_NEIGHBOUR: usize = 4000;
/// Rounds on one CPU before moving to the next.
const ROUNDS_PER_CPU: usize = 250;
/// Blocks of a loop before timing, so that the branch predictor learns its end.
const UNTIMED: u32 = 3;
/// Timed blocks: about 2 µs of each loop.
const OF_WINDOWS: u32 = 24;
const OF_ROOTS: u32 = 60;
const OF_CHAINS: u32 = 32;
/// The fewest block counts of the unit loops. Their difference cancels the loop's start and end.
const OF_UNITS: [u32; 2] = [4, 20];
/// The steps of the counter that the difference lasts, and its longest time, in seconds. At one clock a
/// loop takes the same number of steps in every round, so that more rounds bring their mean no nearer to
/// the truth.
const STEPS_OF_UNITS: f64 = 500.0;
const LONGEST_OF_UNITS: f64 = 10e-6;
/// Timings of a unit loop to find its block counts, because any may be disturbed.
const TIMES: usize = 5;
/// The share of time in which siblings may be busy and still count as idle, by the kernel's clock,
/// which ticks at this rate.
const IDLE: f64 = 0.02;
const TICKS_PER_SECOND: f64 = 100.0;
/// The longest block for the register files' windows, as long as the largest such file.
const LARGEST_FILE: u32 = 430;

/// What was learned, with its curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    pub learned: Learned,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<WindowCurve>,
}

/// What is known about quiet, and what is to be learned.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// What quiet looks like, if known.
    pub learned: Option<Learned>,
    /// The time for learning it.
    pub nanoseconds: u64,
    /// What is known before learning.
    pub known: PriorKnowledge,
    /// The other hardware threads of the CPUs' cores, if the kernel knows them.
    pub siblings: Vec<usize>,
}

/// Lets probes run the loop that shows quiet best: the known one, or one learned now if requested.
/// Returns what was learned.
pub fn gate(timer: &mut dyn Timer, asked: &Learning) -> Option<Lesson> {
    let time = Duration::from_nanos(asked.nanoseconds);
    let lesson = (asked.learned.is_none() && !time.is_zero()).then(|| {
        let start = Instant::now();
        let busy = cpb_host::busy(&asked.siblings);
        let idle = &mut || {
            let since = cpb_host::busy(&asked.siblings).zip(busy).map(|(now, then)| now - then);
            let ticks = start.elapsed().as_secs_f64() * TICKS_PER_SECOND;
            !asked.siblings.is_empty() && since.is_some_and(|busy| busy as f64 <= IDLE * ticks)
        };
        learn(timer, &asked.known, time, idle)
    });
    let known = asked.learned.or(lesson.as_ref().map(|lesson| lesson.learned));
    if let Some((line, known)) = known.and_then(|known| Some((known.line?, known))) {
        timer.gate_by(known.gate_loop, line);
    }
    lesson
}

/// Runs the loops on every CPU in turn until quiet is certain, or likely and without a neighbour,
/// or `time` is up. `idle` tells whether the kernel kept the core's other threads idle meanwhile.
fn learn(
    timer: &mut dyn Timer,
    known: &PriorKnowledge,
    time: Duration,
    idle: &mut dyn FnMut() -> bool,
) -> Lesson {
    let end = timer.now() + time;
    let mut times = LoopTimes::for_this_machine();
    let of_units = UNITS.map(|probe| blocks_of_unit(timer, probe));
    let mut rounds = 0;
    let mut next_look = FIRST_LOOK;
    let mut last_bracket = timer.bracket();
    loop {
        last_bracket = times.add_round(timer, of_units, last_bracket);
        rounds += 1;
        let is_late = timer.now() >= end;
        if rounds >= next_look || is_late {
            next_look = 2 * rounds;
            let known = PriorKnowledge {
                alone: known.alone.or(idle().then_some(Reason::IdleSiblings)),
                ..*known
            };
            let learned = decide(&times, &known);
            let is_decided = match learned.certainty {
                Certainty::Certain => learned.line.is_some(),
                Certainty::Likely => rounds >= ENOUGH_WITHOUT_NEIGHBOUR,
                Certainty::Unknown | Certainty::Busy => false,
            };
            if (is_decided && learned.core.has_certain_rates()) || is_late {
                return Lesson { curve: curve(&times, &learned), learned };
            }
        }
        if rounds % ROUNDS_PER_CPU == 0 && timer.move_on() {
            last_bracket = timer.bracket();
        }
    }
}

/// Returns the short and the long block count of a unit loop.
fn blocks_of_unit(timer: &mut dyn Timer, probe: Probe) -> [u32; 2] {
    let [few, many] = OF_UNITS;
    let mut time = || timer.core_loop(CoreLoop::Unit(probe), few);
    time();
    let shortest = (0..TIMES).map(|_| time()).min().unwrap_or_default() as f64;
    let Calibration { step_ticks, ticks_per_second, overhead_ticks, .. } = *timer.calibration();
    let step = step_ticks as f64;
    let wanted = (STEPS_OF_UNITS * step).min(LONGEST_OF_UNITS * ticks_per_second);
    let per_block = (shortest - overhead_ticks).max(step) / f64::from(few);
    [few, many.max(few + (wanted / per_block) as u32)]
}

impl LoopTimes {
    fn for_this_machine() -> Self {
        let windows = Filler::ALL.map(|filler| {
            let is_read = |size: &u32| filler == Filler::Mixed || *size <= LARGEST_FILE;
            let times = |size| WindowTimes { size, cycles: Vec::new() };
            filler.sizes().filter(is_read).map(times).collect()
        });
        Self { windows, ..Self::default() }
    }

    /// Runs every loop once between two brackets, given the first, and returns the second. The
    /// round counts if they agree.
    fn add_round(
        &mut self,
        timer: &mut dyn Timer,
        of_units: [[u32; 2]; UNITS.len()],
        before: u64,
    ) -> u64 {
        let mut ticks = Vec::new();
        let mut run = |timer: &mut dyn Timer, it: CoreLoop, blocks: u32| {
            timer.core_loop(it, UNTIMED);
            ticks.push(timer.core_loop(it, blocks));
        };
        for (probe, counts) in UNITS.into_iter().zip(of_units) {
            counts.into_iter().for_each(|blocks| run(timer, CoreLoop::Unit(probe), blocks));
        }
        run(timer, CoreLoop::Chains, OF_CHAINS);
        run(timer, CoreLoop::Roots, OF_ROOTS);
        for (filler, loops) in Filler::ALL.into_iter().zip(&self.windows) {
            loops.iter().for_each(|it| run(timer, CoreLoop::Window(filler, it.size), OF_WINDOWS));
        }
        // The first one after other loops takes up to a percent longer than those that follow their
        // like, and would make all loops seem as much faster.
        timer.bracket();
        let after = timer.bracket();
        let calibration = timer.calibration();
        if agree(calibration, (before, after)) {
            let bracket = f64::midpoint(before as f64, after as f64);
            self.keep(&ticks, of_units, calibration, bracket);
        }
        after
    }

    /// Stores a round, converted to cycles by its bracket.
    fn keep(
        &mut self,
        ticks: &[u64],
        of_units: [[u32; 2]; UNITS.len()],
        calibration: &Calibration,
        bracket: f64,
    ) {
        let overhead = calibration.overhead_ticks;
        let latency = f64::from(calibration.multiply_latency.unwrap_or(1));
        let per_tick = calibration.bracket_links as f64 * latency / (bracket - overhead);
        let mut ticks = ticks.iter().map(|&ticks| ticks as f64);
        let mut next = || ticks.next().unwrap_or(f64::NAN);
        let instructions = |it: CoreLoop, blocks| f64::from(it.instructions_per_block() * blocks);
        for ((probe, [few, many]), series) in UNITS.into_iter().zip(of_units).zip(&mut self.units) {
            let (short, long) = (next(), next());
            let counted = instructions(CoreLoop::Unit(probe), many - few);
            series.push((long - short) * per_tick / counted);
        }
        let chains = instructions(CoreLoop::Chains, OF_CHAINS);
        self.chains.push((next() - overhead) * per_tick / chains);
        self.roots.push((next() - overhead) * per_tick / f64::from(OF_ROOTS));
        for it in self.windows.iter_mut().flatten() {
            it.cycles.push((next() - overhead) * per_tick / f64::from(OF_WINDOWS));
        }
    }
}
