//! What a library says on its worker's standard error. It is told line by line with the library's
//! name, since what is printed as it is may act on a terminal, or look like cpb's own words.

use rustix::io::ioctl_fionbio;
use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStderr;
use std::sync::OnceLock;

/// What is told of one worker's library: so many lines, and of each so many bytes.
const MOST_LINES: usize = 20;
const LONGEST_LINE: usize = 1000;
/// What is read at once: a worker that never stops must not keep its parent reading.
const CHUNK: usize = 1 << 12;
const CHUNKS: usize = 16;

static LISTENER: OnceLock<fn(&str, &str)> = OnceLock::new();

/// From now on, `listener` is told each line that a library prints, after the library's label.
/// The first one who asks is told; while nobody is, lines are lost.
pub fn listen(listener: fn(&str, &str)) {
    let _ = LISTENER.set(listener);
}

/// The words of one worker's library.
pub(crate) struct Words {
    library: String,
    /// It does not block, and is gone once all have closed it.
    pipe: Option<ChildStderr>,
    /// What came of a line that is not whole yet.
    line: Vec<u8>,
    lines: usize,
}

impl Words {
    /// Those of `library`, which come out of `pipe`.
    pub(crate) fn new(library: String, pipe: Option<ChildStderr>) -> Self {
        let pipe = pipe.filter(|pipe| ioctl_fionbio(pipe, true).is_ok());
        Self { library, pipe, line: Vec::new(), lines: 0 }
    }

    /// What is readable as soon as something was said.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Tells what was said, without waiting for more.
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

    /// Tells what was said before the worker's end, a line that is not whole, too.
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
