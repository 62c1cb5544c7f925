//! Follows a process from block to block.

use super::architecture::{BREAKPOINT, Registers};
use super::code::{Block, Code};
use super::data::Lines;
use super::effects::{End, Memory};
use super::memory::{Allocators, Heap, Stack};
use super::process::{Process, Stop};
use crate::{Limits, NotTraced};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

const BREAKPOINT_BYTES: u64 = BREAKPOINT.len() as u64;

/// A followed process.
pub(crate) struct Follower {
    process: Process,
    registers: Registers,
    code: Code,
    /// The original bytes at breakpoints, by address.
    breakpoints: BTreeMap<u64, [u8; BREAKPOINT.len()]>,
    allocators: Allocators,
}

/// The record of what was executed between two marks.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// How often each block was executed, by its start address.
    pub(crate) blocks: HashMap<u64, u64>,
    /// How often each call and each indirect jump was taken, by the addresses of the instruction
    /// and of its target.
    pub(crate) ways: HashMap<(u64, u64), u64>,
    /// How often each system call was made, by its number.
    pub(crate) system_calls: BTreeMap<u64, u64>,
    /// The stack used below the mark, in bytes; `None` if another stack was used in between.
    pub(crate) stack: Option<u64>,
    /// The cache lines that it read.
    pub(crate) lines: Lines,
    /// Whether it exceeded the limits.
    pub(crate) is_cut: bool,
}

impl Follower {
    /// Waits until `process`, which is running, reaches a mark. The C library's functions for
    /// memory are at `allocators`.
    pub(crate) fn at_mark(process: Process, allocators: Allocators) -> Result<Self, NotTraced> {
        let registers = to_mark(&process, process.stopped()?)?;
        let (code, breakpoints) = (Code::default(), BTreeMap::new());
        Ok(Self { process, registers, code, breakpoints, allocators })
    }

    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Returns whether the C library's functions for memory were found.
    pub(crate) fn knows_heap(&self) -> bool {
        !self.allocators.is_empty()
    }

    /// Runs to the next mark or breakpoint.
    pub(crate) fn run_to_mark(&mut self) -> Result<(), NotTraced> {
        self.process.set_registers(self.registers)?;
        self.registers = to_mark(&self.process, self.process.run(None)?)?;
        Ok(())
    }

    /// Follows from the current mark to the next, and counts allocations on the `heap`.
    pub(crate) fn follow(
        &mut self,
        limits: Limits,
        heap: &mut Heap,
    ) -> Result<Followed, NotTraced> {
        let end = Instant::now() + limits.time;
        let mut followed = Followed::default();
        followed.lines.is_part = !limits.reads_data;
        let mut stack = Stack::from(self.registers.stack_pointer());
        let mut instructions = 0;
        loop {
            let start = self.registers.program_counter();
            let block = self.block(start)?;
            *followed.blocks.entry(start).or_default() += 1;
            instructions += block.instructions.len() as u64;
            stack.reaches(self.registers.stack_pointer().wrapping_sub(block.pushes));
            if limits.reads_data && !followed.lines.is_part {
                self.read(&block, &mut followed.lines)?;
            }
            self.run_to_last(&block)?;
            stack.reaches(self.registers.stack_pointer());
            if block.end == End::Mark {
                break;
            }
            self.leave(&block, &mut followed)?;
            heap.follow(&self.registers, &self.allocators, &self.process)?;
            if instructions >= limits.instructions || Instant::now() >= end {
                followed.is_cut = true;
                break;
            }
        }
        self.remove_breakpoints()?;
        followed.stack = stack.depth();
        Ok(followed)
    }

    /// Runs to the next mark at full speed, except that it stops where memory is allocated or
    /// released, and counts that on the `heap`. Returns whether it got there within `time`.
    pub(crate) fn finish(&mut self, time: Duration, heap: &mut Heap) -> Result<bool, NotTraced> {
        let end = Instant::now() + time;
        let starts: Vec<u64> = self.allocators.keys().copied().collect();
        for address in starts.into_iter().chain(heap.returns_to()) {
            self.put_breakpoint(address)?;
        }
        let mut is_in_time = true;
        while is_in_time {
            self.run_to_mark()?;
            let address = self.registers.program_counter().wrapping_sub(BREAKPOINT_BYTES);
            if !self.breakpoints.contains_key(&address) {
                break;
            }
            self.registers.set_program_counter(address);
            heap.follow(&self.registers, &self.allocators, &self.process)?;
            if let Some(address) = heap.returns_to() {
                self.put_breakpoint(address)?;
            }
            self.step()?;
            self.put_breakpoint(address)?;
            is_in_time = Instant::now() < end;
        }
        self.remove_breakpoints()?;
        Ok(is_in_time)
    }

    fn remove_breakpoints(&mut self) -> Result<(), NotTraced> {
        for (address, original) in std::mem::take(&mut self.breakpoints) {
            self.process.write(address, &original)?;
        }
        Ok(())
    }

    /// Continues the process untraced.
    pub(crate) fn release(mut self) -> Result<(), NotTraced> {
        self.process.set_registers(self.registers)?;
        self.process.release()
    }

    fn block(&mut self, start: u64) -> Result<Rc<Block>, NotTraced> {
        let Self { process, code, breakpoints, .. } = self;
        code.block(start, &mut |address, bytes| {
            let read = process.read(address, bytes);
            for (at, original) in breakpoints.range(address..address + read as u64) {
                let place = (at - address) as usize;
                let length = original.len().min(read - place);
                bytes[place..place + length].copy_from_slice(&original[..length]);
            }
            read
        })
    }

    /// Records what a block reads. Runs the block up to each read whose address is computed in the
    /// block itself.
    fn read(&mut self, block: &Block, lines: &mut Lines) -> Result<(), NotTraced> {
        // The instruction from which on the current registers are valid.
        let mut from = 0;
        for read in &block.reads {
            let instruction = &block.instructions[read.place];
            if read.since > from {
                self.run_to(instruction.address())?;
                from = read.place;
                lines.stopped();
            }
            lines.add(instruction, &self.registers);
        }
        Ok(())
    }

    /// Runs a block up to the instruction that leaves it. A mark itself is run, too.
    fn run_to_last(&mut self, block: &Block) -> Result<(), NotTraced> {
        if block.end == End::Mark {
            self.go_on(block.last)?;
            self.registers.set_program_counter(block.last + BREAKPOINT_BYTES);
            return Ok(());
        }
        self.run_to(block.last)
    }

    /// Runs the current block up to `address`.
    fn run_to(&mut self, address: u64) -> Result<(), NotTraced> {
        let at = self.registers.program_counter();
        if at != address && self.breakpoints.contains_key(&at) {
            self.step()?;
        }
        if self.registers.program_counter() == address {
            return Ok(());
        }
        if self.put_breakpoint(address).is_ok() {
            self.go_on(address)?;
        } else {
            // The kernel forbids writing there, as in its own pages, so this steps.
            while self.registers.program_counter() != address {
                self.step()?;
            }
        }
        Ok(())
    }

    /// Runs to the breakpoint at `address`, and stays at it. On the way there may be breakpoints of blocks that were
    /// entered elsewhere.
    fn go_on(&mut self, address: u64) -> Result<(), NotTraced> {
        loop {
            self.process.set_registers(self.registers)?;
            let stop = self.process.run(None)?;
            self.has_trapped(stop)?;
            let is = self.registers.breakpoint();
            self.registers.set_program_counter(is);
            if is == address {
                return Ok(());
            }
            if !self.breakpoints.contains_key(&is) {
                return Err(NotTraced::Lost(format!(
                    "it stopped at {is:#x} and should have at {address:#x}"
                )));
            }
            self.step()?;
        }
    }

    fn has_trapped(&mut self, mut stop: Stop) -> Result<(), NotTraced> {
        loop {
            match stop {
                Stop::Trap => break,
                Stop::Signal(signal) => return Err(NotTraced::Signal(signal.to_string())),
                Stop::Starts => return Err(NotTraced::Starts),
                Stop::Other => stop = self.process.run(None)?,
            }
        }
        self.registers = self.process.registers()?;
        Ok(())
    }

    fn put_breakpoint(&mut self, address: u64) -> Result<(), NotTraced> {
        if self.breakpoints.contains_key(&address) {
            return Ok(());
        }
        let mut original = [0; BREAKPOINT.len()];
        self.process.read(address, &mut original);
        self.process.write(address, &BREAKPOINT)?;
        self.breakpoints.insert(address, original);
        Ok(())
    }

    /// Executes the instruction that leaves `block`.
    fn leave(&mut self, block: &Block, followed: &mut Followed) -> Result<(), NotTraced> {
        let Some(instruction) = block.instructions.last() else {
            return Err(NotTraced::Lost(format!("no code at {:#x}", block.last)));
        };
        match block.end {
            End::Falls | End::Mark => return Ok(()),
            End::SystemCall => {
                *followed.system_calls.entry(self.registers.system_call()).or_default() += 1;
                return self.step();
            }
            End::Way | End::Other => {}
        }
        if !instruction.simulate(&mut self.registers, &self.process)? {
            self.step()?;
        }
        if block.end == End::Way {
            let way = (instruction.address(), self.registers.program_counter());
            *followed.ways.entry(way).or_default() += 1;
        }
        Ok(())
    }

    /// Executes the current instruction. A repeated instruction stops after each repetition.
    fn step(&mut self) -> Result<(), NotTraced> {
        let at = self.registers.program_counter();
        if let Some(original) = self.breakpoints.remove(&at) {
            self.process.write(at, &original)?;
        }
        self.process.set_registers(self.registers)?;
        let stop = self.process.step()?;
        self.has_trapped(stop)
    }
}

/// Continues `process` from this stop to a breakpoint, and returns its registers behind it.
fn to_mark(process: &Process, mut stop: Stop) -> Result<Registers, NotTraced> {
    loop {
        stop = match stop {
            Stop::Trap => {
                let mut registers = process.registers()?;
                registers.set_program_counter(registers.breakpoint() + BREAKPOINT_BYTES);
                return Ok(registers);
            }
            Stop::Signal(signal) => process.run(Some(signal))?,
            Stop::Other => process.run(None)?,
            Stop::Starts => return Err(NotTraced::Starts),
        };
    }
}
