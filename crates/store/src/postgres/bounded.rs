//! Limits the messages of a server to the size that a row can have.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes of a row, as in a file: the packed records of a long run take a tenth of this.
pub(crate) const MOST_IN_A_ROW: usize = 64 << 20;

/// A message consists of a row's columns, each with its length, and little else.
const MOST_IN_A_MESSAGE: u32 = (MOST_IN_A_ROW + (1 << 20)) as u32;

/// A connection whose messages are measured: each has a kind (one byte), a length (four bytes,
/// including itself), and the rest.
pub(crate) struct Bounded<S> {
    connection: S,
    head: [u8; 5],
    /// Bytes seen of the header.
    seen: usize,
    /// Bytes of the message still to come.
    left: u32,
}

impl<S> Bounded<S> {
    pub(crate) fn new(connection: S) -> Self {
        Self { connection, head: [0; 5], seen: 0, left: 0 }
    }

    fn see(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let skipped = bytes.len().min(self.left as usize);
            bytes = &bytes[skipped..];
            self.left -= skipped as u32;
            let Some((&byte, rest)) = bytes.split_first() else { break };
            bytes = rest;
            self.head[self.seen] = byte;
            self.seen += 1;
            if let [_, a, b, c, d] = self.head
                && self.seen == self.head.len()
            {
                let length = u32::from_be_bytes([a, b, c, d]);
                if length > MOST_IN_A_MESSAGE {
                    return Err(io::Error::other("it sends more at once than cpb saves"));
                }
                self.left = length.saturating_sub(4);
                self.seen = 0;
            }
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.connection).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = read {
            self.see(&buffer.filled()[before..])?;
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_however_they_come() {
        let message = |length: u32, more: usize| {
            let mut bytes = vec![b'D'];
            bytes.extend(length.to_be_bytes());
            bytes.extend(vec![0xff; more]);
            bytes
        };
        let fine: Vec<u8> = [message(4, 0), message(10, 6), message(4004, 4000)].concat();
        for size in [1, 2, 3, 7, 4096] {
            let mut bounded = Bounded::new(());
            assert!(fine.chunks(size).all(|part| bounded.see(part).is_ok()), "{size}");
            assert!(bounded.see(&message(MOST_IN_A_MESSAGE, 0)).is_ok());
            let mut bounded = Bounded::new(());
            bounded.see(&fine).unwrap();
            assert!(bounded.see(&message(MOST_IN_A_MESSAGE + 1, 0)).is_err());
        }
    }
}
