//! Reads segments from a file or pipe that may be idle.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{Error, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The interval of checking whether to stop.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// A file or pipe whose reads fail once a flag is set, so that nothing waits for it.
#[derive(Debug)]
pub struct Input {
    file: File,
    stop: Arc<AtomicBool>,
}

impl Input {
    /// Wraps `file`, until `stop` is set.
    pub fn new(file: File, stop: Arc<AtomicBool>) -> Self {
        Self { file, stop }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            // Not `Interrupted`, after which readers try again.
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::other("told to stop"));
            }
            let mut wanted = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut wanted, Some(&PATIENCE)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // Also at its end or after an error, which the read reports.
                Ok(_) => return self.file.read(buffer),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_written_is_read_and_nobody_waits_once_told() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let mut input = Input::new(file, Arc::clone(&stop));
        writer.write_all(b"abc").unwrap();
        let mut buffer = [0; 8];
        assert_eq!(input.read(&mut buffer).unwrap(), 3);
        let (told, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || told.send(input.read(&mut buffer).is_err()));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(answer.recv_timeout(std::time::Duration::from_secs(20)), Ok(true));
        drop(writer);
    }

    #[test]
    fn an_end_is_an_end() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let mut input = Input::new(file, Arc::new(AtomicBool::new(false)));
        assert_eq!(input.read(&mut [0; 8]).unwrap(), 0);
    }
}
