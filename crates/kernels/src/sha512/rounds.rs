//! Generates the eighty rounds in general registers, for message schedules computed by
//! vectors, as assembly text for x86-64 with BMI1 and BMI2.
//!
//! A round's new e depends on the old e, its new a on the old a. Both dependencies are
//! kept at four cycles, where the usual code for the formulas of FIPS 180-4 section
//! 6.4.2 has five:
//!
//! - e' = (h + k + w + d) + (!e & g) + (e & f) + Sum1(e). The two halves of Ch have no
//!   bits in common, so adding them is correct; Sum1, three steps, comes last.
//! - a' = ((b & c) - d + (a & (b ^ c))) + e' + Sum0(a), since a' = e' - d + Sum0 + Maj;
//!   the two parts of Maj have no bits in common either.
//!
//! The new a goes to a free register, and d's becomes free for the next one. So these
//! five are back in their places after five rounds; e, f, g, h after four.

/// Generates the rounds of a block whose schedule is computed meanwhile. The sums of
/// rounds 0 to 15 are at `rdi` (two every 64 bytes), and the others are stored there as
/// well; `rsi` points to the constants from round 16 on.
///
/// The caller's scope has `begin_words!`, the first half of computing the next two
/// words, which replace the oldest in a register (its arguments are the numbers of the
/// registers of the oldest, the second oldest, the fifth and the sixth), and
/// `end_words!`, the second half (its arguments are the registers of the oldest and the
/// newest, the offset of the constants from `rsi` and the offset of the sums from
/// `rdi`).
macro_rules! rounds_with_schedule {
    () => {
        concat!(
            begin!(),
            "push 4\n",
            ".p2align 6\n",
            "2:\n",
            rounds!("rax" "rcx" "rdx" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15":
                (0 begin_words!(0 1 4 5)) (8 end_words!(0 7 0 512))
                (64 begin_words!(1 2 5 6)) (72 end_words!(1 0 16 576))
                (128 begin_words!(2 3 6 7)) (136 end_words!(2 1 32 640))
                (192 begin_words!(3 4 7 0)) (200 end_words!(3 2 48 704))
                (256 begin_words!(4 5 0 1)) (264 end_words!(4 3 64 768))
                (320 begin_words!(5 6 1 2)) (328 end_words!(5 4 80 832))
                (384 begin_words!(6 7 2 3)) (392 end_words!(6 5 96 896))
                (448 begin_words!(7 0 3 4)) (456 end_words!(7 6 112 960))),
            turn!(),
            "add rdi, 512\n",
            "add rsi, 128\n",
            "dec dword ptr [rsp]\n",
            "jnz 2b\n",
            rounds!("rax" "rcx" "rdx" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15":
                (0 "") (8 "") (64 "") (72 "") (128 "") (136 "") (192 "") (200 "")
                (256 "") (264 "") (320 "") (328 "") (384 "") (392 "") (448 "") (456 "")),
            turn!(),
            "pop rsi\n",
            end!(),
        )
    };
}

/// Generates the rounds of a block whose schedule is complete, at `rdi` like the
/// other's.
macro_rules! rounds_of_schedule {
    () => {
        concat!(
            begin!(),
            "mov esi, 4\n",
            ".p2align 6\n",
            "2:\n",
            rounds!("rax" "rcx" "rdx" "r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15":
                (0 "") (8 "") (64 "") (72 "") (128 "") (136 "") (192 "") (200 "")
                (256 "") (264 "") (320 "") (328 "") (384 "") (392 "") (448 "") (456 "")
                (512 "") (520 "") (576 "") (584 "")),
            "add rdi, 640\n",
            "dec esi\n",
            "jnz 2b\n",
            end!(),
        )
    };
}

/// Emits one round. `z` is free and becomes the new a, `h` the new e; `x` is b ^ c, and
/// `y`, which is free, becomes a ^ b. The sum of word and constant is at `kw`.
#[rustfmt::skip]
macro_rules! round {
    (
        $a:literal $b:literal $c:literal $d:literal $z:literal
        $e:literal $f:literal $g:literal $h:literal
        $x:literal $y:literal $kw:expr
    ) => {
        concat!(
            "add ", $h, ", qword ptr ", $kw, "\n",
            "rorx rbx, ", $e, ", 14\n",
            "rorx rbp, ", $e, ", 18\n",
            "add ", $h, ", ", $d, "\n",
            "xor rbx, rbp\n",
            "andn rbp, ", $e, ", ", $g, "\n",
            "mov ", $y, ", ", $a, "\n",
            "add ", $h, ", rbp\n",
            "rorx rbp, ", $e, ", 41\n",
            "xor rbx, rbp\n",
            "mov rbp, ", $e, "\n",
            "and rbp, ", $f, "\n",
            "mov ", $z, ", ", $b, "\n",
            "add ", $h, ", rbp\n",
            "and ", $z, ", ", $c, "\n",
            "add ", $h, ", rbx\n",
            "sub ", $z, ", ", $d, "\n",
            "and ", $x, ", ", $a, "\n",
            "rorx rbx, ", $a, ", 28\n",
            "rorx rbp, ", $a, ", 34\n",
            "add ", $z, ", ", $x, "\n",
            "xor ", $y, ", ", $b, "\n",
            "xor rbx, rbp\n",
            "rorx rbp, ", $a, ", 39\n",
            "add ", $z, ", ", $h, "\n",
            "xor rbx, rbp\n",
            "add ", $z, ", rbx\n",
        )
    };
}

/// Emits rounds, each with the offset of its sum of word and constant from `rdi`, and
/// with other work to do meanwhile.
macro_rules! rounds {
    (
        $a:literal $b:literal $c:literal $d:literal $z:literal
        $e:literal $f:literal $g:literal $h:literal
        $x:literal $y:literal:
    ) => {
        ""
    };
    (
        $a:literal $b:literal $c:literal $d:literal $z:literal
        $e:literal $f:literal $g:literal $h:literal
        $x:literal $y:literal:
        ($kw:literal $meanwhile:expr) $($rest:tt)*
    ) => {
        concat!(
            $meanwhile,
            round!($a $b $c $d $z $e $f $g $h $x $y concat!("[rdi + ", $kw, "]")),
            rounds!($z $a $b $c $d $h $e $f $g $y $x: $($rest)*),
        )
    };
}

/// Puts a, b, c, d back after sixteen rounds.
macro_rules! turn {
    () => {
        "mov r8, rdx\nmov rdx, rcx\nmov rcx, rax\nmov rax, r9\n"
    };
}
/// Loads a chaining value from `rax`, which is pushed to the stack together with `rbx`
/// and `rbp`.
macro_rules! begin {
    () => {
        concat!(
            "push rbx\n",
            "push rbp\n",
            "push rax\n",
            "mov rcx, qword ptr [rax + 8]\n",
            "mov rdx, qword ptr [rax + 16]\n",
            "mov r8, qword ptr [rax + 24]\n",
            "mov r10, qword ptr [rax + 32]\n",
            "mov r11, qword ptr [rax + 40]\n",
            "mov r12, qword ptr [rax + 48]\n",
            "mov r13, qword ptr [rax + 56]\n",
            "mov rax, qword ptr [rax]\n",
            "mov r14, rcx\n",
            "xor r14, rdx\n",
        )
    };
}
/// Adds the result of the rounds to the chaining value.
macro_rules! end {
    () => {
        concat!(
            "pop rsi\n",
            "pop rbp\n",
            "pop rbx\n",
            "add qword ptr [rsi], rax\n",
            "add qword ptr [rsi + 8], rcx\n",
            "add qword ptr [rsi + 16], rdx\n",
            "add qword ptr [rsi + 24], r8\n",
            "add qword ptr [rsi + 32], r10\n",
            "add qword ptr [rsi + 40], r11\n",
            "add qword ptr [rsi + 48], r12\n",
            "add qword ptr [rsi + 56], r13\n",
        )
    };
}
