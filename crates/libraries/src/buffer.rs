//! Input buffers at a known place and with known content.

use cpb_model::Alignment;

const PAGE_BYTES: usize = 4096;

/// A buffer that starts at a page boundary, or deliberately one byte after.
/// Messages hold the pattern `i mod 251`, so that swapped blocks show.
#[derive(Debug)]
pub struct Buffer {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// A buffer of `length` bytes holding the pattern.
    #[must_use]
    pub fn with_pattern(length: usize, alignment: Alignment) -> Self {
        let mut buffer = Self::placed(length, alignment);
        for (index, byte) in buffer.bytes_mut().iter_mut().enumerate() {
            *byte = (index % 251) as u8;
        }
        buffer
    }

    /// A buffer of `length` zeros at a page boundary.
    #[must_use]
    pub fn zeroed(length: usize) -> Self {
        Self::placed(length, Alignment::Page)
    }

    fn placed(length: usize, alignment: Alignment) -> Self {
        let offset = match alignment {
            Alignment::Page => 0,
            Alignment::Unaligned => 1,
        };
        let storage = vec![0_u8; length + PAGE_BYTES + offset];
        let start = storage.as_ptr().align_offset(PAGE_BYTES) + offset;
        Self { storage, start, length }
    }

    /// The bytes, to write.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }
}

impl Clone for Buffer {
    /// A buffer of the same bytes, at a page boundary.
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.length);
        copy.bytes_mut().copy_from_slice(self.bytes());
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_where_asked_and_holds_the_pattern() {
        for (alignment, offset) in [(Alignment::Page, 0), (Alignment::Unaligned, 1)] {
            for length in [0, 1, 250, 251, 252, 4096, 10_000] {
                let buffer = Buffer::with_pattern(length, alignment);
                let bytes = buffer.bytes();
                assert_eq!(bytes.len(), length);
                assert_eq!(bytes.as_ptr() as usize % PAGE_BYTES, offset);
                assert!(bytes.iter().enumerate().all(|(i, &byte)| usize::from(byte) == i % 251));
            }
        }
    }
}
