//! Allocates input buffers with known placement and content.

use cpb_model::Alignment;

const PAGE_BYTES: usize = 4096;

/// A buffer that starts at a page boundary, or one byte after. Messages contain the pattern `i mod
/// 251`, so that swapped blocks show.
#[derive(Debug)]
pub struct Buffer {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// Allocates `length` bytes with the pattern.
    ///
    /// # Errors
    /// [`NoMemory`], if there is not enough memory.
    pub fn with_pattern(length: usize, alignment: Alignment) -> Result<Self, NoMemory> {
        let mut buffer = Self::placed(length, alignment)?;
        for (index, byte) in buffer.bytes_mut().iter_mut().enumerate() {
            *byte = (index % 251) as u8;
        }
        Ok(buffer)
    }

    /// Allocates `length` zeros at a page boundary.
    ///
    /// # Errors
    /// [`NoMemory`], if there is not enough memory.
    pub fn zeroed(length: usize) -> Result<Self, NoMemory> {
        Self::placed(length, Alignment::Page)
    }

    fn placed(length: usize, alignment: Alignment) -> Result<Self, NoMemory> {
        let offset = match alignment {
            Alignment::Page => 0,
            Alignment::Unaligned => 1,
        };
        let all = length.checked_add(PAGE_BYTES + offset).ok_or(NoMemory(length))?;
        let storage = zeros(all).map_err(|_| NoMemory(length))?;
        let start = storage.as_ptr().align_offset(PAGE_BYTES) + offset;
        Ok(Self { storage, start, length })
    }

    /// Returns the address of the bytes, for code that keeps it. It is not derived from a borrow of
    /// the bytes, so that it stays valid while they are read and written here.
    pub fn pointer(&mut self) -> *mut u8 {
        self.storage.as_mut_ptr().wrapping_add(self.start)
    }

    /// Returns the bytes, writable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }
}

/// The error if memory for this many bytes cannot be allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory for a buffer of {0} bytes")]
pub struct NoMemory(usize);

/// Allocates `length` zeros. Even an empty vector has an address of its own, which libraries may
/// check.
///
/// # Errors
/// [`NoMemory`], if there is not enough memory.
pub fn zeros(length: usize) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length.max(1)).map_err(|_| NoMemory(length))?;
    bytes.resize(length, 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_where_asked_and_holds_the_pattern() {
        for (alignment, offset) in [(Alignment::Page, 0), (Alignment::Unaligned, 1)] {
            for length in [0, 1, 250, 251, 252, 4096, 10_000] {
                let buffer = Buffer::with_pattern(length, alignment).unwrap();
                let bytes = buffer.bytes();
                assert_eq!(bytes.len(), length);
                assert_eq!(bytes.as_ptr() as usize % PAGE_BYTES, offset);
                assert!(bytes.iter().enumerate().all(|(i, &byte)| usize::from(byte) == i % 251));
            }
        }
    }
    #[test]
    fn what_there_is_no_memory_for_is_said_and_no_abort() {
        for length in [1 << 62, usize::MAX] {
            let reason = Buffer::zeroed(length).unwrap_err().to_string();
            assert!(reason.contains(&length.to_string()), "{reason}");
        }
        assert!(zeros(0).unwrap().capacity() > 0);
    }
}
