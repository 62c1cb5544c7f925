use super::*;

fn block(words: &[u32]) -> Vec<Instruction> {
    let decoded = words.iter().zip((0x1000..).step_by(4));
    decoded.filter_map(|(word, at)| Instruction::decode(&word.to_le_bytes(), at)).collect()
}

#[test]
fn what_a_block_takes_of_the_stack_is_the_most_at_any_time() {
    for (words, taken) in [
        // stp x29, x30, [sp, #-32]!; sub sp, sp, #0x100; add sp, sp, #0x100; ldp …, [sp], #32
        (&[0xa9be_7bfd, 0xd104_03ff, 0x9104_03ff, 0xa8c2_7bfd][..], 0x120),
        // sub sp, sp, #1, lsl #12; sub x0, x0, #16
        (&[0xd140_07ff, 0xd100_4000], 0x1000),
        // str x0, [sp, #-16]!; mov sp, x29; sub sp, sp, #0x100
        (&[0xf81f_0fe0, 0x9100_03bf, 0xd104_03ff], 16),
        // sub sp, sp, x0; sub sp, sp, #0x100
        (&[0xcb20_63ff, 0xd104_03ff], 0),
    ] {
        assert_eq!(pushes(&block(words)), taken, "{words:x?}");
    }
}

#[test]
fn a_read_is_known_by_when_its_registers_were_written_last() {
    let read = |place, since| Read { place, since };
    for (words, found) in [
        // ldr w0, [x1]; add x2, x1, x2; ldr x4, [x5, x2, lsl #3]; ldrb w2, [x3, w2, uxtw]
        (
            &[0xb940_0020, 0x8b02_0022, 0xf862_78a4, 0x3862_4862][..],
            vec![read(0, 0), read(2, 2), read(3, 2)],
        ),
        // ldr x4, [sp]; str x0, [x1]; prfm [x0]
        (&[0xf940_03e4, 0xf900_0020, 0xf980_0000], vec![]),
        // ld1 {v0-v3}, [x1], #64; ldr q0, [x1, #16]; umov w1, v0.b[1]; ldr q0, [x1, #16]
        (
            &[0x4cdf_2020, 0x3dc0_0420, 0x0e03_3c01, 0x3dc0_0420],
            vec![read(0, 0), read(1, 1), read(3, 3)],
        ),
        // aese v1, v2; fadd d1, d1, d2; ldr q0, [x1, #16]
        (&[0x4e28_4841, 0x1e62_2821, 0x3dc0_0420], vec![read(2, 0)]),
    ] {
        assert_eq!(reads(&block(words)), found, "{words:x?}");
    }
}

#[test]
fn a_read_is_at_an_address() {
    let mut registers = Registers::default();
    (registers.general[1], registers.general[5]) = (0x2000, 0x5000);
    (registers.general[2], registers.general[3]) = (0xffff_ffff_0000_0002, 0x3000);
    for (word, found) in [
        // ldr w0, [x1]; ldr q0, [x1, #16]; ldp q0, q1, [x2, #-32]; ldr x0, .-160
        (0xb940_0020, Some((0x2000, 4))),
        (0x3dc0_0420, Some((0x2010, 16))),
        (0xad7f_0440, Some((0xffff_fffe_ffff_ffe2, 32))),
        (0x58ff_fb00, Some((0xf60, 8))),
        // ldrb w2, [x3, w2, uxtw]; ldr x4, [x5, x2, lsl #3]; ld1 {v0-v3}, [x1], #64
        (0x3862_4862, Some((0x3002, 1))),
        (0xf862_78a4, Some((0xffff_fff8_0000_5010, 8))),
        (0x4cdf_2020, Some((0x2000, 64))),
        // ldadd x0, x1, [x2]; casp x0, x1, x2, x3, [x5]; ld1b {z0.b}, p0/z, [x0]; cpyp
        (0xf820_0041, Some((0xffff_ffff_0000_0002, 8))),
        (0x4820_7ca2, Some((0x5000, 16))),
        (0xa400_a000, None),
        (0x1d04_0440, None),
    ] {
        assert_eq!(block(&[word])[0].reads(&registers), [found], "{word:#x}");
    }
}
