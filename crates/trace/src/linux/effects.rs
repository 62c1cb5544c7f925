//! Defines what instructions of every architecture do: the memory that they work on, what they read,
//! and how they leave a block.

use crate::NotTraced;

/// Memory that instructions read and write.
pub(crate) trait Memory {
    fn read_exact(&self, address: u64, bytes: &mut [u8]) -> Result<(), NotTraced>;

    /// Writes memory, even to pages that are not writable.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), NotTraced>;

    fn read_word(&self, address: u64) -> Result<u64, NotTraced> {
        let mut word = [0; 8];
        self.read_exact(address, &mut word)?;
        Ok(u64::from_le_bytes(word))
    }
}

/// An instruction that reads memory at an address that registers determine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Read {
    /// Its index in the block.
    pub(crate) place: usize,
    /// The index from which on the address registers have their final values; 0 if from the entry.
    pub(crate) since: usize,
}

/// States how a block is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Execution continues behind it, because the block has its maximum length.
    Falls,
    /// By a call or an indirect jump, whose target is recorded.
    Way,
    SystemCall,
    /// It ends at a breakpoint instruction in the code.
    Mark,
    /// By another instruction that may go elsewhere, or that cannot be stopped at.
    Other,
}
