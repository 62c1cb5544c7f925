//! Forwards what a library prints on its worker's standard error. It is shown line by line with the
//! library's name, since raw output may act on a terminal, or look like cpb's own messages.

use rustix::io::ioctl_fionbio;
use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStderr;
use std::sync::OnceLock;

/// The limits of what is shown of one library: lines, and bytes per line.
const MOST_LINES: usize = 20;
const LONGEST_LINE: usize = 1000;
/// The size of one read, so that a worker that never stops does not keep its parent reading.
const CHUNK: usize = 1 << 12;
const CHUNKS: usize = 16;

static LISTENER: OnceLock<fn(&str, &str)> = OnceLock::new();

/// Sends each line that a library prints to `listener`, after the library's label. Only the first
/// listener counts; without one, lines are dropped.
pub fn listen(listener: fn(&str, &str)) {
    let _ = LISTENER.set(listener);
}

/// The output of one worker's library.
pub(crate) struct Words {
    library: String,
    /// The non-blocking pipe; `None` once all writers have closed it.
    pipe: Option<ChildStderr>,
    /// The received part of an unfinished line.
    line: Vec<u8>,
    lines: usize,
}

impl Words {
    /// Creates the reader of `pipe`, for the output of `library`.
    pub(crate) fn new(library: String, pipe: Option<ChildStderr>) -> Self {
        let pipe = pipe.filter(|pipe| ioctl_fionbio(pipe, true).is_ok());
        Self { library, pipe, line: Vec::new(), lines: 0 }
    }

    /// Returns the pipe, which becomes readable when something was printed.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Forwards what was printed, without waiting for more.
    pub(crate) fn hear(&mut self) {
        let mut chunk = [0; CHUNK];
        for _ in 0..CHUNKS {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut chunk) {
                Ok(1..) if self.lines > MOST_LINES => {}
                Ok(count @ 1..) => self.take(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => self.pipe = None,
            }
        }
    }

    /// Forwards what was printed before the worker's end, including an unfinished line.
    pub(crate) fn hear_last(&mut self) {
        self.hear();
        self.tell();
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let room = LONGEST_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.tell();
            }
        }
    }

    fn tell(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(line.trim_ascii_end());
        if line.is_empty() || self.lines > MOST_LINES {
            return;
        }
        self.lines += 1;
        let is_last = self.lines > MOST_LINES;
        let line = if is_last { Cow::Borrowed("(what else it says is not shown)") } else { line };
        if let Some(listener) = LISTENER.get() {
            listener(&self.library, &line);
        }
    }
}
