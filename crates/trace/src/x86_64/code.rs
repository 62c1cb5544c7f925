//! Decodes code into blocks, from an entry to the first instruction that may go elsewhere.

use super::classes::class;
use super::process::Registers;
use crate::NotTraced;
use iced_x86::{
    Code as Kind, ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic,
    OpKind, Register,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The longest instruction in bytes, and the most instructions in a block.
const LONGEST: usize = 15;
const MOST: usize = 1024;
/// Bytes read at once.
const CHUNK: usize = 512;

/// All blocks that were entered.
#[derive(Default)]
pub(super) struct Code {
    blocks: HashMap<u64, Rc<Block>>,
}

/// Instructions that run one after the other.
pub(super) struct Block {
    /// Its instructions, including the one that leaves it, unless that is a mark.
    pub(super) instructions: Vec<Decoded>,
    pub(super) end: End,
    /// The address of the instruction that leaves it: a mark, or the next one if none does.
    pub(super) last: u64,
    /// The most stack it uses before it is left, as far as its instructions show.
    pub(super) pushes: u64,
    /// Instructions that may read memory outside the stack, except the one that leaves it.
    pub(super) reads: Vec<Read>,
}

/// An instruction that reads memory at an address that registers determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// Its index in the block.
    pub(super) place: usize,
    /// The index from which on the address registers have their final values; 0 if from the entry.
    pub(super) since: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Decoded {
    pub(super) instruction: Instruction,
    pub(super) bytes: [u8; LONGEST],
}

/// States how a block is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Execution continues behind it, because the block has its maximum length.
    Falls,
    Jump(u64),
    /// A conditional branch goes to this address or continues.
    Branch(u64),
    Call(u64),
    CallIndirect,
    JumpIndirect,
    /// A return also releases this many bytes of stack.
    Return(u64),
    SystemCall,
    /// It ends at a breakpoint instruction in the code.
    Mark,
    /// The CPU must execute the instruction to find out.
    Other,
}

impl Code {
    /// Returns the block entered at `start`, with code from `read`.
    pub(super) fn block(
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
    pub(super) fn instructions(&self, start: u64) -> &[Decoded] {
        self.blocks.get(&start).map_or(&[], |block| &block.instructions)
    }
}

impl Block {
    fn of(instructions: Vec<Decoded>, end: End, last: u64) -> Self {
        // The instruction that leaves the block runs only after the stop.
        let before = match end {
            End::Falls | End::Mark => instructions.len(),
            _ => instructions.len().saturating_sub(1),
        };
        let pushes = pushes(&instructions[..before]);
        let reads = super::data::reads(&instructions[..before]);
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
            let bytes = &chunk[offset.min(length)..length];
            let mut decoder = Decoder::with_ip(64, bytes, at, DecoderOptions::NONE);
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                if instructions.is_empty() {
                    return Err(NotTraced::Lost(format!("no instruction is known at {at:#x}")));
                }
                return Ok(Self::of(instructions, End::Falls, at));
            }
            let end = end(&instruction);
            if end == Some(End::Mark) {
                return Ok(Self::of(instructions, End::Mark, at));
            }
            let mut own = [0; LONGEST];
            own[..instruction.len()].copy_from_slice(&bytes[..instruction.len()]);
            instructions.push(Decoded { instruction, bytes: own });
            if let Some(end) = end {
                return Ok(Self::of(instructions, end, at));
            }
            at = instruction.next_ip();
            if instructions.len() == MOST {
                return Ok(Self::of(instructions, End::Falls, at));
            }
        }
    }
}

/// Returns the most stack that `instructions` use, up to the first that sets the stack pointer to a
/// value kept elsewhere.
fn pushes(instructions: &[Decoded]) -> u64 {
    let (mut taken, mut most) = (0_i64, 0_i64);
    for Decoded { instruction, .. } in instructions {
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

/// Returns how `instruction` leaves a block; `None` if it does not.
fn end(instruction: &Instruction) -> Option<End> {
    let target = instruction.near_branch_target();
    let end = match (instruction.mnemonic(), instruction.flow_control()) {
        (Mnemonic::Syscall, _) => End::SystemCall,
        (Mnemonic::Int3, _) => End::Mark,
        (_, FlowControl::Next) => return None,
        (_, FlowControl::UnconditionalBranch) if instruction.is_jmp_short_or_near() => {
            End::Jump(target)
        }
        (_, FlowControl::ConditionalBranch) if instruction.is_jcc_short_or_near() => {
            End::Branch(target)
        }
        (_, FlowControl::Call) if instruction.is_call_near() => End::Call(target),
        (_, FlowControl::IndirectCall) if instruction.is_call_near_indirect() => End::CallIndirect,
        (_, FlowControl::IndirectBranch) if instruction.is_jmp_near_indirect() => End::JumpIndirect,
        (_, FlowControl::Return) if instruction.code() == Kind::Retnq => End::Return(0),
        (_, FlowControl::Return) if instruction.code() == Kind::Retnq_imm16 => {
            End::Return(instruction.immediate16().into())
        }
        _ => End::Other,
    };
    Some(end)
}

/// Whether a conditional jump is taken with these flags (Intel's manual, volume 1, appendix B).
pub(super) fn holds(condition: ConditionCode, flags: u64) -> bool {
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

/// Returns the value of a register, or the base of a segment, that can be part of an address.
pub(super) fn register(registers: &Registers, register: Register) -> Option<u64> {
    Some(match register {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RBP => registers.rbp,
        Register::RSP => registers.rsp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::FS => registers.fs_base,
        Register::GS => registers.gs_base,
        Register::EAX
        | Register::EBX
        | Register::ECX
        | Register::EDX
        | Register::ESI
        | Register::EDI
        | Register::EBP
        | Register::ESP
        | Register::R8D
        | Register::R9D
        | Register::R10D
        | Register::R11D
        | Register::R12D
        | Register::R13D
        | Register::R14D
        | Register::R15D => self::register(registers, register.full_register())? & 0xffff_ffff,
        Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    })
}

/// Whether code at `address` has an instruction of this class.
pub(super) fn has_class(address: u64, code: &[u8], wanted: &str) -> bool {
    let decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    decoder.into_iter().any(|it| {
        !it.is_invalid()
            && it.cpuid_features().iter().any(|&feature| class(feature) == Some(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(bytes: &'static [u8]) -> Block {
        Block::decode(0x1000, &mut |address, into| {
            let from = &bytes[((address - 0x1000) as usize).min(bytes.len())..];
            let length = from.len().min(into.len());
            into[..length].copy_from_slice(&from[..length]);
            length
        })
        .unwrap()
    }

    #[test]
    fn a_block_ends_where_it_may_go_elsewhere() {
        for (bytes, instructions, end, last) in [
            // nop; jne +2 · inc eax; ret · xor eax,eax; ret 8 · call next · jmp [rip]
            (&b"\x90\x75\x02"[..], 2, End::Branch(0x1005), 0x1001),
            (b"\xff\xc0\xc3", 2, End::Return(0), 0x1002),
            (b"\x31\xc0\xc2\x08\x00", 2, End::Return(8), 0x1002),
            (b"\xe8\x00\x00\x00\x00", 1, End::Call(0x1005), 0x1000),
            (b"\xff\x25\x00\x00\x00\x00", 1, End::JumpIndirect, 0x1000),
            (b"\xff\xd0", 1, End::CallIndirect, 0x1000),
            (b"\x0f\x05", 1, End::SystemCall, 0x1000),
            (b"\x90\xcc", 1, End::Mark, 0x1001),
            // loop, jrcxz, ud2
            (b"\xe2\xfe", 1, End::Other, 0x1000),
            (b"\xe3\x00", 1, End::Other, 0x1000),
            (b"\x0f\x0b", 1, End::Other, 0x1000),
            // Unreadable code ends it, too.
            (b"\x90\x0f", 1, End::Falls, 0x1001),
        ] {
            let found = block(bytes);
            assert_eq!(
                (found.instructions.len(), found.end, found.last),
                (instructions, end, last)
            );
        }
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
            assert_eq!(block(bytes).pushes, taken, "{bytes:x?}");
        }
    }

    #[test]
    fn a_block_across_chunks_is_whole() {
        static LONG: [u8; 2000] = {
            let mut bytes = [0x90; 2000];
            bytes[1000] = 0xc3;
            bytes
        };
        let found = block(&LONG);
        assert_eq!(
            (found.instructions.len(), found.end, found.last),
            (1001, End::Return(0), 0x13e8)
        );
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

    #[test]
    fn a_class_is_found_in_code() {
        // sha256rnds2 xmm1, xmm2
        assert!(has_class(0, b"\x90\x0f\x38\xcb\xca", "SHA-NI"));
        assert!(!has_class(0, b"\x90\x0f\x38\xcb\xca", "AES-NI"));
    }
}
