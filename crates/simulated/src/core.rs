//! Simulates a core that executes cycles, with a timer on it.

use super::cpu::SimulatedCpu;
use super::noise::{Noise, Stretches, log_uniform};
use cpb_clock::CoreLoop;
use cpb_figures::testing::calibration;
use cpb_libraries::{NoMemory, Prepared};
use cpb_model::{Calibration, CycleSource, GateLoop};
use cpb_sampler::Timer;
use fastrand::Rng;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// The interval between changes of the clock, in seconds.
const CLOCK_STEP: f64 = 20e-3;
/// The time to evict everything from the caches, in seconds.
const EVICTION: f64 = 0.1;
/// The target duration of a probe, in cycles.
const PROBE: f64 = 8000.0;
/// The cycles from one read of the counter to the next.
const READ: f64 = 400.0;

/// The machine's time, with everything that happens over it.
pub struct Execution {
    cpu: SimulatedCpu,
    noise: Noise,
    random: Rng,
    /// The current time in seconds.
    now: f64,
    on: usize,
    stretches: Vec<Stretches>,
    hertz: f64,
    next_clock_step: f64,
    next_interruption: f64,
    /// Seconds of execution, and those without a neighbour.
    executed: f64,
    quiet: f64,
    /// Whether caches are cold because the CPU changed.
    is_cold: bool,
}

impl Execution {
    pub fn new(cpu: SimulatedCpu, noise: Noise, seed: u64) -> Rc<RefCell<Self>> {
        let mut random = Rng::with_seed(seed);
        let stretches = (0..noise.cpus).map(|_| Stretches::new(&noise, random.u64(..)));
        Rc::new(RefCell::new(Self {
            cpu,
            noise,
            stretches: stretches.collect(),
            random,
            now: 0.0,
            on: 0,
            hertz: noise.hertz.1,
            next_clock_step: CLOCK_STEP,
            next_interruption: 0.0,
            executed: 0.0,
            quiet: 0.0,
            is_cold: false,
        }))
    }

    pub fn now(&self) -> Duration {
        Duration::from_secs_f64(self.now)
    }

    /// Returns the share of execution time without a neighbour.
    #[must_use]
    pub fn quiet_share(&self) -> f64 {
        self.quiet / self.executed
    }

    /// Lets time pass.
    pub fn idle(&mut self, seconds: f64) {
        self.now += seconds;
    }

    pub fn random(&mut self) -> &mut Rng {
        &mut self.random
    }

    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Executes `cycles` of code, which a neighbour slows down `susceptibility` times as much as
    /// additions.
    fn execute(&mut self, cycles: f64, susceptibility: f64) {
        self.execute_by(|taken| cycles * (1.0 + susceptibility * taken));
    }

    /// Executes `blocks` blocks of a loop.
    fn execute_loop(&mut self, it: CoreLoop, blocks: u32) {
        let (cpu, neighbour) = (self.cpu, self.noise.neighbour);
        let times = f64::from(blocks) * (1.0 + cpu.jitter * (2.0 * self.random.f64() - 1.0));
        self.execute_by(|taken| times * cpu.block(it, &neighbour, taken));
    }

    /// Executes code whose cycles depend on the neighbour's load.
    fn execute_by(&mut self, cycles: impl Fn(f64) -> f64) {
        let mut left = if self.is_cold { 1.3 } else { 1.0 };
        self.is_cold = false;
        loop {
            self.catch_up();
            let stretch = &self.stretches[self.on];
            let rate = self.hertz / cycles(stretch.taken);
            let until = stretch.until.min(self.next_clock_step).min(self.next_interruption);
            let seconds = (left / rate).min(until - self.now);
            self.executed += seconds;
            self.quiet += if stretch.taken == 0.0 { seconds } else { 0.0 };
            if seconds == left / rate {
                self.now += seconds;
                return;
            }
            left -= seconds * rate;
            self.now = until;
        }
    }

    /// Applies all events that are due.
    fn catch_up(&mut self) {
        if self.now >= self.next_interruption {
            let mean = 1.0 / self.noise.interruptions;
            if self.next_interruption > 0.0 {
                self.now += log_uniform(&mut self.random, (3e-6, 3e-3));
            }
            self.next_interruption = self.now - mean * (1.0 - self.random.f64()).ln();
        }
        if self.now >= self.next_clock_step {
            let (low, high) = self.noise.hertz;
            self.hertz = low + (high - low) * self.random.f64();
            self.next_clock_step = self.now + CLOCK_STEP;
        }
        self.stretches[self.on].reach(self.now);
    }

    fn read(&self, calibration: &Calibration) -> u64 {
        let ticks = (self.now * calibration.ticks_per_second) as u64;
        ticks / calibration.step_ticks * calibration.step_ticks
    }

    fn go(&mut self, cpu: usize) {
        self.idle(30e-6);
        self.is_cold = cpu != self.on;
        self.on = cpu;
    }
}

/// A timer on the machine.
pub struct Core {
    execution: Rc<RefCell<Execution>>,
    calibration: Calibration,
}

impl Core {
    pub fn new(execution: Rc<RefCell<Execution>>) -> Self {
        let calibration = calibration(execution.borrow().noise.step_ticks);
        Self { execution, calibration }
    }

    /// Derives cycles from time, by a clock of `megahertz`.
    pub fn state_clock(&mut self, megahertz: f64) {
        self.calibration.cycle_source = CycleSource::StatedClock { megahertz };
        self.calibration.core_hertz = megahertz * 1e6;
    }

    /// Reads the counter before work; half of the overhead comes before it.
    fn begin(&self, execution: &mut Execution) -> u64 {
        execution.idle(self.overhead() / 2.0);
        execution.read(&self.calibration)
    }

    /// Reads the counter after work.
    fn end(&self, execution: &mut Execution) -> u64 {
        execution.idle(self.overhead());
        execution.read(&self.calibration)
    }

    fn overhead(&self) -> f64 {
        self.calibration.overhead_ticks / self.calibration.ticks_per_second
    }

    fn timed(&self, work: impl FnOnce(&mut Execution)) -> u64 {
        let execution = &mut self.execution.borrow_mut();
        let before = self.begin(execution);
        work(execution);
        self.end(execution) - before
    }
}

impl Timer for Core {
    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn time(&mut self, work: &mut dyn FnMut()) -> u64 {
        let before = self.begin(&mut self.execution.borrow_mut());
        work();
        self.end(&mut self.execution.borrow_mut()) - before
    }

    fn bracket(&mut self) -> u64 {
        let cycles = self.calibration.bracket_links as f64 * 3.0;
        self.timed(|execution| execution.execute(cycles, 0.0))
    }

    fn probe(&mut self) -> u64 {
        let it = CoreLoop::from(self.calibration.gate_loop);
        let operations = self.calibration.probe_operations;
        let per_block = u64::from(it.instructions_per_block());
        self.core_loop(it, u32::try_from(operations / per_block).expect("a short probe"))
    }

    fn core_loop(&mut self, it: CoreLoop, blocks: u32) -> u64 {
        self.timed(|execution| execution.execute_loop(it, blocks))
    }

    fn read(&mut self, times: usize, tell: &mut dyn FnMut(u64)) -> u64 {
        let mut execution = self.execution.borrow_mut();
        let first = execution.read(&self.calibration);
        let mut last = first;
        for _ in 0..times {
            execution.execute(READ, 0.0);
            let now = execution.read(&self.calibration);
            tell(now - last);
            last = now;
        }
        last - first
    }

    fn gate_by(&mut self, gate_loop: GateLoop, cycles_per_operation: f64) {
        let per_block = CoreLoop::from(gate_loop).instructions_per_block();
        let blocks = (PROBE / (cycles_per_operation * f64::from(per_block))).ceil();
        self.calibration.gate_loop = gate_loop;
        self.calibration.probe_operations = blocks as u64 * u64::from(per_block);
    }

    fn now(&self) -> Duration {
        self.execution.borrow().now()
    }

    fn cpu(&self) -> Option<usize> {
        Some(self.execution.borrow().on)
    }

    fn move_to(&mut self, cpu: usize) {
        let mut execution = self.execution.borrow_mut();
        if cpu != execution.on && cpu < execution.stretches.len() {
            execution.go(cpu);
        }
    }

    fn move_on(&mut self) -> bool {
        let mut execution = self.execution.borrow_mut();
        let cpus = execution.stretches.len();
        let next = (execution.on + 1) % cpus;
        execution.go(next);
        cpus > 1
    }

    fn evict(&mut self) -> Result<(), NoMemory> {
        self.execution.borrow_mut().idle(EVICTION);
        Ok(())
    }
}

/// Code of known cost, in one process.
pub struct Work {
    pub execution: Rc<RefCell<Execution>>,
    /// Cycles per call in this process.
    pub cycles: f64,
    /// The slowdown by a neighbour relative to that of additions.
    pub susceptibility: f64,
}

impl Prepared for Work {
    fn run(&mut self, calls: u64) {
        let cycles = self.cycles * calls as f64;
        self.execution.borrow_mut().execute(cycles, self.susceptibility);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
}
