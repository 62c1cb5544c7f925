//! Decodes instructions, and simulates those that leave a block.

use super::classes::{class, vector_bits};
use super::registers::Registers;
use crate::NotTraced;
use crate::linux::effects::{End, Memory};
use iced_x86::{
    Code as Kind, ConditionCode, Decoder, DecoderOptions, FlowControl, Mnemonic, OpKind, Register,
};
use std::collections::BTreeSet;

/// The longest instruction in bytes.
pub(crate) const LONGEST: usize = 15;

/// An instruction at its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instruction {
    pub(super) decoded: iced_x86::Instruction,
    bytes: [u8; LONGEST],
}

/// States where an instruction goes that leaves a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Jump(u64),
    /// A conditional branch goes to this address or continues.
    Branch(u64),
    Call(u64),
    CallIndirect,
    JumpIndirect,
    /// A return also releases this many bytes of stack.
    Return(u64),
    SystemCall,
    Breakpoint,
    /// The CPU must execute the instruction to find out.
    Other,
}

impl Instruction {
    /// Decodes the instruction that `bytes`, which are at `address`, begin with.
    pub(crate) fn decode(bytes: &[u8], address: u64) -> Option<Self> {
        let decoded = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        if decoded.is_invalid() {
            return None;
        }
        let mut own = [0; LONGEST];
        own[..decoded.len()].copy_from_slice(&bytes[..decoded.len()]);
        Some(Self { decoded, bytes: own })
    }

    pub(crate) fn address(&self) -> u64 {
        self.decoded.ip()
    }

    /// Returns the address of the instruction behind it.
    pub(crate) fn next(&self) -> u64 {
        self.decoded.next_ip()
    }

    /// Returns its length in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.decoded.len() as u64
    }

    pub(crate) fn is_call(&self) -> bool {
        matches!(self.flow(), Some(Flow::Call(_) | Flow::CallIndirect))
    }

    /// Returns the instruction sets that it needs.
    pub(crate) fn classes(&self) -> BTreeSet<&'static str> {
        self.decoded.cpuid_features().iter().filter_map(|it| class(*it)).collect()
    }

    /// Returns the bits of the widest vector that it uses; 0 if there is none.
    pub(crate) fn vector_bits(&self) -> u32 {
        vector_bits(&self.decoded)
    }

    /// Returns how it leaves a block; `None` if it does not.
    pub(crate) fn end(&self) -> Option<End> {
        Some(match self.flow()? {
            Flow::Call(_) | Flow::CallIndirect | Flow::JumpIndirect => End::Way,
            Flow::SystemCall => End::SystemCall,
            Flow::Breakpoint => End::Mark,
            Flow::Jump(_) | Flow::Branch(_) | Flow::Return(_) | Flow::Other => End::Other,
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
        registers.0.rip = match self.flow() {
            Some(Flow::Jump(target)) => target,
            Some(Flow::Branch(target)) => {
                let is_taken = holds(self.decoded.condition_code(), registers.0.eflags);
                if is_taken { target } else { next }
            }
            Some(Flow::Call(target)) => self.call(target, registers, memory)?,
            Some(Flow::CallIndirect) => {
                let target = self.target(registers, memory)?;
                self.call(target, registers, memory)?
            }
            Some(Flow::JumpIndirect) => self.target(registers, memory)?,
            Some(Flow::Return(further)) => {
                let target = memory.read_word(registers.0.rsp)?;
                registers.0.rsp = registers.0.rsp.wrapping_add(8 + further);
                target
            }
            Some(Flow::SystemCall | Flow::Breakpoint | Flow::Other) | None => return Ok(false),
        };
        Ok(true)
    }

    fn call(
        &self,
        target: u64,
        registers: &mut Registers,
        memory: &dyn Memory,
    ) -> Result<u64, NotTraced> {
        registers.0.rsp = registers.0.rsp.wrapping_sub(8);
        memory.write(registers.0.rsp, &self.next().to_le_bytes())?;
        Ok(target)
    }

    /// Returns the target of an indirect branch.
    fn target(&self, registers: &Registers, memory: &dyn Memory) -> Result<u64, NotTraced> {
        let instruction = &self.decoded;
        // Its name would bring the names of all instructions into the program, and into each process.
        let bytes = &self.bytes[..instruction.len()];
        let no_target = || NotTraced::Lost(format!("a branch of an unknown kind: {bytes:02x?}"));
        let value = |register| registers.value(register);
        match instruction.op0_kind() {
            OpKind::Register => value(instruction.op0_register()).ok_or_else(no_target),
            OpKind::Memory => {
                let address =
                    instruction.virtual_address(0, 0, |register: Register, _, _| value(register));
                memory.read_word(address.ok_or_else(no_target)?)
            }
            _ => Err(no_target()),
        }
    }

    fn flow(&self) -> Option<Flow> {
        let instruction = &self.decoded;
        let target = instruction.near_branch_target();
        let flow = match (instruction.mnemonic(), instruction.flow_control()) {
            (Mnemonic::Syscall, _) => Flow::SystemCall,
            (Mnemonic::Int3, _) => Flow::Breakpoint,
            (_, FlowControl::Next) => return None,
            (_, FlowControl::UnconditionalBranch) if instruction.is_jmp_short_or_near() => {
                Flow::Jump(target)
            }
            (_, FlowControl::ConditionalBranch) if instruction.is_jcc_short_or_near() => {
                Flow::Branch(target)
            }
            (_, FlowControl::Call) if instruction.is_call_near() => Flow::Call(target),
            (_, FlowControl::IndirectCall) if instruction.is_call_near_indirect() => {
                Flow::CallIndirect
            }
            (_, FlowControl::IndirectBranch) if instruction.is_jmp_near_indirect() => {
                Flow::JumpIndirect
            }
            (_, FlowControl::Return) if instruction.code() == Kind::Retnq => Flow::Return(0),
            (_, FlowControl::Return) if instruction.code() == Kind::Retnq_imm16 => {
                Flow::Return(instruction.immediate16().into())
            }
            _ => Flow::Other,
        };
        Some(flow)
    }
}

/// Returns the slot from which the instruction that leaves `block` takes its target.
pub(crate) fn slot(block: &[Instruction]) -> Option<u64> {
    let last = &block.last()?.decoded;
    last.is_ip_rel_memory_operand().then(|| last.ip_rel_memory_address())
}

/// Returns the bytes of instructions without the distances to their branch targets and data.
pub(crate) fn without_distances<'a>(run: impl Iterator<Item = &'a Instruction>) -> Vec<u8> {
    let mut all = Vec::new();
    for Instruction { decoded, mut bytes } in run.copied() {
        let mut decoder = Decoder::with_ip(64, &bytes, decoded.ip(), DecoderOptions::NONE);
        let again = decoder.decode();
        let offsets = decoder.get_constant_offsets(&again);
        if decoded.is_ip_rel_memory_operand() {
            blank(&mut bytes, offsets.displacement_offset(), offsets.displacement_size());
        }
        if decoded.near_branch_target() != 0 {
            blank(&mut bytes, offsets.immediate_offset(), offsets.immediate_size());
        }
        all.extend_from_slice(&bytes[..decoded.len()]);
    }
    all
}

fn blank(bytes: &mut [u8], offset: usize, length: usize) {
    if let Some(distance) = bytes.get_mut(offset..offset + length) {
        distance.fill(0);
    }
}

/// Returns the most stack that `instructions` use, up to the first that sets the stack pointer to a
/// value kept elsewhere.
pub(crate) fn pushes(instructions: &[Instruction]) -> u64 {
    let (mut taken, mut most) = (0_i64, 0_i64);
    for Instruction { decoded: instruction, .. } in instructions {
        let is_moved = instruction.op_count() != 0 && instruction.op0_register() == Register::RSP;
        let bytes = match instruction.mnemonic() {
            Mnemonic::Sub if is_moved && instruction.op1_kind() != OpKind::Register => {
                instruction.immediate(1) as i64
            }
            Mnemonic::Add if is_moved && instruction.op1_kind() != OpKind::Register => {
                -(instruction.immediate(1) as i64)
            }
            Mnemonic::Lea if is_moved && instruction.memory_base() == Register::RSP => {
                -(instruction.memory_displacement64() as i64)
            }
            Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Push => {
                -i64::from(instruction.stack_pointer_increment())
            }
            _ if is_moved => break,
            Mnemonic::Leave | Mnemonic::Enter => break,
            _ => -i64::from(instruction.stack_pointer_increment()),
        };
        taken = taken.saturating_add(bytes);
        most = most.max(taken);
    }
    most as u64
}

/// Whether a conditional jump is taken with these flags (Intel's manual, volume 1, appendix B).
fn holds(condition: ConditionCode, flags: u64) -> bool {
    let flag = |bit: u32| flags >> bit & 1 == 1;
    let (carry, parity, zero, sign, overflow) = (flag(0), flag(2), flag(6), flag(7), flag(11));
    match condition {
        ConditionCode::None => false,
        ConditionCode::o => overflow,
        ConditionCode::no => !overflow,
        ConditionCode::b => carry,
        ConditionCode::ae => !carry,
        ConditionCode::e => zero,
        ConditionCode::ne => !zero,
        ConditionCode::be => carry || zero,
        ConditionCode::a => !carry && !zero,
        ConditionCode::s => sign,
        ConditionCode::ns => !sign,
        ConditionCode::p => parity,
        ConditionCode::np => !parity,
        ConditionCode::l => sign != overflow,
        ConditionCode::ge => sign == overflow,
        ConditionCode::le => zero || sign != overflow,
        ConditionCode::g => !zero && sign == overflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::code::Block;

    #[test]
    fn a_block_ends_where_it_may_go_elsewhere() {
        for (bytes, instructions, flow, last) in [
            // nop; jne +2 · inc eax; ret · xor eax,eax; ret 8 · call next · jmp [rip]
            (&b"\x90\x75\x02"[..], 2, Some(Flow::Branch(0x1005)), 0x1001),
            (b"\xff\xc0\xc3", 2, Some(Flow::Return(0)), 0x1002),
            (b"\x31\xc0\xc2\x08\x00", 2, Some(Flow::Return(8)), 0x1002),
            (b"\xe8\x00\x00\x00\x00", 1, Some(Flow::Call(0x1005)), 0x1000),
            (b"\xff\x25\x00\x00\x00\x00", 1, Some(Flow::JumpIndirect), 0x1000),
            (b"\xff\xd0", 1, Some(Flow::CallIndirect), 0x1000),
            (b"\x0f\x05", 1, Some(Flow::SystemCall), 0x1000),
            // The mark is not one of the block's instructions.
            (b"\x90\xcc", 1, None, 0x1001),
            // loop, jrcxz, ud2
            (b"\xe2\xfe", 1, Some(Flow::Other), 0x1000),
            (b"\xe3\x00", 1, Some(Flow::Other), 0x1000),
            (b"\x0f\x0b", 1, Some(Flow::Other), 0x1000),
            // Unreadable code ends it, too.
            (b"\x90\x0f", 1, None, 0x1001),
        ] {
            let block = Block::at_start(bytes);
            let found = block.instructions.last().and_then(Instruction::flow);
            assert_eq!((block.instructions.len(), found, block.last), (instructions, flow, last));
        }
        let end = |bytes| Block::at_start(bytes).end;
        assert_eq!([end(b"\x90\xcc"), end(b"\x90\x0f")], [End::Mark, End::Falls]);
        assert_eq!([end(b"\xff\xd0"), end(b"\x0f\x05")], [End::Way, End::SystemCall]);
        assert_eq!([end(b"\xc3"), end(b"\xe3\x00")], [End::Other, End::Other]);
    }

    #[test]
    fn what_a_block_takes_of_the_stack_is_the_most_at_any_time() {
        for (bytes, taken) in [
            // push rbx; sub rsp, 0x100; add rsp, 0x100; pop rbx; ret
            (&b"\x53\x48\x81\xec\x00\x01\x00\x00\x48\x81\xc4\x00\x01\x00\x00\x5b\xc3"[..], 0x108),
            // lea rsp, [rsp-0x20]; jmp rax
            (b"\x48\x8d\x64\x24\xe0\xff\xe0", 0x20),
            // push rax; mov rsp, rbp; sub rsp, 0x10; ret
            (b"\x50\x48\x89\xec\x48\x83\xec\x10\xc3", 8),
            (b"\xc3", 0),
        ] {
            assert_eq!(Block::at_start(bytes).pushes, taken, "{bytes:x?}");
        }
    }

    #[test]
    fn a_block_across_chunks_is_whole() {
        static LONG: [u8; 2000] = {
            let mut bytes = [0x90; 2000];
            bytes[1000] = 0xc3;
            bytes
        };
        let found = Block::at_start(&LONG);
        assert_eq!((found.instructions.len(), found.end, found.last), (1001, End::Other, 0x13e8));
    }

    #[test]
    fn branches_are_taken_as_the_cpu_takes_them() {
        const CARRY: u64 = 1;
        const ZERO: u64 = 1 << 6;
        const SIGN: u64 = 1 << 7;
        const OVERFLOW: u64 = 1 << 11;
        for (condition, flags, taken) in [
            (ConditionCode::b, CARRY, true),
            (ConditionCode::a, ZERO, false),
            (ConditionCode::a, 0, true),
            (ConditionCode::l, SIGN, true),
            (ConditionCode::l, SIGN | OVERFLOW, false),
            (ConditionCode::g, SIGN | OVERFLOW, true),
            (ConditionCode::le, ZERO, true),
            (ConditionCode::ne, CARRY, true),
        ] {
            assert_eq!(holds(condition, flags), taken, "{condition:?} {flags:#x}");
        }
    }
}
