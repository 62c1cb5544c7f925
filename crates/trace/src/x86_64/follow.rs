//! Follows a process from block to block.

use super::code::{Block, Code, End, holds, register};
use super::data::Lines;
use super::memory::{Allocators, Heap, Stack};
use super::process::{Process, Registers, Stop};
use crate::{Limits, NotTraced};
use iced_x86::{Instruction, OpKind, Register};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The instruction at which the process stops (INT3).
const BREAKPOINT: u8 = 0xcc;

/// A followed process.
pub(super) struct Follower {
    process: Process,
    registers: Registers,
    code: Code,
    /// The original bytes at breakpoints, by address.
    breakpoints: BTreeMap<u64, u8>,
    allocators: Allocators,
}

/// The record of what was executed between two marks.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// How often each block was executed, by its start address.
    pub(super) blocks: HashMap<u64, u64>,
    /// How often each call and each indirect jump was taken, by the addresses of the instruction
    /// and of its target.
    pub(super) ways: HashMap<(u64, u64), u64>,
    /// How often each system call was made, by its number.
    pub(super) system_calls: BTreeMap<u64, u64>,
    /// The stack used below the mark, in bytes; `None` if another stack was used in between.
    pub(super) stack: Option<u64>,
    /// The cache lines that it read.
    pub(super) lines: Lines,
    /// Whether it exceeded the limits.
    pub(super) is_cut: bool,
}

impl Follower {
    /// Waits until `process`, which is running, reaches a mark. The C library's functions for
    /// memory are at `allocators`.
    pub(super) fn at_mark(process: Process, allocators: Allocators) -> Result<Self, NotTraced> {
        let registers = to_mark(&process, process.stopped()?)?;
        let (code, breakpoints) = (Code::default(), BTreeMap::new());
        Ok(Self { process, registers, code, breakpoints, allocators })
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// Returns whether the C library's functions for memory were found.
    pub(super) fn knows_heap(&self) -> bool {
        !self.allocators.is_empty()
    }

    /// Runs to the next mark or breakpoint.
    pub(super) fn run_to_mark(&mut self) -> Result<(), NotTraced> {
        self.process.set_registers(self.registers)?;
        self.registers = to_mark(&self.process, self.process.run(None)?)?;
        Ok(())
    }

    /// Follows from the current mark to the next, and counts allocations on the `heap`.
    pub(super) fn follow(
        &mut self,
        limits: Limits,
        heap: &mut Heap,
    ) -> Result<Followed, NotTraced> {
        let end = Instant::now() + limits.time;
        let mut followed = Followed::default();
        followed.lines.is_part = !limits.reads_data;
        let mut stack = Stack::from(self.registers.rsp);
        let mut instructions = 0;
        loop {
            let start = self.registers.rip;
            let block = self.block(start)?;
            *followed.blocks.entry(start).or_default() += 1;
            instructions += block.instructions.len() as u64;
            stack.reaches(self.registers.rsp.wrapping_sub(block.pushes));
            if limits.reads_data && !followed.lines.is_part {
                self.read(&block, &mut followed.lines)?;
            }
            self.run_to_last(&block)?;
            stack.reaches(self.registers.rsp);
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
    pub(super) fn finish(&mut self, time: Duration, heap: &mut Heap) -> Result<bool, NotTraced> {
        let end = Instant::now() + time;
        let starts: Vec<u64> = self.allocators.keys().copied().collect();
        for address in starts.into_iter().chain(heap.returns_to()) {
            self.put_breakpoint(address)?;
        }
        let mut is_in_time = true;
        while is_in_time {
            self.run_to_mark()?;
            let address = self.registers.rip.wrapping_sub(1);
            if !self.breakpoints.contains_key(&address) {
                break;
            }
            self.registers.rip = address;
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
        for (address, byte) in std::mem::take(&mut self.breakpoints) {
            self.process.write(address, &[byte])?;
        }
        Ok(())
    }

    /// Continues the process untraced.
    pub(super) fn release(mut self) -> Result<(), NotTraced> {
        self.process.set_registers(self.registers)?;
        self.process.release()
    }

    fn block(&mut self, start: u64) -> Result<Rc<Block>, NotTraced> {
        let Self { process, code, breakpoints, .. } = self;
        code.block(start, &mut |address, bytes| {
            let read = process.read(address, bytes);
            for (at, byte) in breakpoints.range(address..address + read as u64) {
                bytes[(at - address) as usize] = *byte;
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
            let instruction = &block.instructions[read.place].instruction;
            if read.since > from {
                self.run_to(instruction.ip())?;
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
            return self.go_on(block.last);
        }
        self.run_to(block.last)
    }

    /// Runs the current block up to `address`.
    fn run_to(&mut self, address: u64) -> Result<(), NotTraced> {
        if self.registers.rip != address && self.breakpoints.contains_key(&self.registers.rip) {
            self.step()?;
        }
        if self.registers.rip == address {
            return Ok(());
        }
        if self.put_breakpoint(address).is_ok() {
            self.go_on(address)?;
            self.registers.rip = address;
        } else {
            // The kernel forbids writing there, as in its own pages, so this steps.
            while self.registers.rip != address {
                self.step()?;
            }
        }
        Ok(())
    }

    /// Runs to the breakpoint at `address`. On the way there may be breakpoints of blocks that were
    /// entered elsewhere.
    fn go_on(&mut self, address: u64) -> Result<(), NotTraced> {
        loop {
            self.process.set_registers(self.registers)?;
            let stop = self.process.run(None)?;
            self.has_trapped(stop)?;
            let is = self.registers.rip.wrapping_sub(1);
            if is == address {
                return Ok(());
            }
            if !self.breakpoints.contains_key(&is) {
                return Err(NotTraced::Lost(format!(
                    "it stopped at {is:#x} and should have at {address:#x}"
                )));
            }
            self.registers.rip = is;
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
        let mut byte = [0];
        self.process.read(address, &mut byte);
        self.process.write(address, &[BREAKPOINT])?;
        self.breakpoints.insert(address, byte[0]);
        Ok(())
    }

    /// Executes the instruction that leaves `block`.
    fn leave(&mut self, block: &Block, followed: &mut Followed) -> Result<(), NotTraced> {
        let Some(instruction) = block.instructions.last().map(|it| it.instruction) else {
            return Err(NotTraced::Lost(format!("no code at {:#x}", block.last)));
        };
        let next = instruction.next_ip();
        match block.end {
            End::Falls => {}
            End::Jump(target) => self.registers.rip = target,
            End::Branch(target) => {
                let is_taken = holds(instruction.condition_code(), self.registers.eflags);
                self.registers.rip = if is_taken { target } else { next };
            }
            End::Call(target) => self.call(target, next)?,
            End::CallIndirect => self.call(self.target(&instruction)?, next)?,
            End::JumpIndirect => self.registers.rip = self.target(&instruction)?,
            End::Return(further) => {
                self.registers.rip = self.process.read_word(self.registers.rsp)?;
                self.registers.rsp = self.registers.rsp.wrapping_add(8 + further);
            }
            End::SystemCall => {
                *followed.system_calls.entry(self.registers.rax).or_default() += 1;
                self.step()?;
            }
            End::Other => self.step()?,
            End::Mark => return Ok(()),
        }
        if matches!(block.end, End::Call(_) | End::CallIndirect | End::JumpIndirect) {
            *followed.ways.entry((instruction.ip(), self.registers.rip)).or_default() += 1;
        }
        Ok(())
    }

    fn call(&mut self, target: u64, next: u64) -> Result<(), NotTraced> {
        self.registers.rsp = self.registers.rsp.wrapping_sub(8);
        self.process.write(self.registers.rsp, &next.to_le_bytes())?;
        self.registers.rip = target;
        Ok(())
    }

    /// Returns the target of an indirect branch.
    fn target(&self, instruction: &Instruction) -> Result<u64, NotTraced> {
        let no_target = || NotTraced::Lost(format!("a branch of an unknown kind: {instruction:?}"));
        let value = |register| self::register(&self.registers, register);
        match instruction.op0_kind() {
            OpKind::Register => value(instruction.op0_register()).ok_or_else(no_target),
            OpKind::Memory => {
                let address =
                    instruction.virtual_address(0, 0, |register: Register, _, _| value(register));
                self.process.read_word(address.ok_or_else(no_target)?)
            }
            _ => Err(no_target()),
        }
    }

    /// Executes the current instruction. A repeated instruction stops after each repetition.
    fn step(&mut self) -> Result<(), NotTraced> {
        let at = self.registers.rip;
        let breakpoint = self.breakpoints.remove(&at);
        if let Some(byte) = breakpoint {
            self.process.write(at, &[byte])?;
        }
        self.process.set_registers(self.registers)?;
        let stop = self.process.step()?;
        self.has_trapped(stop)
    }
}

/// Continues `process` from this stop to a breakpoint, and returns its registers there.
fn to_mark(process: &Process, mut stop: Stop) -> Result<Registers, NotTraced> {
    loop {
        stop = match stop {
            Stop::Trap => return process.registers(),
            Stop::Signal(signal) => process.run(Some(signal))?,
            Stop::Other => process.run(None)?,
            Stop::Starts => return Err(NotTraced::Starts),
        };
    }
}
