//! Controls a traced process: its registers, its memory, its stops.

use super::architecture::Registers;
use super::effects::Memory;
use crate::NotTraced;
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A process that this thread is attached to. It ends when this is dropped, unless it is released.
pub(crate) struct Process {
    pid: Pid,
    memory: File,
    is_released: bool,
}

/// States why the process stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It reached a breakpoint, or completed a step.
    Trap,
    Signal(Signal),
    /// It started another process or thread.
    Starts,
    /// The tracer caused the stop, which means nothing.
    Other,
}

impl Process {
    /// Attaches to a process of one thread, which continues to run.
    pub(crate) fn attach(process: i32) -> Result<Self, NotTraced> {
        let forbidden = |reason: &dyn ToString| NotTraced::Forbidden(reason.to_string());
        let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
        let threads = tasks.map_err(|reason| forbidden(&reason))?.count();
        if threads != 1 {
            return Err(NotTraced::Threads(threads));
        }
        let pid = Pid::from_raw(process);
        let options = Options::PTRACE_O_EXITKILL
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK;
        ptrace::seize(pid, options).map_err(|reason| forbidden(&reason))?;
        let memory = File::options().read(true).write(true).open(format!("/proc/{process}/mem"));
        let memory = memory.map_err(|reason| forbidden(&reason))?;
        Ok(Self { pid, memory, is_released: false })
    }

    pub(crate) fn registers(&self) -> Result<Registers, NotTraced> {
        ptrace::getregs(self.pid)
            .map(Registers::from)
            .map_err(|reason| lost("its registers", reason))
    }

    pub(crate) fn set_registers(&self, registers: Registers) -> Result<(), NotTraced> {
        ptrace::setregs(self.pid, registers.into()).map_err(|reason| lost("its registers", reason))
    }

    /// Continues it until it stops, and delivers this signal.
    pub(crate) fn run(&self, signal: Option<Signal>) -> Result<Stop, NotTraced> {
        ptrace::cont(self.pid, signal).map_err(|reason| lost("letting it run", reason))?;
        self.stopped()
    }

    /// Executes one instruction.
    pub(crate) fn step(&self) -> Result<Stop, NotTraced> {
        ptrace::step(self.pid, None).map_err(|reason| lost("a step", reason))?;
        self.stopped()
    }

    /// Waits until it stops.
    pub(crate) fn stopped(&self) -> Result<Stop, NotTraced> {
        loop {
            return match waitpid(self.pid, Some(WaitPidFlag::__WALL)) {
                Ok(WaitStatus::Stopped(_, Signal::SIGTRAP)) => Ok(Stop::Trap),
                Ok(WaitStatus::Stopped(_, signal)) => Ok(Stop::Signal(signal)),
                Ok(WaitStatus::PtraceEvent(_, _, event)) => {
                    let is_start = [
                        nix::libc::PTRACE_EVENT_CLONE,
                        nix::libc::PTRACE_EVENT_FORK,
                        nix::libc::PTRACE_EVENT_VFORK,
                    ];
                    Ok(if is_start.contains(&event) { Stop::Starts } else { Stop::Other })
                }
                Ok(WaitStatus::Exited(_, status)) => {
                    Err(NotTraced::Ended(format!("with status {status}")))
                }
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    Err(NotTraced::Ended(format!("by {signal}")))
                }
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(reason) => Err(lost("waiting for it", reason)),
            };
        }
    }

    /// Reads as many bytes as possible, and returns their number.
    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> usize {
        self.memory.read_at(bytes, address).unwrap_or(0)
    }

    /// Detaches from it, and lets it continue.
    pub(crate) fn release(&mut self) -> Result<(), NotTraced> {
        ptrace::detach(self.pid, None).map_err(|reason| lost("letting it go", reason))?;
        self.is_released = true;
        Ok(())
    }
}

impl Memory for Process {
    fn read_exact(&self, address: u64, bytes: &mut [u8]) -> Result<(), NotTraced> {
        let read = self.memory.read_exact_at(bytes, address);
        read.map_err(|reason| lost(&format!("its memory at {address:#x}"), reason))
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), NotTraced> {
        let written = self.memory.write_all_at(bytes, address);
        written.map_err(|reason| lost(&format!("its memory at {address:#x}"), reason))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_released {
            return;
        }
        let _ = kill(self.pid, Signal::SIGKILL);
        // The tracer must wait for it, or its parent would not learn that it ended. Processes that
        // it started are traced too, and must end first.
        let own = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        while let Ok(status) = waitpid(None, Some(own)) {
            if let Some(started) = status.pid() {
                let _ = kill(started, Signal::SIGKILL);
            }
        }
    }
}

fn lost(what: &str, reason: impl std::fmt::Display) -> NotTraced {
    NotTraced::Lost(format!("{what}: {reason}"))
}
