//! A zoo of CPUs beside neighbours of many kinds: what the engine learns of quiet on each.

mod cpus;
mod neighbours;

use super::core::{Core, Execution};
use super::noise::Noise;
use crate::quiet::decision::Learned;
use crate::quiet::learn::learn;
use crate::sampling::timer::Timer;
use cpb_clock::CoreLoop;
use cpb_clock::probe::Probe;
use cpb_clock::window::Filler;
use cpb_model::Certainty;
use cpus::Specimen;
use fastrand::Rng;
use neighbours::{Presence, Work};
use std::collections::BTreeMap;
use std::time::Duration;

/// Machines; `CPB_SIMULATIONS` asks for another number.
const MACHINES: u64 = 200;
/// The time to learn in that runs have.
const LEARNING: Duration = Duration::from_millis(1200);
/// How far a line may be from what the gate's loop takes on a quiet core.
const NEAR: f64 = 0.02;

struct Machine {
    specimen: Specimen,
    presence: Presence,
    work: Work,
    noise: Noise,
}

/// What is true of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// Its core is quiet for 1 % of the time at least.
    Quiet,
    /// A neighbour is always there, and takes 1 % of something at least.
    Busy,
    /// One is always there, and takes less.
    Untouched,
}

/// What was learned of a machine, and after how many seconds.
struct Visit {
    machine: Machine,
    learned: Learned,
    seconds: f64,
}

impl Machine {
    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let specimen =
            if random.bool() { cpus::known(&mut random) } else { cpus::any(&mut random) };
        let (presence, work, noise) = neighbours::noise(&mut random, &specimen);
        Self { specimen, presence, work, noise }
    }

    /// Cycles of a block of a loop.
    fn block(&self, it: CoreLoop, taken: f64) -> f64 {
        self.specimen.cpu.block(it, &self.noise.neighbour, taken)
    }

    fn truth(&self) -> Truth {
        let least = match self.presence {
            Presence::Resting => self.noise.least_load,
            Presence::Changing | Presence::Constant => self.noise.load.0,
            _ => return Truth::Quiet,
        };
        let units = Probe::ALL.map(CoreLoop::Unit).into_iter();
        let windows = Filler::ALL
            .into_iter()
            .flat_map(|filler| filler.sizes().map(move |size| CoreLoop::Window(filler, size)));
        let is_slower = |it: CoreLoop| self.block(it, least) > 1.01 * self.block(it, 0.0);
        if units.chain(windows).any(is_slower) { Truth::Busy } else { Truth::Untouched }
    }

    fn visit(self, seed: u64) -> Visit {
        let execution = Execution::new(self.specimen.cpu, self.noise, seed);
        let mut core = Core::new(execution);
        let lesson = learn(&mut core, &self.specimen.known, LEARNING, &mut || false);
        let seconds = core.now().as_secs_f64();
        Visit { machine: self, learned: lesson.learned, seconds }
    }
}

impl Visit {
    fn is_sure(&self) -> bool {
        self.learned.certainty >= Certainty::Likely
    }

    /// Whether the line is another than that of a quiet core.
    fn is_off(&self) -> bool {
        let it = CoreLoop::from(self.learned.gate_loop);
        let quiet = self.machine.block(it, 0.0) / f64::from(it.instructions_per_block());
        self.learned.line.is_some_and(|line| (line / quiet - 1.0).abs() > NEAR)
    }
}

/// Visits machines on every CPU there is.
fn visit(machines: u64) -> Vec<Visit> {
    let threads = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    let share = |thread| (thread..machines).step_by(threads as usize);
    std::thread::scope(|scope| {
        let visits = |thread| share(thread).map(|seed| Machine::new(seed).visit(seed)).collect();
        let threads: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || -> Vec<Visit> { visits(thread) }))
            .collect();
        threads.into_iter().flat_map(|it| it.join().expect("no visit fails")).collect()
    })
}

/// A line of the table: what was said of machines of a kind.
#[derive(Default)]
struct Line {
    certain: u32,
    likely: u32,
    unknown: u32,
    without_line: u32,
    busy: u32,
    /// Of those said to be certain or likely: a busy core, or another line than a quiet core's.
    wrong: u32,
    /// Seconds until it was certain or likely.
    seconds: Vec<f64>,
}

fn print_table(visits: &[Visit]) {
    let mut lines: BTreeMap<_, Line> = BTreeMap::new();
    for visit in visits {
        let Machine { specimen, presence, work, .. } = &visit.machine;
        let truth = visit.machine.truth();
        let line = lines.entry((!specimen.is_known, *presence, *work, truth as u8)).or_default();
        match visit.learned.certainty {
            Certainty::Certain => line.certain += 1,
            Certainty::Likely => line.likely += 1,
            Certainty::Unknown if visit.learned.line.is_some() => line.unknown += 1,
            Certainty::Unknown => line.without_line += 1,
            Certainty::Busy => line.busy += 1,
        }
        if visit.is_sure() {
            line.wrong += u32::from(truth == Truth::Busy || visit.is_off());
            line.seconds.push(visit.seconds);
        }
    }
    println!("{:44} certain likely unknown no-line busy  wrong  median longest", "");
    for ((is_any, presence, work, truth), mut line) in lines {
        line.seconds.sort_by(f64::total_cmp);
        let cpu = if is_any { "any CPU" } else { "known" };
        let truth = ["quiet", "busy", "untouched"][usize::from(truth)];
        println!(
            "{:44} {:7} {:6} {:7} {:7} {:4}  {:5}  {:6.2} {:7.2}",
            format!("{cpu:8} {presence:9?} {work:12?} {truth}"),
            line.certain,
            line.likely,
            line.unknown,
            line.without_line,
            line.busy,
            line.wrong,
            line.seconds.get(line.seconds.len() / 2).unwrap_or(&f64::NAN),
            line.seconds.last().unwrap_or(&f64::NAN),
        );
    }
}

#[test]
fn quiet_is_told_from_busy_on_every_cpu() {
    let asked = std::env::var("CPB_SIMULATIONS").ok().and_then(|it| it.parse().ok());
    let visits = visit(asked.unwrap_or(MACHINES));
    print_table(&visits);
    for visit in &visits {
        let Visit { machine, learned, seconds } = visit;
        if std::env::var("ZOO_SHOW").is_ok()
            && (visit.is_sure() && (machine.truth() == Truth::Busy || visit.is_off())
                || (machine.truth() == Truth::Quiet && learned.certainty == Certainty::Busy))
        {
            println!(
                "{} {:?} {:?} {:?} {learned:?} {seconds:.2} {:?} {:?}",
                machine.specimen.name,
                machine.presence,
                machine.work,
                machine.truth(),
                machine.specimen.cpu,
                machine.noise
            );
        }
    }
}
