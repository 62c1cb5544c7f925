//! Adds keystream to data, in one piece or in several.

use super::Backend;
use super::portable;
use super::state::State;
use crate::Backend as _;
use crate::in_out::InOut;
use std::fmt;

const BLOCK_BYTES: usize = 64;

/// Says why data was not encrypted or decrypted. Nothing was written then.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The keystream ends with block 2³² - 1 (RFC 8439 section 2.3); going on would
    /// repeat it.
    #[error(
        "{asked} bytes asked for where {left} bytes of keystream are left; \
         use a lower counter or another nonce"
    )]
    Exhausted { asked: usize, left: u64 },
    /// The output has another length than the input.
    #[error("{input} bytes of input and {output} bytes of output; they must be equal")]
    Lengths { input: usize, output: usize },
}

/// Encrypts or decrypts a whole message on [`Backend::fastest`]: output = input ^
/// keystream, from block `counter` on.
///
/// # Errors
/// Returns an [`Error`] with nothing written.
#[inline]
pub fn xor(
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), Error> {
    xor_with(Backend::fastest(), key, nonce, counter, input, output)
}

/// Does the same as [`xor`] on the given backend.
///
/// # Errors
/// Returns an [`Error`] with nothing written.
#[inline]
pub fn xor_with(
    backend: Backend,
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), Error> {
    let data = paired(input, output)?;
    let left = keystream_bytes(counter);
    if data.len() as u64 > left {
        return Err(Error::Exhausted { asked: data.len(), left });
    }
    backend.xor(&State::new(key, nonce, counter), data);
    Ok(())
}

/// Holds a keystream and the position in it.
///
/// ```
/// use cpb_kernels::chacha20::{ChaCha20, xor};
///
/// let (key, nonce) = ([1; 32], [2; 12]);
/// let mut pieces = *b"a message in pieces";
/// let mut cipher = ChaCha20::new(&key, &nonce, 0);
/// cipher.apply_keystream(&mut pieces[..5])?;
/// cipher.apply_keystream(&mut pieces[5..])?;
///
/// let mut whole = [0; 19];
/// xor(&key, &nonce, 0, b"a message in pieces", &mut whole)?;
/// assert_eq!(pieces, whole);
/// # Ok::<(), cpb_kernels::chacha20::Error>(())
/// ```
#[derive(Clone)]
pub struct ChaCha20 {
    backend: Backend,
    /// The state whose counter is that of the next block to be made.
    state: State,
    /// The block made last, whose last `ready` bytes are not used yet.
    block: [u8; BLOCK_BYTES],
    ready: usize,
    /// The bytes of keystream left, including those that are ready.
    left: u64,
}

impl fmt::Debug for ChaCha20 {
    /// Leaves out the key and everything derived from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, left, .. } = self;
        f.debug_struct("ChaCha20")
            .field("backend", backend)
            .field("left", left)
            .finish_non_exhaustive()
    }
}

impl ChaCha20 {
    /// Starts the keystream at block `counter`, on [`Backend::fastest`].
    #[inline]
    pub fn new(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        Self::with_backend(Backend::fastest(), key, nonce, counter)
    }

    /// Starts the keystream at block `counter`, on the given backend.
    #[inline]
    pub fn with_backend(backend: Backend, key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        Self {
            backend,
            state: State::new(key, nonce, counter),
            block: [0; BLOCK_BYTES],
            ready: 0,
            left: keystream_bytes(counter),
        }
    }

    /// Encrypts or decrypts the next bytes of a message in place.
    ///
    /// # Errors
    /// Returns [`Error::Exhausted`] with nothing changed.
    #[inline]
    pub fn apply_keystream(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.apply(InOut::in_place(data))
    }

    /// Encrypts or decrypts the next bytes of a message.
    ///
    /// # Errors
    /// Returns an [`Error`] with nothing changed.
    #[inline]
    pub fn xor(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        self.apply(paired(input, output)?)
    }

    pub(crate) fn apply(&mut self, mut data: InOut<'_>) -> Result<(), Error> {
        let asked = data.len();
        if asked as u64 > self.left {
            return Err(Error::Exhausted { asked, left: self.left });
        }
        self.left -= asked as u64;
        let mut head = data.take(self.ready);
        head.xor(&self.block[BLOCK_BYTES - self.ready..]);
        self.ready -= head.len();

        let whole = data.take(data.len() - data.len() % BLOCK_BYTES);
        if !whole.is_empty() {
            // After the very last block the counter wraps, but is not used.
            let next = self.state.after((whole.len() / BLOCK_BYTES) as u32);
            self.backend.xor(&self.state, whole);
            self.state = next;
        }
        if !data.is_empty() {
            self.block = portable::block(&self.state);
            self.state = self.state.after(1);
            data.xor(&self.block);
            self.ready = BLOCK_BYTES - data.len();
        }
        Ok(())
    }
}

fn paired<'a>(input: &'a [u8], output: &'a mut [u8]) -> Result<InOut<'a>, Error> {
    let lengths = Error::Lengths { input: input.len(), output: output.len() };
    InOut::new(input, output).ok_or(lengths)
}

/// Returns the number of bytes of keystream from block `counter` to the last, 2³² -
/// 1.
fn keystream_bytes(counter: u32) -> u64 {
    ((1 << 32) - u64::from(counter)) * BLOCK_BYTES as u64
}
