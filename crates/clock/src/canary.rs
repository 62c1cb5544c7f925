//! Loops over what no other loop of this crate touches: many pages of code, many pages of data, and
//! many indirect calls.
//!
//! A virtual machine can change for minutes without a neighbour: its host may split large pages
//! under it or join them, which costs nothing but calls that go through many pages. All probes say
//! quiet then. These loops move when that happens, so that figures from before and after are known
//! to be of two machines.

use rustix::mm::{self, MapFlags, MprotectFlags, ProtFlags};
use std::hint::black_box;
use std::ptr;

/// Pages that are walked over: about as many as OpenSSL goes through in a call of an AEAD, which
/// such a change made slower.
const PAGES: usize = 96;
/// Pages are visited in steps of so many, which has no divisor in common with them, so that no
/// prefetcher of the next page helps.
const STRIDE: usize = 29;
/// Functions that are called through pointers: a core that predicts all of them now may fail to
/// when its predictor is shared or flushed.
const FUNCTIONS: usize = 128;
const FUNCTION_BYTES: usize = 32;
/// Bytes of a cache line. Neighbouring pages use different lines, so that no set of a cache has all.
const LINE: usize = 64;
/// How often a run goes through all of it.
const PASSES: usize = 4;

/// One of the loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canary {
    /// A call to a function in each of 96 pages.
    CodePages,
    /// A load from each of as many pages, of an address that the load before returned.
    DataPages,
    /// A call through a pointer to each of 128 functions, which lie in a few pages.
    IndirectCalls,
}

impl Canary {
    /// Every loop.
    pub const ALL: [Canary; 3] = [Canary::CodePages, Canary::DataPages, Canary::IndirectCalls];

    /// Its name in a record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Canary::CodePages => "code-pages",
            Canary::DataPages => "data-pages",
            Canary::IndirectCalls => "indirect-calls",
        }
    }

    /// Calls or loads in a run.
    #[must_use]
    pub fn steps(self) -> u64 {
        let each = if self == Canary::IndirectCalls { FUNCTIONS } else { PAGES };
        (each * PASSES) as u64
    }
}

type Function = extern "C" fn(u64) -> u64;

/// The code and data that the loops go through.
pub struct Canaries {
    code: Code,
    /// Functions in [`PAGES`] pages, and in a few.
    far: Vec<Function>,
    near: Vec<Function>,
    /// Where the next load is from.
    data: Vec<usize>,
}

impl Canaries {
    /// Maps pages, and writes a function into each; `None` where the system lets nobody do so.
    #[must_use]
    pub fn new() -> Option<Self> {
        let page = rustix::param::page_size();
        let visited = (0..PAGES).map(|visit| visit * STRIDE % PAGES);
        let offset = |index: usize| index * page + index * LINE % page;
        let far: Vec<usize> = visited.clone().map(offset).collect();
        let near: Vec<usize> = (0..FUNCTIONS)
            .map(|call| PAGES * page + call * (STRIDE + 2) % FUNCTIONS * FUNCTION_BYTES)
            .collect();
        let bytes = PAGES * page + FUNCTIONS * FUNCTION_BYTES;
        let code = Code::with_functions(bytes, far.iter().chain(&near))?;
        let [far, near] = [far, near].map(|all| all.iter().map(|&at| code.function(at)).collect());
        let word = |index: usize| offset(index) / size_of::<usize>();
        let mut data = vec![0; PAGES * page / size_of::<usize>()];
        let visits: Vec<usize> = visited.map(word).collect();
        for (visit, &at) in visits.iter().enumerate() {
            data[at] = visits[(visit + 1) % PAGES];
        }
        Some(Self { code, far, near, data })
    }

    /// Goes through all of one of them, a few times.
    pub fn run(&self, it: Canary) {
        let call_all = |functions: &[Function]| {
            for _ in 0..PASSES {
                functions.iter().fold(0, |value, function| black_box(function)(value));
            }
        };
        // The functions last as long as their code.
        black_box(&self.code);
        match it {
            Canary::CodePages => call_all(&self.far),
            Canary::IndirectCalls => call_all(&self.near),
            Canary::DataPages => {
                let mut at = black_box(0);
                for _ in 0..PASSES * PAGES {
                    at = self.data[at];
                }
                black_box(at);
            }
        }
    }
}

/// A function that adds one to its argument: `lea rax, [rdi + 1]; ret`.
#[cfg(target_arch = "x86_64")]
const ADD_ONE: [u8; 5] = [0x48, 0x8d, 0x47, 0x01, 0xc3];
/// The same: `add x0, x0, #1; ret`.
#[cfg(target_arch = "aarch64")]
const ADD_ONE: [u8; 8] = [0x00, 0x04, 0x00, 0x91, 0xc0, 0x03, 0x5f, 0xd6];

/// Memory that can be executed, and no longer written.
struct Code {
    start: *mut u8,
    bytes: usize,
}

impl Code {
    fn with_functions<'a>(bytes: usize, at: impl Iterator<Item = &'a usize>) -> Option<Self> {
        let writable = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses where, and nothing else is there.
        let start =
            unsafe { mm::mmap_anonymous(ptr::null_mut(), bytes, writable, MapFlags::PRIVATE) };
        let code = Self { start: start.ok()?.cast(), bytes };
        for &at in at {
            assert!(at + ADD_ONE.len() <= bytes, "a function lies in the mapping");
            // SAFETY: this many bytes from there are in the mapping, and nobody else's.
            unsafe { code.start.add(at).copy_from_nonoverlapping(ADD_ONE.as_ptr(), ADD_ONE.len()) };
            code.make_visible(at);
        }
        let executable = MprotectFlags::READ | MprotectFlags::EXEC;
        // SAFETY: it is the whole mapping, of which there is no reference.
        unsafe { mm::mprotect(code.start.cast(), bytes, executable) }.ok()?;
        Some(code)
    }

    /// Has the function at `at` be fetched as it was written, which only ARM has to be told.
    #[cfg(target_arch = "aarch64")]
    fn make_visible(&self, at: usize) {
        // The shortest line of a cache that the architecture allows is four bytes.
        for at in (at..at + ADD_ONE.len()).step_by(4) {
            // SAFETY: it is in the mapping; cleaning a line and barriers change no memory.
            unsafe {
                let address = self.start.add(at);
                std::arch::asm!(
                    "dc cvau, {0}", "dsb ish", "ic ivau, {0}", "dsb ish", "isb",
                    in(reg) address,
                );
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn make_visible(&self, _: usize) {}

    fn function(&self, at: usize) -> Function {
        // SAFETY: one was written there, with this signature, and stays for as long as `self`.
        unsafe { std::mem::transmute::<*mut u8, Function>(self.start.add(at)) }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: it is the whole mapping, and who has functions of it has it, too.
        let _ = unsafe { mm::munmap(self.start.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_loop_goes_through_all_that_it_is_to() {
        let canaries = Canaries::new().expect("pages of code can be had here");
        let page = rustix::param::page_size();
        for (functions, pages) in
            [(&canaries.far, PAGES), (&canaries.near, (FUNCTIONS * FUNCTION_BYTES).div_ceil(page))]
        {
            let at: BTreeSet<usize> = functions.iter().map(|it| *it as usize).collect();
            assert_eq!(at.len(), functions.len(), "no two are one");
            let touched: BTreeSet<usize> = at.iter().map(|at| at / page).collect();
            assert_eq!(touched.len(), pages);
            assert!(functions.iter().all(|function| function(41) == 42));
        }
        let (mut at, mut seen) = (0, BTreeSet::new());
        while seen.insert(at) {
            at = canaries.data[at];
        }
        assert_eq!((at, seen.len()), (0, PAGES));
        Canary::ALL.into_iter().for_each(|it| canaries.run(it));
    }
}
