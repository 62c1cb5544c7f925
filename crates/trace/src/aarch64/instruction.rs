//! Decodes instructions, and simulates those that leave a block.

use super::registers::{LINK, Registers};
use crate::NotTraced;
use crate::linux::effects::{End, Memory};

/// The length of every instruction in bytes.
pub(crate) const LONGEST: usize = 4;

/// The instruction that does nothing (NOP).
const NOTHING: u32 = 0xd503_201f;

/// Positions of the condition flags in the process state.
const NEGATIVE: u32 = 31;
const ZERO: u32 = 30;
const CARRY: u32 = 29;
const OVERFLOW: u32 = 28;

/// An instruction at its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    address: u64,
    pub(super) word: u32,
}

/// States where an instruction goes that leaves a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Jump(u64),
    /// A conditional branch goes to this address or continues.
    Branch(u64),
    Call(u64),
    /// These go to the address in a register.
    CallIndirect(u32),
    JumpIndirect(u32),
    Return(u32),
    /// A load or store that is exclusive: a stop between the two makes the store fail. Without
    /// other threads a plain one does the same.
    Exclusive,
    SystemCall,
    Breakpoint,
    /// The CPU must execute the instruction to find out.
    Other,
}

impl Instruction {
    /// Decodes the instruction that `bytes`, which are at `address`, begin with.
    pub(crate) fn decode(bytes: &[u8], address: u64) -> Option<Self> {
        Some(Self { address, word: u32::from_le_bytes(*bytes.first_chunk()?) })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the address of the instruction behind it.
    pub(crate) fn next(&self) -> u64 {
        self.address.wrapping_add(LONGEST as u64)
    }

    /// Returns its length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        LONGEST as u64
    }

    pub(crate) fn is_call(&self) -> bool {
        matches!(self.flow(), Some(Flow::Call(_) | Flow::CallIndirect(_)))
    }

    /// Returns how it leaves a block; `None` if it does not.
    pub(crate) fn end(&self) -> Option<End> {
        Some(match self.flow()? {
            Flow::Call(_) | Flow::CallIndirect(_) | Flow::JumpIndirect(_) => End::Way,
            Flow::SystemCall => End::SystemCall,
            Flow::Breakpoint => End::Mark,
            Flow::Jump(_) | Flow::Branch(_) | Flow::Return(_) => End::Other,
            Flow::Exclusive | Flow::Other => End::Other,
        })
    }

    /// Does what it does to `registers` and `memory`, if it leaves a block. Returns `false`, and
    /// does nothing, if only the CPU can do that.
    pub(crate) fn simulate(
        &self,
        registers: &mut Registers,
        memory: &dyn Memory,
    ) -> Result<bool, NotTraced> {
        let next = self.next();
        registers.program_counter = match self.flow() {
            Some(Flow::Jump(target)) => target,
            Some(Flow::Branch(target)) => {
                if self.is_taken(registers) {
                    target
                } else {
                    next
                }
            }
            Some(Flow::Call(target)) => {
                registers.general[LINK] = next;
                target
            }
            Some(Flow::CallIndirect(register)) => {
                let target = registers.value(register);
                registers.general[LINK] = next;
                target
            }
            Some(Flow::JumpIndirect(register) | Flow::Return(register)) => {
                registers.value(register)
            }
            Some(Flow::Exclusive) => {
                self.access_exclusively(registers, memory)?;
                next
            }
            Some(Flow::SystemCall | Flow::Breakpoint | Flow::Other) | None => return Ok(false),
        };
        Ok(true)
    }

    pub(super) fn flow(&self) -> Option<Flow> {
        let word = self.word;
        let target = |low, count| self.address.wrapping_add_signed(self.signed(low, count) * 4);
        let register = self.bits(5, 5);
        Some(match word {
            _ if word >> 26 == 0b00_0101 => Flow::Jump(target(0, 26)),
            _ if word >> 26 == 0b10_0101 => Flow::Call(target(0, 26)),
            // B.cond, CBZ and CBNZ; TBZ and TBNZ.
            _ if word >> 24 == 0x54 || word & 0x7e00_0000 == 0x3400_0000 => {
                Flow::Branch(target(5, 19))
            }
            _ if word & 0x7e00_0000 == 0x3600_0000 => Flow::Branch(target(5, 14)),
            _ if word & 0xffff_fc1f == 0xd61f_0000 => Flow::JumpIndirect(register),
            _ if word & 0xffff_fc1f == 0xd63f_0000 => Flow::CallIndirect(register),
            _ if word & 0xffff_fc1f == 0xd65f_0000 => Flow::Return(register),
            _ if word & 0xffe0_001f == 0xd400_0001 => Flow::SystemCall,
            _ if word & 0xffe0_001f == 0xd420_0000 => Flow::Breakpoint,
            _ if is_exclusive(word) => Flow::Exclusive,
            // System registers, barriers and hints.
            _ if word >> 22 == 0b11_0101_0100 => return None,
            // The others for branches and exceptions, and the one that is always undefined.
            _ if word >> 26 & 0b111 == 0b101 || word >> 16 == 0 => Flow::Other,
            _ => return None,
        })
    }

    fn is_taken(&self, registers: &Registers) -> bool {
        if self.word >> 24 == 0x54 {
            return holds(self.bits(0, 4), registers.state);
        }
        let value = registers.value(self.bits(0, 5));
        let is_zero = if self.word & 0x7e00_0000 == 0x3600_0000 {
            value >> (self.bits(31, 1) << 5 | self.bits(19, 5)) & 1 == 0
        } else if self.bits(31, 1) == 1 {
            value == 0
        } else {
            value as u32 == 0
        };
        is_zero == (self.bits(24, 1) == 0)
    }

    /// Loads or stores one register or two, and lets the store succeed.
    fn access_exclusively(
        &self,
        registers: &mut Registers,
        memory: &dyn Memory,
    ) -> Result<(), NotTraced> {
        let address = registers.base(self.bits(5, 5));
        let bytes = 1_usize << self.bits(30, 2);
        let both = [self.bits(0, 5), self.bits(10, 5)];
        let used = &both[..1 + self.bits(21, 1) as usize];
        for (register, address) in used.iter().zip((address..).step_by(bytes)) {
            let mut value = [0; 8];
            if self.bits(22, 1) == 1 {
                memory.read_exact(address, &mut value[..bytes])?;
                registers.set(*register, u64::from_le_bytes(value));
            } else {
                value = registers.value(*register).to_le_bytes();
                memory.write(address, &value[..bytes])?;
            }
        }
        if self.bits(22, 1) == 0 {
            registers.set(self.bits(16, 5), 0);
        }
        Ok(())
    }

    /// Returns `count` bits from bit `low` on.
    pub(super) fn bits(&self, low: u32, count: u32) -> u32 {
        self.word >> low & ((1 << count) - 1)
    }

    /// Returns `count` bits from bit `low` on as a signed number.
    pub(super) fn signed(&self, low: u32, count: u32) -> i64 {
        let unused = 32 - count;
        i64::from((self.bits(low, count) << unused) as i32 >> unused)
    }

    /// Whether it sets a register to the address of a page (ADRP).
    fn is_page(&self) -> bool {
        self.word & 0x9f00_0000 == 0x9000_0000
    }
}

/// Whether it is an exclusive load or store; compare-and-swap of pairs is encoded nearby.
fn is_exclusive(word: u32) -> bool {
    word & 0x3f80_0000 == 0x0800_0000 && word & 0x8020_0000 != 0x0020_0000
}

/// Whether a condition holds in this state.
fn holds(condition: u32, state: u64) -> bool {
    let flag = |bit: u32| state >> bit & 1 == 1;
    let is_less = flag(NEGATIVE) != flag(OVERFLOW);
    let is = match condition >> 1 {
        0 => flag(ZERO),
        1 => flag(CARRY),
        2 => flag(NEGATIVE),
        3 => flag(OVERFLOW),
        4 => flag(CARRY) && !flag(ZERO),
        5 => !is_less,
        6 => !is_less && !flag(ZERO),
        _ => return true,
    };
    is == (condition & 1 == 0)
}

/// Returns the slot from which the instruction that leaves `block` takes its target, if the block
/// loads it.
pub(crate) fn slot(block: &[Instruction]) -> Option<u64> {
    let (last, before) = block.split_last()?;
    let (Flow::CallIndirect(register) | Flow::JumpIndirect(register)) = last.flow()? else {
        return None;
    };
    let written = |register: u32, before: &[Instruction]| {
        before.iter().rposition(|it| it.written() >> register & 1 == 1)
    };
    let place = written(register, before)?;
    // LDR of 64 bits, with an offset.
    let load = before[place];
    if load.word & 0xffc0_0000 != 0xf940_0000 {
        return None;
    }
    let page = before[written(load.bits(5, 5), &before[..place])?];
    let pages = page.signed(5, 19) << 2 | i64::from(page.bits(29, 2));
    let slot = (page.address & !0xfff).wrapping_add_signed(pages << 12);
    page.is_page().then(|| slot.wrapping_add(u64::from(load.bits(10, 12)) * 8))
}

/// Returns the bytes of instructions without the distances to their branch targets and data.
pub(crate) fn without_distances<'a>(run: impl Iterator<Item = &'a Instruction>) -> Vec<u8> {
    let mut all = Vec::new();
    // The registers that have the address of a page.
    let mut pages = 0_u32;
    // Loops are aligned by instructions that do nothing, as many as the place asks for.
    for instruction in run.filter(|it| it.word != NOTHING) {
        let word = instruction.word;
        let distance = match instruction.flow() {
            Some(Flow::Jump(_) | Flow::Call(_)) => 0x03ff_ffff,
            Some(Flow::Branch(_)) if word & 0x7e00_0000 == 0x3600_0000 => 0x0007_ffe0,
            Some(Flow::Branch(_)) => 0x00ff_ffe0,
            // ADR and ADRP; a load that is relative to its own address.
            _ if word & 0x1f00_0000 == 0x1000_0000 => 0x60ff_ffe0,
            _ if word & 0x3b00_0000 == 0x1800_0000 => 0x00ff_ffe0,
            // ADD, or a load or store, with an offset in such a page.
            _ if (word & 0xff80_0000 == 0x9100_0000 || word & 0x3b00_0000 == 0x3900_0000)
                && pages >> instruction.bits(5, 5) & 1 == 1 =>
            {
                0x003f_fc00
            }
            _ => 0,
        };
        all.extend_from_slice(&(word & !distance).to_le_bytes());
        pages &= !instruction.written();
        if instruction.is_page() {
            pages |= 1 << instruction.bits(0, 5);
        }
    }
    all
}

#[cfg(test)]
mod tests;
