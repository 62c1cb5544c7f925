//! Exchanges lines with a worker. Nothing here can block forever: not on a silent worker, not on
//! one that ended while a child holds its pipes open, and not on one whose library floods them.

use crate::workers::words::Words;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// The interval at which a silent worker is checked for its end. Usually the end of its pipe tells
/// at once, unless another process holds the pipe.
const LOOK: Duration = Duration::from_millis(250);
const CHUNK: usize = 1 << 16;

/// The reason why no line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    Ended,
    /// It was silent for too long.
    Silent,
    /// It wrote more than requested.
    Flooded,
}

/// The pipes of a worker.
pub(crate) struct Pipes {
    requests: ChildStdin,
    replies: ChildStdout,
    /// The received part of an unfinished line.
    received: Vec<u8>,
}

/// The line that a worker sends during long work to show that it is alive.
pub(crate) const HEARTBEAT: &[u8] = b"\n";

/// The accepted limits of a worker's output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputLimits {
    /// Bytes per line.
    pub(crate) longest: usize,
    /// The longest silence, and the time at which it ends in any case.
    pub(crate) silence: Duration,
    pub(crate) until: Option<Instant>,
    /// Heartbeats before the reply.
    pub(crate) signs: usize,
}

impl Pipes {
    /// Takes the pipes of `child`, whose input and output must be piped.
    pub(crate) fn of(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::from(ErrorKind::BrokenPipe);
        let requests = child.stdin.take().ok_or_else(missing)?;
        let replies = child.stdout.take().ok_or_else(missing)?;
        ioctl_fionbio(&requests, true)?;
        ioctl_fionbio(&replies, true)?;
        Ok(Self { requests, replies, received: Vec::new() })
    }

    /// Writes `line` and waits for a reply, within the limits `bearable`. Meanwhile it forwards the
    /// library's `words`, so that their writer never blocks.
    pub(crate) fn exchange(
        &mut self,
        line: &[u8],
        bearable: OutputLimits,
        words: &mut Words,
        has_ended: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<u8>, Broken> {
        // Output that precedes the request is not a reply.
        if !self.received.is_empty() {
            return Err(Broken::Flooded);
        }
        let deadline = || {
            let silent = Instant::now() + bearable.silence;
            bearable.until.map_or(silent, |until| until.min(silent))
        };
        self.send(line, deadline(), words, has_ended)?;
        for _ in 0..=bearable.signs {
            let reply = self.receive(bearable.longest, deadline(), words, has_ended)?;
            if reply != HEARTBEAT {
                return Ok(reply);
            }
        }
        Err(Broken::Flooded)
    }

    fn send(
        &mut self,
        mut line: &[u8],
        deadline: Instant,
        words: &mut Words,
        has_ended: &mut dyn FnMut() -> bool,
    ) -> Result<(), Broken> {
        while !line.is_empty() {
            match self.requests.write(line) {
                Ok(written) => line = &line[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if has_ended() {
                        return Err(Broken::Ended);
                    }
                    wait(self.requests.as_fd(), PollFlags::OUT, deadline, words)?;
                }
                Err(_) => return Err(Broken::Ended),
            }
        }
        Ok(())
    }

    fn receive(
        &mut self,
        longest: usize,
        deadline: Instant,
        words: &mut Words,
        has_ended: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<u8>, Broken> {
        let mut chunk = [0; CHUNK];
        let mut ended = false;
        let mut searched = 0;
        loop {
            let end = self.received[searched..].iter().position(|&byte| byte == b'\n');
            let end = end.map(|end| searched + end);
            if end.unwrap_or(self.received.len()) > longest {
                return Err(Broken::Flooded);
            }
            if let Some(end) = end {
                let rest = self.received.split_off(end + 1);
                return Ok(std::mem::replace(&mut self.received, rest));
            }
            searched = self.received.len();
            match self.replies.read(&mut chunk) {
                Ok(0) => return Err(Broken::Ended),
                Ok(count) => self.received.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if ended {
                        return Err(Broken::Ended);
                    }
                    // Output written just before its end may still have arrived.
                    ended = has_ended();
                    if !ended {
                        wait(self.replies.as_fd(), PollFlags::IN, deadline, words)?;
                    }
                }
                Err(_) => return Err(Broken::Ended),
            }
        }
    }
}

/// Waits for `pipe`, or for `words`, for at most [`LOOK`].
fn wait(
    pipe: BorrowedFd<'_>,
    what: PollFlags,
    deadline: Instant,
    words: &mut Words,
) -> Result<(), Broken> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Broken::Silent);
    }
    let look = left.min(LOOK);
    let timeout = Timespec { tv_sec: 0, tv_nsec: look.subsec_nanos().into() };
    let said = words.pipe().map(|said| PollFd::from_borrowed_fd(said, PollFlags::IN));
    let mut watched: Vec<_> = said.into_iter().collect();
    watched.push(PollFd::new(&pipe, what));
    let polled = poll(&mut watched, Some(&timeout));
    words.hear();
    match polled {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(_) => Err(Broken::Ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    const SOON: Duration = Duration::from_secs(20);

    fn shell(script: &str) -> (Child, Pipes, Words) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pipes = Pipes::of(&mut child).unwrap();
        let words = Words::new("sh".to_owned(), child.stderr.take());
        (child, pipes, words)
    }

    fn bearable(silence: Duration, signs: usize) -> OutputLimits {
        OutputLimits { longest: 1000, silence, until: None, signs }
    }

    fn exchange(script: &str, line: &[u8], silence: Duration) -> Result<Vec<u8>, Broken> {
        let (mut child, mut pipes, mut words) = shell(script);
        let reply = pipes.exchange(line, bearable(silence, 2), &mut words, &mut || {
            child.try_wait().is_ok_and(|status| status.is_some())
        });
        let _ = child.kill();
        let _ = child.wait();
        reply
    }

    #[test]
    fn a_line_comes_back_whole() {
        assert_eq!(exchange("read x; echo $x$x", b"ab\n", SOON), Ok(b"abab\n".to_vec()));
        assert_eq!(exchange("printf a; sleep 0.1; echo b", b"\n", SOON), Ok(b"ab\n".to_vec()));
    }

    #[test]
    fn an_end_is_seen_although_a_child_holds_the_pipes() {
        for line in [b"\n".to_vec(), vec![b'x'; 1 << 20]] {
            let broken = exchange("sleep 9 & exit", &line, SOON);
            assert_eq!(broken, Err(Broken::Ended));
        }
        assert_eq!(exchange("exit", b"\n", SOON), Err(Broken::Ended));
    }

    #[test]
    fn the_last_words_count() {
        assert_eq!(exchange("read x; sleep 9 & echo ab", b"\n", SOON), Ok(b"ab\n".to_vec()));
    }

    #[test]
    fn silence_has_an_end() {
        let short = Duration::from_millis(300);
        assert_eq!(exchange("exec sleep 9", b"\n", short), Err(Broken::Silent));
        assert_eq!(exchange("exec sleep 9", &vec![b'x'; 1 << 20], short), Err(Broken::Silent));
    }

    #[test]
    fn who_gives_signs_of_life_may_take_longer() {
        let slow = "for i in 1 2; do sleep 0.6; echo; done; sleep 0.6; echo ab";
        assert_eq!(exchange(slow, b"", Duration::from_secs(1)), Ok(b"ab\n".to_vec()));
        // More heartbeats than the work justifies are rejected.
        assert_eq!(exchange("echo; echo; echo; echo ab", b"", SOON), Err(Broken::Flooded));
    }

    #[test]
    fn who_says_much_is_not_held_up() {
        let much = "yes | head -c 1000000 >&2; echo ab";
        assert_eq!(exchange(much, b"", SOON), Ok(b"ab\n".to_vec()));
        // Closing it does not wake anybody either.
        assert_eq!(exchange("exec 2>&-; sleep 0.1; echo ab", b"", SOON), Ok(b"ab\n".to_vec()));
        let short = Duration::from_millis(300);
        assert_eq!(exchange("yes >&2; :", b"", short), Err(Broken::Silent));
    }

    #[test]
    fn a_flood_is_cut_off() {
        assert_eq!(exchange("exec yes | tr -d '\\n'", b"\n", SOON), Err(Broken::Flooded));
        let (mut child, mut pipes, mut words) = shell("exec yes");
        let mut ask = || pipes.exchange(b"", bearable(SOON, 0), &mut words, &mut || false);
        assert_eq!(ask(), Ok(b"y\n".to_vec()));
        assert_eq!(ask(), Err(Broken::Flooded));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
