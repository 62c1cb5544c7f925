//! Runs foreign programs as children with limits on time, memory and output. Each has a process
//! group of its own, which ends with it.

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, setrlimit, waitid,
};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The hidden subcommand with which cpb starts itself as such a child.
pub const SUBCOMMAND: &str = "confined";

/// The interval of checking whether a child has ended.
const LOOK: Duration = Duration::from_millis(4);
/// The limit of memory, and of each written file.
const MEMORY: u64 = 4 << 30;
const FILE: u64 = 64 << 20;

/// Applies limits to this process, and becomes the program in `words`: seconds of CPU time,
/// program, arguments.
///
/// # Errors
/// Why it failed.
pub fn become_confined(words: &[OsString]) -> Result<Infallible, String> {
    let [seconds, program, arguments @ ..] = words else {
        return Err("it takes seconds and a program".to_owned());
    };
    let seconds = seconds.to_str().and_then(|it| it.parse().ok());
    let seconds = seconds.ok_or("its seconds are no number")?;
    let limits = [
        (Resource::Cpu, seconds),
        (Resource::As, MEMORY),
        (Resource::Fsize, FILE),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|reason| format!("{resource:?}: {reason}"))?;
    }
    // If the parent is killed, this must not outlive it.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let reason = Command::new(program).args(arguments).exec();
    Err(format!("cannot start {}: {reason}", program.display()))
}

/// States how a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It exited successfully.
    Well,
    /// It exited with an error or was ended by a signal, as described.
    Badly(String),
    /// It exceeded its time limit.
    Late,
    /// Everything is to stop.
    Stopped,
}

/// Starts children.
#[derive(Debug)]
pub(crate) struct Confined<'a> {
    pub(crate) patience: Duration,
    pub(crate) stop: &'a AtomicBool,
}

impl Confined<'_> {
    /// Runs a command in `folder`, with output to these files, and temporary files in `scratch`.
    pub(crate) fn run(
        &self,
        command: &[OsString],
        folder: &Path,
        scratch: &Path,
        [output, errors]: [File; 2],
    ) -> io::Result<Ended> {
        let seconds = self.patience.as_secs().saturating_add(1).to_string();
        let mut child = Command::new("/proc/self/exe")
            .args([OsStr::new(SUBCOMMAND), OsStr::new(&seconds)])
            .args(command)
            .current_dir(folder)
            .env("LC_ALL", "C")
            .env("PATH", absolute_path())
            .env("TMPDIR", scratch)
            // Foreign code must not see the password of a store.
            .env_remove("PGPASSWORD")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .spawn()?;
        let has_ended = self.wait(&child);
        // Ends whatever it started, before its number is reused.
        if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = child.wait()?;
        let met_ctrl_c = status.signal() == Some(Signal::INT.as_raw());
        Ok(match (has_ended, self.stop.load(Ordering::Relaxed)) {
            // Ctrl-C reached it between its start and its having a group of its own.
            (true, true) if met_ctrl_c => Ended::Stopped,
            (true, _) => of_status(status),
            (false, true) => Ended::Stopped,
            (false, false) => Ended::Late,
        })
    }

    /// Waits until it ends or waiting must stop; in the latter case, it still runs.
    fn wait(&self, child: &Child) -> bool {
        let end = Instant::now() + self.patience;
        let Some(pid) = Pid::from_raw(child.id().cast_signed()) else { return false };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        loop {
            match waitid(WaitId::Pid(pid), look) {
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => return true,
            }
            if self.stop.load(Ordering::Relaxed) || Instant::now() >= end {
                return false;
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Returns the search path without relative folders, which would mean the folder that a command
/// runs in.
fn absolute_path() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let absolute = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    std::env::join_paths(absolute).unwrap_or_default()
}

fn of_status(status: ExitStatus) -> Ended {
    match (status.success(), status.signal().and_then(Signal::from_named_raw)) {
        (true, _) => Ended::Well,
        (_, Some(Signal::XCPU)) => Ended::Late,
        (_, Some(Signal::SEGV)) => Ended::Badly("SIGSEGV (invalid memory access)".to_owned()),
        (_, Some(Signal::BUS)) => Ended::Badly("SIGBUS (invalid memory access)".to_owned()),
        (_, Some(Signal::ILL)) => Ended::Badly("SIGILL (an instruction this CPU lacks)".to_owned()),
        (_, Some(Signal::FPE)) => Ended::Badly("SIGFPE (a division by zero)".to_owned()),
        (_, Some(Signal::ABORT)) => Ended::Badly("SIGABRT".to_owned()),
        (_, Some(Signal::XFSZ)) => Ended::Badly("SIGXFSZ (it wrote too much)".to_owned()),
        _ => Ended::Badly(status.to_string()),
    }
}
