//! Measures the stack and the heap that a call uses.

use super::architecture::Registers;
use super::effects::Memory;
use super::process::Process;
use crate::NotTraced;
use cpb_model::HeapUse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A larger distance means that another stack is in use.
const DEEPEST: u64 = 1 << 30;

/// Measures the depth of a stack.
pub(crate) struct Stack {
    from: u64,
    lowest: u64,
    is_left: bool,
}

impl Stack {
    /// Starts with the stack pointer at `from`.
    pub(crate) fn from(from: u64) -> Self {
        Self { from, lowest: from, is_left: false }
    }

    pub(crate) fn reaches(&mut self, pointer: u64) {
        self.is_left |= self.from.abs_diff(pointer) > DEEPEST;
        self.lowest = self.lowest.min(pointer);
    }

    /// Returns the depth in bytes; `None` if another stack was used in between.
    pub(crate) fn depth(&self) -> Option<u64> {
        (!self.is_left).then(|| self.from - self.lowest)
    }
}

/// A function of the C library that allocates or frees memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocator {
    Malloc,
    Calloc,
    Realloc,
    /// `aligned_alloc` and `memalign`.
    Aligned,
    PosixMemalign,
    Free,
}

impl Allocator {
    /// All functions by their names.
    pub(crate) const ALL: [(&'static str, Self); 7] = [
        ("malloc", Self::Malloc),
        ("calloc", Self::Calloc),
        ("realloc", Self::Realloc),
        ("aligned_alloc", Self::Aligned),
        ("memalign", Self::Aligned),
        ("posix_memalign", Self::PosixMemalign),
        ("free", Self::Free),
    ];
}

/// Allocator functions by address.
pub(crate) type Allocators = BTreeMap<u64, Allocator>;

/// The heap memory of a call.
#[derive(Default)]
pub(crate) struct Heap {
    pub(crate) used: HeapUse,
    /// The sizes of blocks that are allocated and not freed, by address.
    live: HashMap<u64, u64>,
    /// The sum of these sizes.
    pub(crate) bytes: u64,
    pending: Option<Pending>,
    /// Code whose own allocations are not counted.
    beside: Vec<Range<u64>>,
}

/// A call of an allocator that has not returned.
struct Pending {
    to: u64,
    stack: u64,
    what: Allocator,
    /// The pointer passed, and the bytes requested.
    given: u64,
    bytes: u64,
    is_counted: bool,
}

impl Heap {
    /// Creates one that does not count allocations by code in these ranges.
    pub(crate) fn beside(beside: Vec<Range<u64>>) -> Self {
        Self { beside, ..Self::default() }
    }

    /// Returns where the allocator that was called will return to, if it has not yet.
    pub(crate) fn returns_to(&self) -> Option<u64> {
        self.pending.as_ref().map(|pending| pending.to)
    }

    /// Checks after each block whether the call enters an allocator or returns from one.
    pub(crate) fn follow(
        &mut self,
        registers: &Registers,
        allocators: &Allocators,
        process: &Process,
    ) -> Result<(), NotTraced> {
        if let Some(pending) = &self.pending {
            if (registers.program_counter(), registers.stack_pointer())
                == (pending.to, pending.stack)
            {
                self.came_back(registers, process)?;
            }
            // Allocators that an allocator calls itself are not counted.
            return Ok(());
        }
        let Some(&what) = allocators.get(&registers.program_counter()) else { return Ok(()) };
        let [first, second, third] = registers.arguments();
        let (given, bytes) = match what {
            Allocator::Malloc => (0, first),
            Allocator::Calloc => (0, first.saturating_mul(second)),
            Allocator::Realloc | Allocator::Aligned => (first, second),
            Allocator::PosixMemalign => (first, third),
            Allocator::Free => (first, 0),
        };
        let (to, stack) = registers.returns_to(process)?;
        let is_counted = !self.beside.iter().any(|it| it.contains(&to));
        self.pending = Some(Pending { to, stack, what, given, bytes, is_counted });
        Ok(())
    }

    fn came_back(&mut self, registers: &Registers, process: &Process) -> Result<(), NotTraced> {
        let Some(Pending { what, given, bytes, is_counted, .. }) = self.pending.take() else {
            return Ok(());
        };
        let result = registers.result();
        let block = match what {
            Allocator::Free => {
                self.release(given);
                return Ok(());
            }
            Allocator::PosixMemalign if result == 0 => process.read_word(given)?,
            Allocator::PosixMemalign => 0,
            _ => result,
        };
        if what == Allocator::Realloc && (block != 0 || bytes == 0) {
            self.release(given);
        }
        if block != 0 && is_counted {
            self.used.allocations += 1;
            self.bytes += bytes;
            self.live.insert(block, bytes);
            self.used.peak_bytes = self.used.peak_bytes.max(self.bytes);
        }
        Ok(())
    }

    /// Blocks allocated before the call are not counted.
    fn release(&mut self, block: u64) {
        self.bytes -= self.live.remove(&block).unwrap_or(0);
    }
}
