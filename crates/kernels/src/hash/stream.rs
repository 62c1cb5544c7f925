//! Chains blocks (FIPS 180-4 section 6), pads the message (section 5.1), and
//! buffers what streaming needs.

use super::Compression;

/// Holds a message in progress.
#[derive(Clone, Debug)]
pub struct Stream<C: Compression> {
    state: C::State,
    /// The bytes of the last block that is not full yet.
    buffer: C::Block,
    /// The length of the message so far in bytes, including what came before
    /// `state`.
    bytes: u64,
    backend: C::Backend,
}

impl<C: Compression> Stream<C> {
    /// Continues at `state` after `before` bytes of the message, which are whole
    /// blocks.
    #[inline]
    pub fn new(backend: C::Backend, state: C::State, before: u64) -> Self {
        Self { state, buffer: C::ZEROS, bytes: before, backend }
    }

    /// Appends to the message.
    #[inline]
    pub fn update(&mut self, mut message: &[u8]) {
        let filled = filled::<C>(self.bytes);
        self.bytes += message.len() as u64;
        if filled != 0 {
            let room = &mut self.buffer.as_mut()[filled..];
            if message.len() < room.len() {
                room[..message.len()].copy_from_slice(message);
                return;
            }
            let (head, rest) = message.split_at(room.len());
            room.copy_from_slice(head);
            C::compress(self.backend, &mut self.state, self.buffer.as_ref(), &[]);
            message = rest;
        }
        let (blocks, tail) = message.split_at(message.len() - message.len() % block_bytes::<C>());
        if !blocks.is_empty() {
            C::compress(self.backend, &mut self.state, blocks, &[]);
        }
        self.buffer.as_mut()[..tail.len()].copy_from_slice(tail);
    }

    /// Pads the message and returns the final chaining value.
    #[inline]
    pub fn finish(&self) -> C::State {
        let tail = &self.buffer.as_ref()[..filled::<C>(self.bytes)];
        close::<C>(self.backend, self.state, &[], tail, self.bytes)
    }
}

/// Returns the final chaining value of a message that continues at `state` after
/// `before` bytes.
#[inline]
pub fn chain<C: Compression>(
    backend: C::Backend,
    state: C::State,
    before: u64,
    message: &[u8],
) -> C::State {
    let (blocks, tail) = message.split_at(message.len() - message.len() % block_bytes::<C>());
    close::<C>(backend, state, blocks, tail, before + message.len() as u64)
}

/// Compresses `blocks` and then the padded `tail`, which end a message of
/// this length in bytes.
#[inline]
fn close<C: Compression>(
    backend: C::Backend,
    mut state: C::State,
    mut blocks: &[u8],
    tail: &[u8],
    bytes: u64,
) -> C::State {
    let mut last = C::ZEROS;
    let block = last.as_mut();
    block[..tail.len()].copy_from_slice(tail);
    block[tail.len()] = 0x80;
    let length_at = block.len() - C::LENGTH_BYTES;
    if tail.len() >= length_at {
        C::compress(backend, &mut state, blocks, last.as_ref());
        blocks = &[];
        last = C::ZEROS;
    }
    let block = last.as_mut();
    let (_, end) = block.split_at_mut(block.len() - 16);
    let bits = u128::from(bytes) << 3;
    if C::LENGTH_BYTES == 16 {
        end.copy_from_slice(&bits.to_be_bytes());
    } else {
        end[8..].copy_from_slice(&(bits as u64).to_be_bytes());
    }
    C::compress(backend, &mut state, blocks, last.as_ref());
    state
}

#[inline(always)]
fn block_bytes<C: Compression>() -> usize {
    size_of::<C::Block>()
}

/// Returns how many bytes of a message are in its last partial block.
#[inline(always)]
fn filled<C: Compression>(bytes: u64) -> usize {
    (bytes % block_bytes::<C>() as u64) as usize
}
