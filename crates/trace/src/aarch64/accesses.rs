//! Finds which memory instructions access, and which registers they write.

use super::instruction::{Flow, Instruction};
use super::registers::{LINK, Registers, STACK_POINTER};
use crate::linux::effects::Read;

/// An access of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    is_read: bool,
    address: Address,
    /// The bytes of each register, and the number of registers.
    pub(super) register_bytes: u64,
    registers: u64,
    /// What is added to the base register, if that is known and done.
    moves_base: i64,
    writes_base: bool,
}

/// The address of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address {
    /// Relative to the instruction.
    Relative(i64),
    /// Relative to a base register.
    Offset(u32, i64),
    /// A base and an index register, which is extended by an option and then shifted.
    Indexed { base: u32, index: u32, option: u32, shift: u32 },
    /// It does not follow from general registers, or is not decoded.
    Unknown,
}

impl Address {
    /// Returns the registers that it needs.
    fn registers(self) -> [Option<u32>; 2] {
        match self {
            Self::Offset(base, _) => [Some(base), None],
            Self::Indexed { base, index, .. } => [Some(base), Some(index)],
            Self::Relative(_) | Self::Unknown => [None, None],
        }
    }

    fn is_on_stack(self) -> bool {
        self.registers()[0] == Some(STACK_POINTER)
    }
}

/// Returns which of a block's instructions may read memory outside the stack.
pub(crate) fn reads(instructions: &[Instruction]) -> Vec<Read> {
    // The index behind the last instruction that wrote each register.
    let mut written = [0; 32];
    let mut reads = Vec::new();
    for (place, instruction) in instructions.iter().enumerate() {
        if let Some(access) = instruction.data_read() {
            let needed = access.address.registers().into_iter().flatten();
            let since = needed.map(|it| written[it as usize]).max().unwrap_or(0);
            reads.push(Read { place, since });
        }
        let writes = instruction.written();
        let writes = (0..written.len()).filter(|register| writes >> register & 1 == 1);
        writes.for_each(|register| written[register] = place + 1);
    }
    reads
}

/// Returns the most stack that `instructions` use, up to the first that sets the stack pointer to a
/// value kept elsewhere.
pub(crate) fn pushes(instructions: &[Instruction]) -> u64 {
    let (mut taken, mut most) = (0_i64, 0_i64);
    for instruction in instructions {
        let Some(moved) = instruction.moves_stack() else { break };
        taken = taken.saturating_sub(moved);
        most = most.max(taken);
    }
    most as u64
}

impl Instruction {
    /// Returns address and length in bytes of what it reads with these registers, except the stack;
    /// `None` for an address that is not known.
    pub(crate) fn reads(&self, registers: &Registers) -> Vec<Option<(u64, u64)>> {
        let read = self.data_read().map(|access| {
            let address = match access.address {
                Address::Relative(distance) => self.address().wrapping_add_signed(distance),
                Address::Offset(base, offset) => registers.base(base).wrapping_add_signed(offset),
                Address::Indexed { base, index, option, shift } => {
                    let index = extended(registers.value(index), option) << shift;
                    registers.base(base).wrapping_add(index)
                }
                Address::Unknown => return None,
            };
            Some((address, access.register_bytes * access.registers))
        });
        read.into_iter().collect()
    }

    fn data_read(&self) -> Option<Access> {
        self.access().filter(|it| it.is_read && !it.address.is_on_stack())
    }

    /// Returns how it accesses memory, if it does.
    pub(super) fn access(&self) -> Option<Access> {
        let base = self.bits(5, 5);
        let one = |is_read, address, register_bytes| Access {
            is_read,
            address,
            register_bytes,
            registers: 1,
            moves_base: 0,
            writes_base: false,
        };
        let unknown = Some(one(true, Address::Unknown, 1));
        // SVE has loads in three of its groups, and stores in the fourth.
        if self.bits(25, 4) == 0b0010 && self.bits(31, 1) == 1 {
            return unknown.filter(|_| self.bits(29, 3) != 0b111);
        }
        if self.word & 0x0a00_0000 != 0x0800_0000 {
            return None;
        }
        if is_of_any_length(self.word) {
            let is_copied = self.bits(22, 2) != 0b11;
            return unknown.map(|it| Access { is_read: is_copied, ..it });
        }
        let (is_vector, is_load) = (self.bits(26, 1) == 1, self.bits(22, 1) == 1);
        match (self.bits(28, 2), self.bits(24, 1), self.bits(21, 1), self.bits(10, 2)) {
            (0b00, several, ..) if is_vector => {
                let (registers, register_bytes) =
                    if several == 0 { self.structures()? } else { self.elements() };
                let writes_base = self.bits(23, 1) == 1;
                let access = one(is_load, Address::Offset(base, 0), register_bytes);
                let is_fixed = writes_base && self.bits(16, 5) == 31;
                let moves_base = if is_fixed { (registers * register_bytes) as i64 } else { 0 };
                Some(Access { registers, writes_base, moves_base, ..access })
            }
            (0b00, 0, second, _) => {
                // Without the high bit of the size, two registers mean compare-and-swap.
                let is_ordered = self.bits(23, 1) == 1;
                let (is_pair, is_swap) = match (second == 1, is_ordered, self.bits(31, 1)) {
                    (false, ..) => (false, false),
                    (true, false, 1) => (true, false),
                    (true, false, _) => (true, true),
                    (true, true, _) => (false, true),
                };
                let size = self.bits(30, 2);
                let bytes = if is_pair && is_swap { 4 << size } else { 1 << size };
                let access = one(is_load || is_swap, Address::Offset(base, 0), bytes);
                Some(Access { registers: 1 + u64::from(is_pair), ..access })
            }
            (0b01, 0, ..) => {
                let opcode = self.bits(30, 2);
                let bytes = match (is_vector, opcode) {
                    (true, _) => 4 << opcode,
                    // PRFM.
                    (false, 3) => return None,
                    (false, 1) => 8,
                    (false, _) => 4,
                };
                Some(one(true, Address::Relative(self.signed(5, 19) * 4), bytes))
            }
            (0b01, 1, 0, mode) if mode == if is_vector { 0b10 } else { 0b00 } => {
                let offset = self.signed(12, 9);
                let is_read = if is_vector { is_load } else { self.bits(22, 2) != 0 };
                Some(one(is_read, Address::Offset(base, offset), self.size()))
            }
            // Tags of memory.
            (0b01, 1, 1, _) if self.bits(30, 2) == 0b11 => None,
            (0b10, ..) => {
                let opcode = self.bits(30, 2);
                let bytes: u64 = match (is_vector, opcode) {
                    (true, _) => 4 << opcode,
                    (false, 0 | 1) if is_load || opcode == 0 => 4,
                    (false, 1) => 16,
                    (false, _) => 8,
                };
                let distance = self.signed(15, 7) * bytes as i64;
                let (offset, moves_base) = indexed(self.bits(23, 2), distance);
                let writes_base = self.bits(23, 1) == 1;
                let access = one(is_load, Address::Offset(base, offset), bytes);
                Some(Access { registers: 2, moves_base, writes_base, ..access })
            }
            (0b11, form, register, mode) => {
                let opcode = self.bits(22, 2);
                let is_prefetch = !is_vector && self.bits(30, 2) == 3 && opcode == 2;
                let is_read = if is_vector { is_load } else { opcode != 0 && !is_prefetch };
                let bytes = self.size();
                let shift = bytes.trailing_zeros();
                match (form, register, mode) {
                    (1, ..) => {
                        let offset = i64::from(self.bits(10, 12)) << shift;
                        Some(one(is_read, Address::Offset(base, offset), bytes))
                    }
                    (_, 0, _) => {
                        let (offset, moves_base) = indexed(mode, self.signed(12, 9));
                        let access = one(is_read, Address::Offset(base, offset), bytes);
                        Some(Access { moves_base, writes_base: mode & 1 == 1, ..access })
                    }
                    (_, 1, 0b10) => {
                        let (index, option) = (self.bits(16, 5), self.bits(13, 3));
                        let shift = if self.bits(12, 1) == 1 { shift } else { 0 };
                        let address = Address::Indexed { base, index, option, shift };
                        Some(one(is_read, address, bytes))
                    }
                    // Atomic operations.
                    (_, 1, 0b00) => Some(one(true, Address::Offset(base, 0), bytes)),
                    // LDRAA and LDRAB, whose base is authenticated.
                    _ => Some(Access { writes_base: true, ..unknown? }),
                }
            }
            _ => unknown,
        }
    }

    /// Returns the bytes of the register that a load or store of one has.
    fn size(&self) -> u64 {
        let is_quad = self.bits(26, 1) == 1 && self.bits(23, 1) == 1;
        if is_quad { 16 } else { 1 << self.bits(30, 2) }
    }

    /// Returns the number of registers that LD1 to LD4 or ST1 to ST4 have, and the bytes of each.
    fn structures(&self) -> Option<(u64, u64)> {
        let registers = match self.bits(12, 4) {
            0b0000 | 0b0010 => 4,
            0b0100 | 0b0110 => 3,
            0b1000 | 0b1010 => 2,
            0b0111 => 1,
            _ => return None,
        };
        Some((registers, 8 << self.bits(30, 1)))
    }

    /// Returns the number of elements that these have if they are of one element of each register,
    /// and the bytes of each.
    fn elements(&self) -> (u64, u64) {
        let size = self.bits(10, 2);
        let bytes = match self.bits(14, 2) {
            scale @ (0 | 1) => 1 << scale,
            2 => 4 << (size & 1),
            // LD1R and the like.
            _ => 1 << size,
        };
        (1 + u64::from(self.bits(13, 1) << 1 | self.bits(21, 1)), bytes)
    }

    /// Returns a bit for each general register that it may write; the one for the stack pointer
    /// means nothing.
    pub(super) fn written(&self) -> u32 {
        let (first, second) = (1 << self.bits(0, 5), 1 << self.bits(10, 5));
        let (base, status) = (1 << self.bits(5, 5), 1 << self.bits(16, 5));
        let is_vector = self.bits(26, 1) == 1;
        match self.bits(25, 4) {
            // Immediates and registers; CCMP, CCMN and others that set only flags.
            0b1000 | 0b1001 => first,
            0b0101 | 0b1101 if self.word & 0x1fe0_0000 == 0x1a40_0000 => 0,
            0b0101 | 0b1101 => first,
            0b1010 | 0b1011 => match self.flow() {
                Some(Flow::Call(_) | Flow::CallIndirect(_)) => 1 << LINK,
                Some(_) => 0,
                // Hints authenticate the link register, or register 17; others read a register.
                None if self.word & 0xffff_f01f == 0xd503_201f => 1 << LINK | 1 << 17,
                None => first,
            },
            0b0100 | 0b0110 | 0b1100 | 0b1110 => {
                let Some(access) = self.access() else { return 0 };
                let written_base = if access.writes_base { base } else { 0 };
                let loaded = match access.address {
                    // Copying memory writes all three.
                    Address::Unknown => first | base | status,
                    _ if is_vector => 0,
                    _ if self.word & 0x3f00_0000 == 0x0800_0000 => {
                        first | second | status | status << 1
                    }
                    // Atomic operations return what was there.
                    _ if self.word & 0x3b20_0c00 == 0x3820_0000 => first,
                    _ if access.is_read && access.registers == 2 => first | second,
                    _ if access.is_read => first,
                    _ => 0,
                };
                written_base | loaded
            }
            // Vectors: UMOV and SMOV; conversions of one number, to a general register or from it.
            0b0111 | 0b1111 => {
                let is_moved = self.word & 0xbfe0_ec00 == 0x0e00_2c00 || self.is_converted();
                if is_moved { first } else { 0 }
            }
            // Of SVE few do, and none that accesses memory.
            0b0010 if self.bits(31, 1) == 0 => first,
            _ => 0,
        }
    }

    /// Whether it moves or converts between a general register and one number of a vector register.
    fn is_converted(&self) -> bool {
        let is_scalar = self.word & 0x5f00_0000 == 0x1e00_0000;
        is_scalar && (self.bits(21, 1) == 0 || self.bits(10, 6) == 0)
    }

    /// Returns what it adds to the stack pointer; `None` if that is not known.
    fn moves_stack(&self) -> Option<i64> {
        if let Some(access) = self.access() {
            let is_moved = access.writes_base && access.address.is_on_stack();
            return Some(if is_moved { access.moves_base } else { 0 });
        }
        if self.bits(0, 5) != STACK_POINTER {
            return Some(0);
        }
        match self.word {
            // ADD and SUB of an immediate.
            word if word & 0xbf80_0000 == 0x9100_0000 => {
                let amount = i64::from(self.bits(10, 12)) << (12 * self.bits(22, 1));
                let is_of_stack = self.bits(5, 5) == STACK_POINTER;
                let is_taken = self.bits(30, 1) == 1;
                is_of_stack.then_some(if is_taken { -amount } else { amount })
            }
            // ADD and SUB of a register, AND, ORR and EOR of an immediate, and SVE's ADDVL.
            word if word & 0xbfe0_0000 == 0x8b20_0000 => None,
            word if word & 0x9f80_0000 == 0x9200_0000 && self.bits(29, 2) != 0b11 => None,
            word if word & 0xffa0_f000 == 0x0420_5000 => None,
            _ => Some(0),
        }
    }
}

/// Returns the offset of an access, and what it adds to its base register: afterwards (mode 1) or
/// before (mode 3).
fn indexed(mode: u32, distance: i64) -> (i64, i64) {
    match mode {
        1 => (0, distance),
        3 => (distance, distance),
        _ => (distance, 0),
    }
}

/// Extends an index register.
fn extended(value: u64, option: u32) -> u64 {
    match option {
        0b010 => u64::from(value as u32),
        0b110 => i64::from(value as i32) as u64,
        _ => value,
    }
}

/// Whether it copies or sets memory of any length.
pub(super) fn is_of_any_length(word: u32) -> bool {
    word & 0x3b20_0c00 == 0x1900_0400
}

#[cfg(test)]
mod tests;
