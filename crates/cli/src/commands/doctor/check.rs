//! Checks the decision about quiet on this machine, against a second process, another probe, and
//! our own load on another CPU.

use cpb_clock::CoreLoop;
use cpb_clock::chain::Chain;
use cpb_clock::probe::{OPERATIONS_PER_BLOCK, Probe};
use cpb_engine::{Plan, Timer, is_simulated, learn_quiet, timer};
use cpb_figures::{QuietCriterion, agree, cycles_per_operation};
use cpb_model::{Calibration, Quiet};
use cpb_stats::{Histogram, median_of};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The number and duration of phases of our own load. Readings keep a distance from their ends,
/// because a hypervisor may poll for a tenth of a millisecond before it halts a CPU.
const PHASES: usize = 40;
const PHASE: Duration = Duration::from_millis(10);
const SETTLES: Duration = Duration::from_millis(1);
/// At this multiple of its quiet level, the probe's loop ran beside a neighbour.
const SLOW: f64 = 1.2;
/// Blocks of the independent probe: about 2 µs.
const BLOCKS: u32 = 80;
/// The tolerance of the independent probe.
const NEAR: f64 = 0.02;

/// The result of the check.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Check {
    /// What a second process learned while our load came and went.
    pub(super) second: Option<Quiet>,
    /// The share of quiet without our load: by the criterion, and by the rate of integer
    /// instructions, which is independent of window loops. `None` if the latter shows no level.
    pub(super) shares: Option<[f64; 2]>,
    /// The other CPU, and whether load on it slows this one, which makes it the core's other
    /// thread.
    pub(super) other: Option<(usize, bool)>,
}

/// Checks on the first CPU of `plan`, with load on another of the `allowed` ones. `None` if there
/// is no clock.
pub(super) fn check(
    plan: &Plan,
    allowed: &[usize],
    calibration: &Calibration,
    quiet: Quiet,
) -> Option<Check> {
    let cpu = plan.cpus.first().copied();
    // Nothing could tell a simulated machine of our load.
    let other = allowed.iter().copied().rfind(|it| Some(*it) != cpu).filter(|_| !is_simulated());
    let load = other.and_then(Load::on);
    // What is remembered would be confirmed by itself.
    let anew = Plan { memory: plan.memory.clone().without_file(), ..plan.clone() };
    let second = std::thread::scope(|scope| {
        let (ends, end) = channel::<()>();
        let pulses = || {
            let ended = end;
            while ended.recv_timeout(2 * PHASE) == Err(RecvTimeoutError::Timeout) {
                load.iter().for_each(|load| load.work(PHASE));
            }
        };
        let pulses = std::thread::Builder::new().spawn_scoped(scope, pulses);
        let second = learn_quiet(&anew);
        drop((ends, pulses));
        second
    });
    let other = other.zip(load);
    let watching = std::thread::Builder::new();
    // Pinned in a thread of its own, so that pinning ends with it.
    std::thread::scope(|scope| {
        let watch = || watch(other.as_ref(), plan, calibration, quiet);
        let (shares, slows) = watching.spawn_scoped(scope, watch).ok()?.join().ok()??;
        let other = other.as_ref().map(|(other, _)| (*other, slows));
        Some(Check { second, shares, other })
    })
}

/// Reads both probes in turn while the load comes and goes.
fn watch(
    other: Option<&(usize, Load)>,
    plan: &Plan,
    calibration: &Calibration,
    quiet: Quiet,
) -> Option<(Option<[f64; 2]>, bool)> {
    let line = quiet.cycles_per_operation?;
    let mut timer = timer(plan, calibration)?;
    timer.gate_by(quiet.gate_loop, line);
    let [mut idle, mut loaded] = [Readings::default(), Readings::default()];
    for phase in 0..PHASES {
        let works = phase % 2 == 1;
        let readings = if works { &mut loaded } else { &mut idle };
        if let Some((_, load)) = other.filter(|_| works) {
            load.work(PHASE + 2 * SETTLES);
        }
        std::thread::sleep(SETTLES);
        readings.take(timer.as_mut(), QuietCriterion::of(quiet));
        std::thread::sleep(2 * SETTLES);
    }
    let is_slow = |gate: &[f64]| median_of(gate).is_some_and(|gate| gate >= SLOW * line);
    Some((idle.shares(quiet), is_slow(&loaded.gate) && !is_slow(&idle.gate)))
}

/// A thread on another CPU that works on request, and halts in between.
struct Load {
    times: Sender<Duration>,
    thread: Option<JoinHandle<()>>,
}

impl Load {
    fn on(cpu: usize) -> Option<Self> {
        let (times, orders): (_, Receiver<Duration>) = channel();
        let work = move || {
            if cpb_host::pin_to(cpu).is_err() {
                return;
            }
            for time in orders {
                let end = Instant::now() + time;
                while Instant::now() < end {
                    std::hint::black_box(Chain::Multiply.run(1, 100));
                }
            }
        };
        let thread = std::thread::Builder::new().spawn(work).ok()?;
        Some(Self { times, thread: Some(thread) })
    }

    /// Lets it work for `time`. A thread that could not be pinned has ended, and works nowhere.
    fn work(&self, time: Duration) {
        let _ = self.times.send(time);
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.times = channel().0;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The readings of both probes.
#[derive(Debug, Default)]
struct Readings {
    /// Cycles per instruction of the probe's loop, and of the integer loop.
    gate: Vec<f64>,
    integers: Vec<f64>,
    /// How often the criterion said quiet.
    quiet: usize,
}

impl Readings {
    fn take(&mut self, timer: &mut dyn Timer, gate: QuietCriterion) {
        let end = timer.now() + PHASE;
        let calibration = timer.calibration().clone();
        let of_integers = Calibration {
            probe_operations: u64::from(BLOCKS * OPERATIONS_PER_BLOCK),
            ..calibration.clone()
        };
        let mut before = timer.bracket();
        while timer.now() < end {
            let probe = timer.probe();
            let integers = timer.core_loop(CoreLoop::Unit(Probe::Integers), BLOCKS);
            let after = timer.bracket();
            let brackets = (before, after);
            before = after;
            let both = cycles_per_operation(&calibration, probe, brackets)
                .zip(cycles_per_operation(&of_integers, integers, brackets));
            if let Some((cycles, integers)) = both.filter(|_| agree(&calibration, brackets)) {
                self.gate.push(cycles);
                self.integers.push(integers);
                self.quiet += usize::from(gate.is_quiet(&calibration, probe, brackets));
            }
        }
    }

    /// Returns the shares of quiet by either probe. The independent one is compared with what a
    /// process of its own learned about its loop, or else with its lowest level, except for
    /// readings during which the clock moved and which look too fast. `None` if there is neither.
    fn shares(&self, quiet: Quiet) -> Option<[f64; 2]> {
        let mut histogram = Histogram::default();
        self.integers.iter().for_each(|&cycles| histogram.add(cycles));
        let learned = quiet.core.map(|core| core.integers).filter(|rate| *rate > 0.0);
        let lowest = || histogram.lowest_line().map(|line| line.centre);
        let line = learned.map(|rate| 1.0 / rate).or_else(lowest)?;
        let near = self.integers.iter().filter(|&&cycles| (cycles / line - 1.0).abs() <= NEAR);
        let all = self.integers.len() as f64;
        Some([self.quiet as f64 / all, near.count() as f64 / all])
    }
}
