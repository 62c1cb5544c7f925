//! Defines what the timed loop runs on: this machine, or a simulated one.

use crate::eviction::Eviction;
use cpb_clock::counter::Events;
use cpb_clock::{Clock, CoreLoop};
use cpb_libraries::NoMemory;
use cpb_model::{Calibration, EventCounts, GateLoop};
use std::time::{Duration, Instant};

/// Times code on a core, and may move to another core.
pub trait Timer {
    /// Returns the calibration, which converts ticks to core cycles.
    fn calibration(&self) -> &Calibration;

    /// Times `work`, in ticks, overhead included.
    fn time(&mut self, work: &mut dyn FnMut()) -> u64;

    /// Times one run of the bracketing chain, in ticks.
    fn bracket(&mut self) -> u64;

    /// Times one run of the gate's loop, in ticks.
    fn probe(&mut self) -> u64;

    /// Times `blocks` blocks of a loop, in ticks.
    fn core_loop(&mut self, it: CoreLoop, blocks: u32) -> u64;

    /// Reads the counter so many times, and tells the ticks from each read to the next; returns the
    /// ticks from the first to the last.
    fn read(&mut self, times: usize, tell: &mut dyn FnMut(u64)) -> u64;

    /// Makes probes run `gate_loop`, of which an instruction takes this number of cycles on a quiet
    /// core.
    fn gate_by(&mut self, gate_loop: GateLoop, cycles_per_operation: f64);

    /// Returns the time since some fixed moment.
    fn now(&self) -> Duration;

    /// Returns the number of this CPU, if it is known.
    fn cpu(&self) -> Option<usize>;

    /// Moves to `cpu`, if that is one of those allowed.
    fn move_to(&mut self, cpu: usize);

    /// Moves to the next allowed CPU; returns `false` if there is none.
    fn move_on(&mut self) -> bool;

    /// Counts the core's events during `work` besides cycles; the error says why it cannot.
    fn count(&mut self, _work: &mut dyn FnMut()) -> Result<EventCounts, String> {
        Err("a core that is simulated counts nothing".to_owned())
    }

    /// Evicts from the caches what calls left there, if there are any.
    fn evict(&mut self) -> Result<(), NoMemory> {
        Ok(())
    }
}

/// This machine.
pub struct Hardware {
    clock: Clock,
    /// The allowed CPUs, the current one first; empty if they are unknown.
    cpus: Vec<usize>,
    start: Instant,
    /// Made when it is first needed.
    eviction: Option<Eviction>,
    /// Opened when they are first needed.
    events: Option<Result<Events, String>>,
}

impl Hardware {
    /// Runs on the first of `cpus`, to which this thread is pinned already.
    pub fn new(clock: Clock, cpus: Vec<usize>) -> Self {
        Self { clock, cpus, start: Instant::now(), eviction: None, events: None }
    }

    /// Moves to the CPU at `index`, and puts it first. If it is no longer allowed, nothing
    /// changes.
    fn go(&mut self, index: usize) -> bool {
        let moved = self.cpus.get(index).is_some_and(|&cpu| cpb_host::move_to(cpu).is_ok());
        if moved {
            self.cpus.rotate_left(index);
        }
        moved
    }
}

impl Timer for Hardware {
    fn calibration(&self) -> &Calibration {
        self.clock.calibration()
    }

    fn time(&mut self, work: &mut dyn FnMut()) -> u64 {
        self.clock.time(work)
    }

    fn bracket(&mut self) -> u64 {
        self.clock.bracket()
    }

    fn probe(&mut self) -> u64 {
        self.clock.probe()
    }

    fn core_loop(&mut self, it: CoreLoop, blocks: u32) -> u64 {
        self.clock.time(|| it.run(blocks))
    }

    fn read(&mut self, times: usize, tell: &mut dyn FnMut(u64)) -> u64 {
        let first = self.clock.counter().read();
        let mut last = first;
        for _ in 0..times {
            let now = self.clock.counter().read();
            tell(now.wrapping_sub(last));
            last = now;
        }
        last.wrapping_sub(first)
    }

    fn gate_by(&mut self, gate_loop: GateLoop, cycles_per_operation: f64) {
        self.clock.gate_by(gate_loop, cycles_per_operation);
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn cpu(&self) -> Option<usize> {
        self.cpus.first().copied()
    }

    fn move_to(&mut self, cpu: usize) {
        if let Some(index) = self.cpus.iter().position(|&it| it == cpu)
            && index != 0
        {
            self.go(index);
        }
    }

    fn move_on(&mut self) -> bool {
        self.cpus.len() > 1 && self.go(1)
    }

    fn count(&mut self, work: &mut dyn FnMut()) -> Result<EventCounts, String> {
        let open = || Events::open().map_err(|reason| reason.to_string());
        let events = self.events.get_or_insert_with(open).as_ref().map_err(String::clone)?;
        events.count(work).ok_or_else(|| "other uses of the counters came between".to_owned())
    }

    fn evict(&mut self) -> Result<(), NoMemory> {
        let eviction = match self.eviction.take() {
            Some(eviction) => eviction,
            None => Eviction::new()?,
        };
        self.eviction.insert(eviction).walk();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_clock::counter;

    #[test]
    fn a_worker_goes_from_cpu_to_cpu() {
        let cpus = cpb_host::allowed_cpus();
        // This needs a thread of its own, because it stays pinned.
        let visited = std::thread::spawn(move || {
            let counter = counter::open_best().expect("a clock");
            let clock = Clock::calibrate(counter, Some(4000.0)).expect("a stated clock");
            cpb_host::pin_to(cpus[0]).expect("it is allowed");
            let mut hardware = Hardware::new(clock, cpus.clone());
            let mut visited = Vec::new();
            for _ in 0..=cpus.len() {
                visited.push((hardware.cpu(), cpb_host::allowed_cpus()));
                assert_eq!(hardware.move_on(), cpus.len() > 1);
            }
            hardware.move_to(cpus[0]);
            visited.push((hardware.cpu(), cpb_host::allowed_cpus()));
            (cpus, visited)
        });
        let (cpus, visited) = visited.join().expect("no panic");
        let expected = cpus.iter().copied().cycle().take(cpus.len() + 1).chain([cpus[0]]);
        for (cpu, (named, allowed)) in expected.zip(visited) {
            assert_eq!((named, allowed), (Some(cpu), vec![cpu]));
        }
    }
}
