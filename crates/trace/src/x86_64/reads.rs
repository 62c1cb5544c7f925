//! Finds which memory instructions read.

use super::instruction::Instruction;
use super::registers::Registers;
use crate::linux::effects::Read;
use iced_x86::{InstructionInfoFactory, OpAccess, Register, UsedMemory};

/// Returns which of a block's instructions may read memory outside the stack.
pub(crate) fn reads(instructions: &[Instruction]) -> Vec<Read> {
    let mut factory = InstructionInfoFactory::new();
    let mut written: Vec<(Register, usize)> = Vec::new();
    let mut reads = Vec::new();
    for (place, Instruction { decoded: instruction, .. }) in instructions.iter().enumerate() {
        let info = factory.info(instruction);
        let mut since = None;
        for memory in info.used_memory().iter().filter(|memory| is_data(memory)) {
            let needed = [memory.base(), memory.index()].map(Register::full_register);
            let last = written.iter().filter(|(register, _)| needed.contains(register));
            let last = last.map(|(_, place)| place + 1).max().unwrap_or(0);
            since = since.max(Some(last));
        }
        reads.extend(since.map(|since| Read { place, since }));
        let is_written = |access| !matches!(access, OpAccess::Read | OpAccess::CondRead);
        for used in info.used_registers().iter().filter(|used| is_written(used.access())) {
            let register = used.register().full_register();
            written.retain(|(other, _)| *other != register);
            written.push((register, place));
        }
    }
    reads
}

impl Instruction {
    /// Returns address and length in bytes of each part of memory that it reads with these
    /// registers, except the stack; `None` for one whose address is not known.
    pub(crate) fn reads(&self, registers: &Registers) -> Vec<Option<(u64, u64)>> {
        let mut factory = InstructionInfoFactory::new();
        let value = |it: Register, _, _| match it {
            Register::None => Some(0),
            it => registers.value(it),
        };
        // A repeated instruction reads consecutive elements.
        let times = if self.decoded.has_rep_prefix() || self.decoded.has_repne_prefix() {
            registers.0.rcx.clamp(1, 1 << 20)
        } else {
            1
        };
        let all = factory.info(&self.decoded).used_memory().iter().filter(|it| is_data(it));
        let read = all.map(|memory| {
            let bytes = memory.memory_size().size().max(1) as u64;
            Some((memory.virtual_address(0, value)?, bytes * times))
        });
        read.collect()
    }
}

/// Whether the access is a read, and neither of the stack nor of thread-local storage.
fn is_data(memory: &UsedMemory) -> bool {
    let is_read = matches!(
        memory.access(),
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    );
    let is_beside = matches!(memory.segment(), Register::FS | Register::GS);
    is_read && memory.base() != Register::RSP && !is_beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::code::Block;
    use nix::libc::user_regs_struct;

    #[test]
    fn a_read_is_known_by_when_its_registers_were_written_last() {
        let read = |place, since| Read { place, since };
        for (bytes, found) in [
            // mov eax,[rdi]; movzx ecx,al; mov edx,[rsi+rcx*4]; mov ebx,[rsi+rcx*4+4]
            (
                &b"\x8b\x07\x0f\xb6\xc8\x8b\x14\x8e\x8b\x5c\x8e\x04"[..],
                vec![read(0, 0), read(2, 2), read(3, 2)],
            ),
            // mov [rdi],eax; push rax; mov rax,[rsp]; lea rax,[rdi]; mov rax,fs:[0x28]
            (
                b"\x89\x07\x50\x48\x8b\x04\x24\x48\x8d\x07\x64\x48\x8b\x04\x25\x28\x00\x00\x00",
                vec![],
            ),
            // vmovdqu ymm0,[rip+0x10]; add rsi,64; paddb xmm0,[rsi]
            (
                b"\xc5\xfe\x6f\x05\x10\x00\x00\x00\x48\x83\xc6\x40\x66\x0f\xfc\x06",
                vec![read(0, 0), read(2, 2)],
            ),
        ] {
            assert_eq!(Block::at_start(bytes).reads, found, "{bytes:x?}");
        }
    }

    #[test]
    fn a_read_is_at_an_address_and_one_that_repeats_is_longer() {
        let read = |bytes: &[u8], change: &dyn Fn(&mut user_regs_struct)| {
            let mut registers = Registers::default();
            change(&mut registers.0);
            Block::at_start(bytes).instructions[0].reads(&registers)
        };
        // mov rax,[rsi+rcx*8+8]
        let at = |it: &mut user_regs_struct| (it.rsi, it.rcx) = (0x1004, 6);
        assert_eq!(read(b"\x48\x8b\x44\xce\x08", &at), [Some((0x103c, 8))]);
        // rep movsb
        let times = |it: &mut user_regs_struct| (it.rsi, it.rcx) = (0x1000, 129);
        assert_eq!(read(b"\xf3\xa4", &times), [Some((0x1000, 129))]);
    }
}
