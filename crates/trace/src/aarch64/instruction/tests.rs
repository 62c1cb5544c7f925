use super::*;
use std::cell::RefCell;
use std::collections::BTreeMap;

const AT: u64 = 0x1000;

fn at(address: u64, word: u32) -> Instruction {
    Instruction { address, word }
}

fn block(words: &[u32]) -> Vec<Instruction> {
    words.iter().zip((AT..).step_by(4)).map(|(word, address)| at(address, *word)).collect()
}

/// Memory of bytes that are 0 until they are written.
#[derive(Default)]
struct Bytes(RefCell<BTreeMap<u64, u8>>);

impl Memory for Bytes {
    fn read_exact(&self, address: u64, bytes: &mut [u8]) -> Result<(), NotTraced> {
        for (byte, address) in bytes.iter_mut().zip(address..) {
            *byte = self.0.borrow().get(&address).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), NotTraced> {
        self.0.borrow_mut().extend((address..).zip(bytes.iter().copied()));
        Ok(())
    }
}

#[test]
fn what_goes_elsewhere_is_known_with_its_target() {
    for (word, flow) in [
        // b .+0x1000; bl .-4; b.ne .+8
        (0x1400_0400, Some(Flow::Jump(0x2000))),
        (0x97ff_ffff, Some(Flow::Call(0xffc))),
        (0x5400_0041, Some(Flow::Branch(0x1008))),
        // cbz w3, .-12; cbnz x3, .-16; tbz x5, #33, .-20; tbnz w5, #3, .-24
        (0x34ff_ffa3, Some(Flow::Branch(0xff4))),
        (0xb5ff_ff83, Some(Flow::Branch(0xff0))),
        (0xb60f_ff65, Some(Flow::Branch(0xfec))),
        (0x371f_ff45, Some(Flow::Branch(0xfe8))),
        // br x17; blr x8; ret; ret x3; retaa
        (0xd61f_0220, Some(Flow::JumpIndirect(17))),
        (0xd63f_0100, Some(Flow::CallIndirect(8))),
        (0xd65f_03c0, Some(Flow::Return(30))),
        (0xd65f_0060, Some(Flow::Return(3))),
        (0xd65f_0bff, Some(Flow::Other)),
        // svc #0; brk #0; udf #0
        (0xd400_0001, Some(Flow::SystemCall)),
        (0xd420_0000, Some(Flow::Breakpoint)),
        (0, Some(Flow::Other)),
        // ldaxr, stlxrb, ldxp, stxp; casp, ldar; nop; mrs x0, tpidr_el0; add
        (0x885f_fc20, Some(Flow::Exclusive)),
        (0x0802_fc83, Some(Flow::Exclusive)),
        (0xc87f_0440, Some(Flow::Exclusive)),
        (0xc825_07e0, Some(Flow::Exclusive)),
        (0x4820_7c82, None),
        (0xc8df_fc20, None),
        (0xd503_201f, None),
        (0xd53b_d040, None),
        (0x8b02_0020, None),
    ] {
        assert_eq!(at(AT, word).flow(), flow, "{word:#x}");
    }
    assert!(at(AT, 0xd63f_0100).is_call() && !at(AT, 0xd61f_0220).is_call());
}

#[test]
fn branches_are_taken_as_the_cpu_takes_them() {
    for (condition, flags, taken) in [
        (0b0000, 1 << ZERO, true),
        (0b0001, 1 << ZERO, false),
        (0b0010, 1 << CARRY, true),
        (0b0100, 1 << NEGATIVE, true),
        (0b0111, 1 << OVERFLOW, false),
        (0b1000, 1 << CARRY, true),
        (0b1000, 1 << CARRY | 1 << ZERO, false),
        (0b1001, 0, true),
        (0b1010, 1 << NEGATIVE | 1 << OVERFLOW, true),
        (0b1011, 1 << NEGATIVE, true),
        (0b1100, 1 << ZERO, false),
        (0b1101, 1 << ZERO, true),
        (0b1110, 0, true),
        (0b1111, 0, true),
    ] {
        assert_eq!(holds(condition, flags), taken, "{condition:#b} {flags:#x}");
    }
    for (word, value, taken) in [
        // cbz w3; cbnz x3; tbz x5, #33; tbnz w5, #3
        (0x34ff_ffa3, 1 << 32, true),
        (0x34ff_ffa3, 1, false),
        (0xb5ff_ff83, 1 << 32, true),
        (0xb5ff_ff83, 0, false),
        (0xb60f_ff65, 1 << 32, true),
        (0xb60f_ff65, 1 << 33, false),
        (0x371f_ff45, 8, true),
        (0x371f_ff45, 7, false),
    ] {
        let mut registers = Registers::default();
        registers.set(word & 0x1f, value);
        assert_eq!(at(AT, word).is_taken(&registers), taken, "{word:#x} {value:#x}");
    }
}

#[test]
fn calls_and_exclusive_accesses_do_what_the_cpu_does() {
    let memory = Bytes::default();
    let mut registers = Registers { stack_pointer: 0x8000, ..Registers::default() };
    let run = |word: u32, registers: &mut Registers| {
        assert_eq!(at(AT, word).simulate(registers, &memory), Ok(true), "{word:#x}");
    };
    // blr x30 goes where the register pointed before.
    registers.set(30, 0x5000);
    run(0xd63f_03c0, &mut registers);
    assert_eq!((registers.program_counter, registers.value(30)), (0x5000, AT + 4));
    run(0xd65f_03c0, &mut registers);
    assert_eq!(registers.program_counter, AT + 4);
    // stxp w5, x0, x1, [sp]; ldxp x0, x1, [x2], which gets both back.
    (0..2).for_each(|register| registers.set(register, u64::MAX - u64::from(register)));
    registers.set(5, 1);
    run(0xc825_07e0, &mut registers);
    assert_eq!((registers.value(5), registers.program_counter), (0, AT + 4));
    (0..2).for_each(|register| registers.set(register, 0));
    registers.set(2, 0x8000);
    run(0xc87f_0440, &mut registers);
    assert_eq!([registers.value(0), registers.value(1)], [u64::MAX, u64::MAX - 1]);
    // ldaxr w0, [x1] gets 32 bits; stlxrb w2, w3, [x4] stores 8.
    registers.set(1, 0x8000);
    run(0x885f_fc20, &mut registers);
    assert_eq!(registers.value(0), u64::from(u32::MAX));
    (registers.general[3], registers.general[4]) = (0x1234, 0x8001);
    run(0x0802_fc83, &mut registers);
    assert_eq!(memory.read_word(0x8000), Ok(u64::MAX - 0xff00 + 0x3400));
    // svc #0 and retaa are the CPU's.
    for word in [0xd400_0001, 0xd65f_0bff] {
        assert_eq!(at(AT, word).simulate(&mut registers, &memory), Ok(false));
    }
}

#[test]
fn the_slot_of_a_call_is_where_its_target_is_loaded_from() {
    // adrp x16, .+0x11000; ldr x17, [x16, #0x18]; add x16, x16, #0x18; br x17
    let stub = block(&[0xb000_0090, 0xf940_0e11, 0x9100_6210, 0xd61f_0220]);
    assert_eq!(slot(&stub), Some(0x1_2018));
    assert_eq!(slot(&stub[..3]), None);
    assert_eq!(slot(&stub[1..]), None);
    // The register is written again in between (mov x17, x0).
    assert_eq!(slot(&block(&[0xb000_0090, 0xf940_0e11, 0xaa00_03f1, 0xd61f_0220])), None);
}

#[test]
fn the_same_code_elsewhere_is_the_same_without_distances() {
    let without = |words: &[u32]| without_distances(block(words).iter());
    // adrp x16; ldr x17, [x16, #0x18]; bl; b.ne; ldr x0, [x1, #8]
    let code = [0xb000_0090, 0xf940_0e11, 0x97ff_ffff, 0x5400_0041, 0xf940_0420];
    assert_eq!(
        without(&code),
        without(&[0x9000_0010, 0xf940_1211, 0x9400_0001, 0x5400_0001, 0xf940_0420])
    );
    // nop, which aligns what follows it.
    assert_eq!(without(&code), without(&[&code[..2], &[0xd503_201f], &code[2..]].concat()));
    // Another register, another condition, another offset in no page.
    for other in [
        [0xb000_0091, 0xf940_0e11, 0x97ff_ffff, 0x5400_0041, 0xf940_0420],
        [0xb000_0090, 0xf940_0e11, 0x97ff_ffff, 0x5400_0040, 0xf940_0420],
        [0xb000_0090, 0xf940_0e11, 0x97ff_ffff, 0x5400_0041, 0xf940_0820],
    ] {
        assert_ne!(without(&code), without(&other), "{other:x?}");
    }
}

#[cfg(target_arch = "aarch64")]
#[test]
fn a_block_ends_where_it_may_go_elsewhere() {
    use crate::linux::code::Block;
    let bytes = |words: &[u32]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let nops = |count| bytes(&[0xd503_201f]).repeat(count);
    for (last, end, kept) in [
        (0xd65f_03c0, End::Other, 1001),
        (0x885f_fc20, End::Other, 1001),
        (0xd63f_0100, End::Way, 1001),
        (0xd400_0001, End::SystemCall, 1001),
        // The mark is not one of the block's instructions.
        (0xd420_0000, End::Mark, 1000),
    ] {
        let block = Block::at_start(&[nops(1000), bytes(&[last, 0x8b02_0020])].concat());
        assert_eq!((block.end, block.instructions.len(), block.last), (end, kept, 0x1fa0));
    }
    let cut = Block::at_start(&nops(2)[..6]);
    assert_eq!((cut.end, cut.instructions.len(), cut.last), (End::Falls, 1, 0x1004));
}
