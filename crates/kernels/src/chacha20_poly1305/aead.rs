//! Seals and opens messages.

use super::Backend;
use crate::Backend as _;
use crate::chacha20::State;
use crate::in_out::InOut;
use crate::poly1305::{Poly1305, tags_equal};
use std::fmt;

const BLOCK_BYTES: usize = 64;
/// Limits how many bytes are encrypted and then authenticated at a time: few enough to
/// stay in the first-level cache, enough for the vectors of Poly1305 to pay for their
/// setup.
const CHUNK_BYTES: usize = 8192;
/// Limits a message to all blocks but the first, which is Poly1305's key (RFC 8439
/// section 2.8).
const LONGEST_BYTES: u64 = ((1 << 32) - 1) * BLOCK_BYTES as u64;
const TAG_BYTES: usize = 16;

/// Says why nothing was sealed or opened.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The message was changed, or it was sealed with another key, nonce or
    /// associated data. The output holds zeros.
    #[error("wrong tag: the message, its associated data, the key or the nonce differs")]
    WrongTag,
    /// The message is longer than 2³⁸ - 64 bytes (RFC 8439 section 2.8). Nothing was
    /// written.
    #[error("a message of {bytes} bytes is longer than {LONGEST_BYTES}; split it")]
    TooLong { bytes: usize },
    /// The output has another length than the input. Nothing was written.
    #[error("{input} bytes of input and {output} bytes of output; they must be equal")]
    Lengths { input: usize, output: usize },
    /// A sealed message ends with its tag; this one is shorter.
    #[error("a sealed message of {bytes} bytes is shorter than its tag of {TAG_BYTES}")]
    TooShort { bytes: usize },
}

/// Holds a key, ready to seal and open messages.
///
/// ```
/// use cpb_kernels::chacha20_poly1305::{ChaCha20Poly1305, Error};
///
/// let cipher = ChaCha20Poly1305::new(&[7; 32]);
/// let nonce = [1; 12];
/// let mut sealed = cipher.seal(&nonce, b"header", b"message")?;
/// assert_eq!(cipher.open(&nonce, b"header", &sealed)?, b"message");
/// sealed[0] ^= 1;
/// assert_eq!(cipher.open(&nonce, b"header", &sealed), Err(Error::WrongTag));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    backend: Backend,
    key: [u8; 32],
}

impl fmt::Debug for ChaCha20Poly1305 {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaCha20Poly1305").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl ChaCha20Poly1305 {
    /// Uses this key on [`Backend::fastest`].
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_backend(Backend::fastest(), key)
    }

    /// Uses this key on the given backend.
    #[inline]
    pub fn with_backend(backend: Backend, key: &[u8; 32]) -> Self {
        Self { backend, key: *key }
    }

    /// Returns the ciphertext of a message, followed by the tag.
    ///
    /// # Errors
    /// Returns [`Error::TooLong`].
    pub fn seal(&self, nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, Error> {
        let mut sealed = vec![0; plaintext.len() + TAG_BYTES];
        let (ciphertext, last) = sealed.split_at_mut(plaintext.len());
        last.copy_from_slice(&self.seal_detached(nonce, aad, plaintext, ciphertext)?);
        Ok(sealed)
    }

    /// Returns the plaintext of a ciphertext that is followed by its tag.
    ///
    /// # Errors
    /// Returns [`Error::WrongTag`], [`Error::TooShort`] or
    /// [`Error::TooLong`].
    pub fn open(&self, nonce: &[u8; 12], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let too_short = Error::TooShort { bytes: sealed.len() };
        let (ciphertext, tag) = sealed.split_last_chunk().ok_or(too_short)?;
        let mut plaintext = vec![0; ciphertext.len()];
        self.open_detached(nonce, aad, ciphertext, tag, &mut plaintext)?;
        Ok(plaintext)
    }

    /// Writes the ciphertext of a message, which has the same length, and returns the
    /// tag.
    ///
    /// # Errors
    /// Returns [`Error::Lengths`] or [`Error::TooLong`].
    #[inline]
    pub fn seal_detached(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<[u8; 16], Error> {
        self.run(Direction::Seal, nonce, aad, paired(plaintext, ciphertext)?)
    }

    /// Writes the plaintext of a ciphertext, which has the same length. Writes zeros
    /// if the tag is wrong.
    ///
    /// # Errors
    /// Returns [`Error::WrongTag`], [`Error::Lengths`] or [`Error::TooLong`].
    #[inline]
    pub fn open_detached(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; 16],
        plaintext: &mut [u8],
    ) -> Result<(), Error> {
        let computed = self.run(Direction::Open, nonce, aad, paired(ciphertext, plaintext)?)?;
        accepted(computed, tag, plaintext)
    }

    /// Does the same as [`seal_detached`](Self::seal_detached) in place.
    ///
    /// # Errors
    /// Returns [`Error::TooLong`].
    #[inline]
    pub fn seal_in_place(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<[u8; 16], Error> {
        self.run(Direction::Seal, nonce, aad, InOut::in_place(data))
    }

    /// Does the same as [`open_detached`](Self::open_detached) in place. If the tag is
    /// wrong, the ciphertext is lost.
    ///
    /// # Errors
    /// Returns [`Error::WrongTag`] or [`Error::TooLong`].
    #[inline]
    pub fn open_in_place(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        let computed = self.run(Direction::Open, nonce, aad, InOut::in_place(data))?;
        accepted(computed, tag, data)
    }

    /// Encrypts or decrypts, and returns the tag of the ciphertext.
    fn run(
        &self,
        direction: Direction,
        nonce: &[u8; 12],
        aad: &[u8],
        data: InOut<'_>,
    ) -> Result<[u8; 16], Error> {
        let bytes = data.len();
        if bytes as u64 > LONGEST_BYTES {
            return Err(Error::TooLong { bytes });
        }
        let state = State::new(&self.key, nonce, 0);
        // Making the first block together with those of the message costs less than
        // two calls.
        Ok(if bytes <= 512 - BLOCK_BYTES {
            self.run_from_buffer::<512>(direction, &state, aad, data)
        } else {
            self.run_from_buffer::<2048>(direction, &state, aad, data)
        })
    }

    /// Makes the first `BUFFERED` bytes of keystream in one call, Poly1305's key among
    /// them; data beyond them is processed in chunks.
    fn run_from_buffer<const BUFFERED: usize>(
        &self,
        direction: Direction,
        state: &State,
        aad: &[u8],
        mut data: InOut<'_>,
    ) -> [u8; 16] {
        let (chacha20, poly1305) = (self.backend.chacha20(), self.backend.poly1305());
        let bytes = data.len();
        let mut keystream = [0; BUFFERED];
        let mut first = data.take(BUFFERED - BLOCK_BYTES);
        let made = &mut keystream[..BLOCK_BYTES + first.len()];
        chacha20.xor(state, InOut::in_place(made));
        let (key_block, for_data) = keystream.split_at(BLOCK_BYTES);
        let mut key = [0; 32];
        key.copy_from_slice(&key_block[..32]);
        let mut mac = Poly1305::with_backend(poly1305, &key);

        mac.update(aad);
        mac.pad_block();
        match direction {
            Direction::Seal => {
                first.xor(for_data);
                mac.update(first.destination());
            }
            Direction::Open => {
                mac.update(first.source());
                first.xor(for_data);
            }
        }
        let mut state = state.after((BUFFERED / BLOCK_BYTES) as u32);
        while !data.is_empty() {
            let mut chunk = data.take(CHUNK_BYTES);
            let next = state.after((CHUNK_BYTES / BLOCK_BYTES) as u32);
            match direction {
                Direction::Seal => {
                    chacha20.xor(&state, chunk.reborrow());
                    mac.update(chunk.destination());
                }
                Direction::Open => {
                    mac.update(chunk.source());
                    chacha20.xor(&state, chunk);
                }
            }
            state = next;
        }
        mac.pad_block();
        let mut lengths = [0; 16];
        lengths[..8].copy_from_slice(&(aad.len() as u64).to_le_bytes());
        lengths[8..].copy_from_slice(&(bytes as u64).to_le_bytes());
        mac.update(&lengths);
        mac.finish()
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Seal,
    Open,
}

fn paired<'a>(input: &'a [u8], output: &'a mut [u8]) -> Result<InOut<'a>, Error> {
    let lengths = Error::Lengths { input: input.len(), output: output.len() };
    InOut::new(input, output).ok_or(lengths)
}

/// Erases a plaintext whose tag is wrong.
#[inline]
fn accepted(computed: [u8; 16], tag: &[u8; 16], plaintext: &mut [u8]) -> Result<(), Error> {
    if tags_equal(&computed, tag) {
        return Ok(());
    }
    plaintext.fill(0);
    Err(Error::WrongTag)
}
