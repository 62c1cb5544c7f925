//! Measures how much of the stack a call writes to, by painting it with a pattern.

use cpb_provider::Prepared;
use std::hint::black_box;

/// The depth to which the stack is painted; less if it has less room.
const DEEPEST: usize = 4 << 20;
const WORD: usize = size_of::<u64>();
/// The pattern, which no call is likely to write: neither a small number, nor an address, nor text.
const PAINT: u64 = 0xa9d3_5b17_e4c2_8f6d;

/// Returns the bytes of stack that `call` writes to, minus those of making no call: down to the
/// lowest word that changed. Reserved but unwritten stack is not seen. `None` if the stack is too
/// small, or the architecture is not supported.
///
/// It must be called on a process's first thread, whose stack grows up to the system's limit.
pub fn stack_written(call: &mut dyn Prepared) -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let half = limit.map_or(DEEPEST, |limit| usize::try_from(limit / 2).unwrap_or(DEEPEST));
    let words = DEEPEST.min(half) / WORD;
    let mut written = |calls| {
        let bytes = written(call, calls, words);
        (bytes < words * WORD && bytes != 0).then_some(bytes)
    };
    let nothing = written(0)?;
    written(1).map(|bytes| bytes.saturating_sub(nothing) as u64)
}

/// Returns how deep the stack is written by this many calls; 0 if the architecture is not
/// supported.
#[inline(never)]
fn written(call: &mut dyn Prepared, calls: u64, words: usize) -> usize {
    let from = paint(words);
    black_box(&mut *call).run(black_box(calls));
    from.map_or(0, |from| from - lowest_written(from, words))
}

/// Paints this many words below the stack pointer, and returns the stack pointer.
#[inline(always)]
fn paint(words: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let from: usize;
        // SAFETY: nothing is stored below the stack pointer, because the assembly may use the
        // stack, and the stack has room that far.
        unsafe {
            std::arch::asm!(
                "mov {from}, rsp",
                "mov {at}, rsp",
                "2:",
                "sub {at}, 8",
                "mov qword ptr [{at}], {paint}",
                "dec {words}",
                "jnz 2b",
                from = out(reg) from,
                at = out(reg) _,
                paint = in(reg) PAINT,
                words = inout(reg) words => _,
            );
        }
        Some(from)
    }
    #[cfg(target_arch = "aarch64")]
    {
        let from: usize;
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "mov {from}, sp",
                "mov {at}, sp",
                "2:",
                "str {paint}, [{at}, #-8]!",
                "subs {words}, {words}, #1",
                "b.ne 2b",
                from = out(reg) from,
                at = out(reg) _,
                paint = in(reg) PAINT,
                words = inout(reg) words => _,
            );
        }
        Some(from)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = words;
        None
    }
}

/// Returns the address of the lowest word that lost its paint; `from` if none did.
#[inline(always)]
fn lowest_written(from: usize, words: usize) -> usize {
    #[allow(unused_mut, reason = "only what knows how to look moves it")]
    let mut at = from - words * WORD;
    // SAFETY: so far down the stack was painted, and reading it changes nothing.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "2:",
            "cmp qword ptr [{at}], {paint}",
            "jne 3f",
            "add {at}, 8",
            "cmp {at}, {from}",
            "jb 2b",
            "3:",
            at = inout(reg) at,
            from = in(reg) from,
            paint = in(reg) PAINT,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "2:",
            "ldr {word}, [{at}]",
            "cmp {word}, {paint}",
            "b.ne 3f",
            "add {at}, {at}, #8",
            "cmp {at}, {from}",
            "b.lo 2b",
            "3:",
            at = inout(reg) at,
            from = in(reg) from,
            paint = in(reg) PAINT,
            word = out(reg) _,
        );
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes to this many bytes of the stack, or to a single one far down.
    struct Deep {
        bytes: usize,
    }

    #[inline(never)]
    fn wide<const BYTES: usize>() {
        let mut room = [0_u8; BYTES];
        room.fill(black_box(1));
        black_box(&mut room);
    }

    impl Prepared for Deep {
        fn run(&mut self, calls: u64) {
            for _ in 0..calls {
                match self.bytes {
                    0 => {}
                    4096 => wide::<4096>(),
                    _ => wide::<100_000>(),
                }
            }
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(Vec::new())
        }
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn what_is_written_is_seen_within_what_frames_take() {
        // The stack of this thread has 2 MiB.
        const WORDS: usize = (1 << 20) / WORD;
        for bytes in [4096, 100_000] {
            let mut call = Deep { bytes };
            let nothing = written(&mut call, 0, WORDS);
            let found = written(&mut call, 1, WORDS) - nothing;
            // Writes of zero calls are subtracted too; an unoptimised build keeps more.
            assert!((bytes - 64..bytes + 512).contains(&found), "{bytes}: {found}");
        }
        let mut call = Deep { bytes: 0 };
        let nothing = written(&mut call, 0, WORDS);
        assert!(written(&mut call, 1, WORDS).saturating_sub(nothing) < 512);
    }
}
