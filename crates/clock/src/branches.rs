//! Emptying the branch target buffer of what ran before.

use std::arch::global_asm;

/// How many jumps there are: more than any branch target buffer that is documented has entries (AMD Zen 5: 24,576;
/// Intel Golden Cove and Arm Neoverse V2: 12,288). On a core with more of them a part stays as it was.
const JUMPS: usize = 32_768;
/// Bytes from one jump to the next.
const STRIDE: usize = 16;

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".pushsection .text.cpb_jumps, \"ax\", %progbits",
    ".p2align 6",
    ".globl cpb_jumps",
    ".hidden cpb_jumps",
    "cpb_jumps:",
    ".rept {jumps}",
    ".byte 0xeb, {stride} - 2",
    ".fill {stride} - 2, 1, 0x90",
    ".endr",
    "ret",
    ".popsection",
    jumps = const JUMPS,
    stride = const STRIDE,
);
#[cfg(target_arch = "aarch64")]
global_asm!(
    ".pushsection .text.cpb_jumps, \"ax\", %progbits",
    ".p2align 6",
    ".globl cpb_jumps",
    ".hidden cpb_jumps",
    "cpb_jumps:",
    ".rept {jumps}",
    "b .+{stride}",
    ".fill {stride} / 4 - 1, 4, 0xd503201f",
    ".endr",
    "ret",
    ".popsection",
    jumps = const JUMPS,
    stride = const STRIDE,
);

unsafe extern "C" {
    fn cpb_jumps();
}

/// Runs more jumps than the core remembers, so that no branch of what ran before is taken for one of the code that
/// comes next. Takes 0.1 to 0.3 ms; what comes next has to warm up.
pub fn forget() {
    // SAFETY: jumps forward over no-operations, and a return: no register and no memory changes.
    unsafe { cpb_jumps() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first instruction of each stride, up to the return, as the CPU finds them.
    fn firsts() -> Vec<[u8; 4]> {
        let start = cpb_jumps as *const u8;
        let at = |index: usize| {
            // SAFETY: `JUMPS` strides of code and an instruction more are there; on x86-64 the return
            // is a byte, and the section's alignment or other code follows.
            unsafe { start.add(index * STRIDE).cast::<[u8; 4]>().read() }
        };
        (0..JUMPS).map(at).collect()
    }

    #[test]
    fn each_jump_leads_to_the_next() {
        let jump: &[u8] = if cfg!(target_arch = "x86_64") { &[0xeb, 14] } else { &[4, 0, 0, 0x14] };
        assert!(firsts().iter().all(|first| first.starts_with(jump)));
        forget();
    }
}
