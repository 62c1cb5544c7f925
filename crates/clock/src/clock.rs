//! Calibrates a counter and a chain to measure core cycles.

use crate::chain::{Chain, LINKS_PER_BLOCK};
use crate::core_loop::CoreLoop;
use crate::counter::{self, Counter, Unit, monotonic_nanoseconds};
use crate::probe::OPERATIONS_PER_BLOCK;
use cpb_model::{Calibration, CycleSource, GateLoop};
use std::time::Duration;

/// The target duration of a bracket, in steps of the counter.
const STEPS_PER_BRACKET: f64 = 600.0;
const SHORTEST_BRACKET_NANOSECONDS: f64 = 6_000.0;
const LONGEST_BRACKET_NANOSECONDS: f64 = 25_000.0;
/// The target duration of a probe on a quiet core, in steps of the counter, so that a step is half
/// a percent of it.
const STEPS_PER_PROBE: f64 = 200.0;
const SHORTEST_PROBE_NANOSECONDS: f64 = 1_000.0;
const LONGEST_PROBE_NANOSECONDS: f64 = 10_000.0;
/// The assumed cycles per instruction of the probe until they are learned; only the duration of the
/// first probes depends on it.
const CYCLES_PER_PROBE_OPERATION: f64 = 0.25;
/// Blocks of the two chains whose difference gives the overhead.
const SHORT_CHAINS: [u32; 2] = [2, 16];
/// Repetitions of the chains to solve for overhead and latency.
const REPETITIONS: usize = 400;
/// The accepted deviation of the chains' ratio from a whole number. A busy SMT sibling slows the
/// one-cycle chain by a few percent, and the other hardly.
const LATENCY_TOLERANCE: f64 = 0.1;
/// The quantile of the ratios that is used. A neighbour slows the one-cycle chain and makes ratios
/// too small, at times in more than half of the pairs; only an interrupt makes one too large, and
/// few pairs see any.
const BELIEVED_RATIO: f64 = 0.75;
/// The pauses before further attempts, so that a neighbour may have left by the last.
const PAUSES_IN_MILLISECONDS: [u64; 5] = [5, 25, 100, 250, 500];
/// No core multiplies in one cycle; if it seems to, this is an emulator.
const SHORTEST_LATENCY: u32 = 2;
const LONGEST_LATENCY: u32 = 8;

/// The reason why ticks cannot be converted to core cycles.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrationError {
    /// The latencies of the two chains are not in a whole ratio.
    #[error(
        "core cycles cannot be determined here: a multiply takes {ratio:.3} times as long as a \
         one-cycle instruction, which is no whole number (an emulator, or a CPU unknown to \
         cpb); give the clock with --cpu-mhz N"
    )]
    ChainsDisagree {
        /// Time of a multiply link ÷ time of a logic link.
        ratio: f64,
    },
    /// The counter is too coarse or too unsteady to solve for its overhead.
    #[error("counter {counter} is too unsteady to be calibrated; choose another with --counter")]
    Unsteady { counter: &'static str },
}

/// A counter whose overhead, rate and relation to core cycles are known.
pub struct Clock {
    counter: Box<dyn Counter>,
    bracket_blocks: u32,
    probe_blocks: u32,
    calibration: Calibration,
}

impl Clock {
    /// Measures the step, rate and overhead of `counter`, and the latency of the bracketing chain.
    /// Takes about 10 ms, and up to a second if a neighbour disturbs the chains, because it retries
    /// after growing pauses.
    ///
    /// `megahertz` is the core clock stated by the user: the chain then only detects disturbed
    /// samples, and cycles are time × clock.
    ///
    /// # Errors
    /// [`CalibrationError`], if this machine's chains make no sense.
    pub fn calibrate(
        counter: Box<dyn Counter>,
        megahertz: Option<f64>,
    ) -> Result<Self, CalibrationError> {
        let mut tried = calibrate_once(counter.as_ref(), megahertz);
        for pause in PAUSES_IN_MILLISECONDS {
            if tried.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(pause));
            tried = calibrate_once(counter.as_ref(), megahertz);
        }
        Ok(Self::with_calibration(counter, tried?))
    }

    /// Creates a clock of `counter` from the calibration that another process of this machine made
    /// of the same counter; takes no time.
    pub fn with_calibration(counter: Box<dyn Counter>, calibration: Calibration) -> Self {
        let blocks = |operations: u64, per_block: u32| {
            u32::try_from(operations / u64::from(per_block)).unwrap_or(u32::MAX).max(1)
        };
        Self {
            counter,
            bracket_blocks: blocks(calibration.bracket_links, LINKS_PER_BLOCK),
            probe_blocks: blocks(
                calibration.probe_operations,
                CoreLoop::from(calibration.gate_loop).instructions_per_block(),
            ),
            calibration,
        }
    }

    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Makes probes run `gate_loop`, with this many cycles per instruction on a quiet core.
    pub fn gate_by(&mut self, gate_loop: GateLoop, cycles_per_operation: f64) {
        let Calibration { step_ticks, ticks_per_second, core_hertz, .. } = self.calibration;
        let per_block = CoreLoop::from(gate_loop).instructions_per_block();
        let cycles = cycles_per_operation * f64::from(per_block);
        let cycles_per_tick = core_hertz / ticks_per_second;
        self.probe_blocks = blocks_per_probe(step_ticks, ticks_per_second, cycles_per_tick, cycles);
        self.calibration.gate_loop = gate_loop;
        self.calibration.probe_operations = u64::from(self.probe_blocks) * u64::from(per_block);
    }

    /// Returns the underlying counter.
    pub fn counter(&self) -> &dyn Counter {
        self.counter.as_ref()
    }

    /// Times `work`, in ticks of the counter, overhead included.
    #[inline]
    pub fn time(&self, work: impl FnOnce()) -> u64 {
        time(self.counter.as_ref(), work)
    }

    /// Times one run of the bracketing chain, in ticks.
    #[inline]
    pub fn bracket(&self) -> u64 {
        self.time(|| {
            std::hint::black_box(Chain::Multiply.run(1, self.bracket_blocks));
        })
    }

    /// Times one run of the probe that judges samples, in ticks. It runs once untimed before, since
    /// other code may have evicted the loop from the caches.
    #[inline]
    pub fn probe(&self) -> u64 {
        let it = CoreLoop::from(self.calibration.gate_loop);
        it.run(1);
        self.time(|| it.run(self.probe_blocks))
    }
}

/// Makes one attempt at [`Clock::calibrate`].
fn calibrate_once(
    counter: &dyn Counter,
    megahertz: Option<f64>,
) -> Result<Calibration, CalibrationError> {
    let start = simultaneous(counter);
    let step = counter::step(counter);
    let bracket_blocks = blocks_per_bracket(counter, step);
    let solved = Chains::solve(counter, bracket_blocks);
    let end = simultaneous(counter);

    let Some(solved) = solved else {
        return Err(CalibrationError::Unsteady { counter: counter.name() });
    };
    let ratio = solved.ratio;
    let latency = ratio.round();
    let latency_is_whole = (ratio / latency - 1.0).abs() <= LATENCY_TOLERANCE
        && (f64::from(SHORTEST_LATENCY)..=f64::from(LONGEST_LATENCY)).contains(&latency);
    let ticks_per_second =
        end.1.wrapping_sub(start.1) as f64 * 1e9 / (end.0 - start.0).max(1) as f64;
    let cycles_per_tick = latency.max(1.0) / solved.multiply_link;
    let chain_hertz = latency_is_whole.then_some(cycles_per_tick * ticks_per_second);
    let cycles_per_block = CYCLES_PER_PROBE_OPERATION * f64::from(OPERATIONS_PER_BLOCK);
    let probe_blocks = blocks_per_probe(step, ticks_per_second, cycles_per_tick, cycles_per_block);
    let (cycle_source, core_hertz) = match (megahertz, counter.unit(), chain_hertz) {
        (Some(megahertz), ..) => (CycleSource::StatedClock { megahertz }, megahertz * 1e6),
        (None, Unit::CoreCycles, _) => (CycleSource::Counted, ticks_per_second),
        (None, Unit::ConstantRate, Some(hertz)) => (CycleSource::Chain, hertz),
        (None, Unit::ConstantRate, None) => {
            return Err(CalibrationError::ChainsDisagree { ratio });
        }
    };
    Ok(Calibration {
        counter: counter.name().to_owned(),
        version: counter.version().map(str::to_owned),
        cycle_source,
        ticks_per_second,
        step_ticks: step,
        overhead_ticks: solved.overhead,
        bracket_links: u64::from(bracket_blocks) * u64::from(LINKS_PER_BLOCK),
        gate_loop: GateLoop::Chains,
        probe_operations: u64::from(probe_blocks) * u64::from(OPERATIONS_PER_BLOCK),
        multiply_latency: latency_is_whole.then_some(latency as u32),
        chain_ratio: ratio,
        core_hertz,
        chain_hertz,
    })
}

/// Returns nanoseconds and ticks at the same moment: of several attempts, the one with the least
/// time between its reads.
fn simultaneous(counter: &dyn Counter) -> (u64, u64) {
    const TRIES: usize = 16;
    let try_once = |_| {
        let before = monotonic_nanoseconds();
        let ticks = counter.read();
        let after = monotonic_nanoseconds();
        (after.wrapping_sub(before), before, ticks)
    };
    let (apart, before, ticks) = (0..TRIES).map(try_once).min().unwrap_or_default();
    (before + apart / 2, ticks)
}

#[inline(always)]
fn time(counter: &dyn Counter, work: impl FnOnce()) -> u64 {
    let start = counter.read();
    work();
    counter.read().wrapping_sub(start)
}

fn time_chain(counter: &dyn Counter, chain: Chain, blocks: u32) -> f64 {
    time(counter, || {
        std::hint::black_box(chain.run(1, blocks));
    }) as f64
}

/// Returns the number of multiply blocks that last long compared with the counter's step.
fn blocks_per_bracket(counter: &dyn Counter, step: u64) -> u32 {
    const TRIAL_BLOCKS: u32 = 128;
    const TRIALS: usize = 50;
    let mut fastest = (u64::MAX, u64::MAX);
    for _ in 0..TRIALS {
        let start = monotonic_nanoseconds();
        let ticks = time_chain(counter, Chain::Multiply, TRIAL_BLOCKS) as u64;
        let elapsed = monotonic_nanoseconds() - start;
        fastest = (fastest.0.min(ticks), fastest.1.min(elapsed));
    }
    let nanoseconds = fastest.1.max(1) as f64;
    let nanoseconds_per_tick = nanoseconds / fastest.0.max(1) as f64;
    let wanted = (STEPS_PER_BRACKET * step as f64 * nanoseconds_per_tick)
        .clamp(SHORTEST_BRACKET_NANOSECONDS, LONGEST_BRACKET_NANOSECONDS);
    ((f64::from(TRIAL_BLOCKS) * wanted / nanoseconds) as u32).max(SHORT_CHAINS[1])
}

/// Returns the number of probe blocks that last long compared with the counter's step. Uses the
/// chain, since a neighbour slows the probe itself.
fn blocks_per_probe(
    step: u64,
    ticks_per_second: f64,
    cycles_per_tick: f64,
    cycles_per_block: f64,
) -> u32 {
    let nanoseconds_per_tick = 1e9 / ticks_per_second;
    let nanoseconds = (STEPS_PER_PROBE * step as f64 * nanoseconds_per_tick)
        .clamp(SHORTEST_PROBE_NANOSECONDS, LONGEST_PROBE_NANOSECONDS);
    let cycles = nanoseconds / nanoseconds_per_tick * cycles_per_tick;
    ((cycles / cycles_per_block) as u32).max(1)
}

/// The results of chains of different length and kind.
struct Chains {
    /// Ticks of an empty timed section.
    overhead: f64,
    /// Ticks per link of the multiply chain.
    multiply_link: f64,
    /// Time of a multiply link ÷ time of a logic link.
    ratio: f64,
}

impl Chains {
    /// Solves for the overhead with short chains, which a changing clock hardly affects, and for
    /// the rest with chains as long as a bracket. The interquartile mean over all repetitions
    /// removes interrupted ones and averages over the counter's steps; the ratio is the quantile
    /// [`BELIEVED_RATIO`].
    fn solve(counter: &dyn Counter, bracket_blocks: u32) -> Option<Self> {
        let [few, many] = SHORT_CHAINS.map(f64::from);
        let mut overheads = Vec::with_capacity(REPETITIONS);
        let mut multiplies = Vec::with_capacity(REPETITIONS);
        let mut ratios = Vec::with_capacity(REPETITIONS);
        for _ in 0..REPETITIONS {
            let [short, longer] =
                SHORT_CHAINS.map(|blocks| time_chain(counter, Chain::Multiply, blocks));
            overheads.push(short - (longer - short) / (many - few) * few);
        }
        let overhead = cpb_stats::midmean_of(&overheads)?;
        for _ in 0..REPETITIONS {
            let multiply = time_chain(counter, Chain::Multiply, bracket_blocks) - overhead;
            let logic = time_chain(counter, Chain::Logic, bracket_blocks) - overhead;
            multiplies.push(multiply / f64::from(bracket_blocks * LINKS_PER_BLOCK));
            ratios.push(multiply / logic);
        }
        let multiply_link = cpb_stats::midmean_of(&multiplies)?;
        let ratio = cpb_stats::quantile_of(&ratios, BELIEVED_RATIO)?;
        let plausible = multiply_link > 0.0 && ratio.is_finite() && ratio > 0.0;
        plausible.then_some(Self { overhead, multiply_link, ratio })
    }
}
