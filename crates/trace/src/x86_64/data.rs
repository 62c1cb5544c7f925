//! Records memory reads, from addresses computed with registers.

use super::code::{Decoded, Read, register};
use super::process::Registers;
use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, Register, UsedMemory};
use std::collections::HashSet;

const CACHE_LINE: u64 = 64;

/// The cache lines that were read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Their numbers.
    pub(super) all: HashSet<u64>,
    /// Whether there may be others: if elements of a vector are addresses, or tracing of reads
    /// stopped.
    pub(super) is_part: bool,
    stops: u32,
}

/// The most stops of a call to read registers, at some 20 µs each.
const MOST_STOPS: u32 = 50_000;

/// Returns which of a block's instructions may read memory outside the stack.
pub(super) fn reads(instructions: &[Decoded]) -> Vec<Read> {
    let mut factory = InstructionInfoFactory::new();
    let mut written: Vec<(Register, usize)> = Vec::new();
    let mut reads = Vec::new();
    for (place, Decoded { instruction, .. }) in instructions.iter().enumerate() {
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

impl Lines {
    /// Counts a stop made for a read.
    pub(super) fn stopped(&mut self) {
        self.stops += 1;
        self.is_part |= self.stops > MOST_STOPS;
    }

    /// Adds what `instruction` reads with these registers.
    pub(super) fn add(&mut self, instruction: &Instruction, registers: &Registers) {
        let mut factory = InstructionInfoFactory::new();
        for memory in factory.info(instruction).used_memory().iter().filter(|it| is_data(it)) {
            let value = |it: Register, _, _| match it {
                Register::None => Some(0),
                it => register(registers, it),
            };
            let Some(address) = memory.virtual_address(0, value) else {
                self.is_part = true;
                continue;
            };
            let bytes = memory.memory_size().size().max(1) as u64;
            // A repeated instruction reads consecutive elements.
            let times = if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
                registers.rcx.clamp(1, 1 << 20)
            } else {
                1
            };
            let last = address.saturating_add(bytes * times - 1);
            self.all.extend(address / CACHE_LINE..=last / CACHE_LINE);
        }
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
    use iced_x86::{Decoder, DecoderOptions};

    fn decoded(bytes: &[u8]) -> Vec<Decoded> {
        let instructions = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).into_iter();
        instructions.map(|instruction| Decoded { instruction, bytes: [0; 15] }).collect()
    }

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
            assert_eq!(reads(&decoded(bytes)), found, "{bytes:x?}");
        }
    }

    #[test]
    fn a_read_across_lines_is_of_both_and_one_that_repeats_of_all() {
        let lines = |bytes: &[u8], change: &dyn Fn(&mut Registers)| {
            let mut registers = super::super::process::no_registers();
            change(&mut registers);
            let mut lines = Lines::default();
            lines.add(&decoded(bytes)[0].instruction, &registers);
            let mut all: Vec<u64> = lines.all.into_iter().collect();
            all.sort_unstable();
            all
        };
        // mov rax,[rsi+rcx*8+8]
        let word = b"\x48\x8b\x44\xce\x08";
        let at = |address, index| move |it: &mut Registers| (it.rsi, it.rcx) = (address, index);
        assert_eq!(lines(word, &at(0x1000, 1)), [0x40]);
        assert_eq!(lines(word, &at(0x1000, 6)), [0x40]);
        assert_eq!(lines(word, &at(0x1004, 6)), [0x40, 0x41]);
        // rep movsb
        assert_eq!(lines(b"\xf3\xa4", &at(0x1000, 129)), [0x40, 0x41, 0x42]);
    }
}
