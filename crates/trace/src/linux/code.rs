//! Divides code into blocks, from an entry to the first instruction that may go elsewhere.

use super::architecture::{Instruction, LONGEST, pushes, reads};
use super::effects::{End, Read};
use crate::NotTraced;
use std::collections::HashMap;
use std::rc::Rc;

/// The most instructions in a block.
const MOST: usize = 1024;
/// Bytes read at once.
const CHUNK: usize = 512;

/// All blocks that were entered.
#[derive(Default)]
pub(crate) struct Code {
    blocks: HashMap<u64, Rc<Block>>,
}

/// Instructions that run one after the other.
pub(crate) struct Block {
    /// Its instructions, including the one that leaves it, unless that is a mark.
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) end: End,
    /// The address of the instruction that leaves it: a mark, or the next one if none does.
    pub(crate) last: u64,
    /// The most stack it uses before it is left, as far as its instructions show.
    pub(crate) pushes: u64,
    /// Instructions that may read memory outside the stack, except the one that leaves it.
    pub(crate) reads: Vec<Read>,
}

impl Code {
    /// Returns the block entered at `start`, with code from `read`.
    pub(crate) fn block(
        &mut self,
        start: u64,
        read: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<Rc<Block>, NotTraced> {
        if let Some(block) = self.blocks.get(&start) {
            return Ok(Rc::clone(block));
        }
        let block = Rc::new(Block::decode(start, read)?);
        self.blocks.insert(start, Rc::clone(&block));
        Ok(block)
    }

    /// Returns the instructions of the block entered at `start`.
    pub(crate) fn instructions(&self, start: u64) -> &[Instruction] {
        self.blocks.get(&start).map_or(&[], |block| &block.instructions)
    }
}

impl Block {
    fn of(instructions: Vec<Instruction>, end: End, last: u64) -> Self {
        // The instruction that leaves the block runs only after the stop.
        let before = match end {
            End::Falls | End::Mark => instructions.len(),
            _ => instructions.len().saturating_sub(1),
        };
        let pushes = pushes(&instructions[..before]);
        let reads = reads(&instructions[..before]);
        Self { instructions, end, last, pushes, reads }
    }

    fn decode(
        start: u64,
        read: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<Self, NotTraced> {
        let mut instructions = Vec::new();
        let mut at = start;
        let (mut chunk, mut from, mut length) = ([0; CHUNK], start, 0);
        loop {
            let mut offset = (at - from) as usize;
            if length < offset + LONGEST {
                (from, offset) = (at, 0);
                length = read(from, &mut chunk);
            }
            let Some(instruction) = Instruction::decode(&chunk[offset.min(length)..length], at)
            else {
                if instructions.is_empty() {
                    return Err(NotTraced::Lost(format!("no instruction is known at {at:#x}")));
                }
                return Ok(Self::of(instructions, End::Falls, at));
            };
            let end = instruction.end();
            if end == Some(End::Mark) {
                return Ok(Self::of(instructions, End::Mark, at));
            }
            instructions.push(instruction);
            if let Some(end) = end {
                return Ok(Self::of(instructions, end, at));
            }
            at = instruction.next();
            if instructions.len() == MOST {
                return Ok(Self::of(instructions, End::Falls, at));
            }
        }
    }
}

#[cfg(test)]
impl Block {
    /// Decodes the block at the start of `bytes`, at 0x1000.
    pub(crate) fn at_start(bytes: &[u8]) -> Self {
        let decoded = Self::decode(0x1000, &mut |address, into| {
            let from = &bytes[((address - 0x1000) as usize).min(bytes.len())..];
            let length = from.len().min(into.len());
            into[..length].copy_from_slice(&from[..length]);
            length
        });
        decoded.unwrap()
    }
}
