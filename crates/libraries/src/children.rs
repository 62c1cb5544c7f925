//! Supervises processes that a library starts.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, RawPid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_child_subreaper, set_parent_process_death_signal, setpgid, setrlimit, wait, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout, stdin};
use std::fs::File;
use std::io;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time in which the child may exit by itself; shorter than the wait of whoever observes its
/// exit.
const GRACE: Duration = Duration::from_millis(200);

/// Continues as a child of this process, which from here on only ensures that whatever the child
/// starts ends with it: a library's processes are of no use afterwards, and must not load the
/// machine. Orphaned descendants become children of this process, which kills them. It exits as the
/// child did, and ends the child once nobody holds the other end of standard input.
///
/// It must be called while there is only one thread.
///
/// # Errors
/// If the system grants no further process.
pub fn go_on_supervised() -> io::Result<()> {
    let supervisor = getpid();
    set_child_subreaper(Some(supervisor))?;
    // SAFETY: there is one thread, so the child may do whatever this process may. SIGCHLD has its
    // default action again, because otherwise the end of a child would not be reported.
    let worker = unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::fork()
    };
    if worker < 0 {
        return Err(io::Error::last_os_error());
    }
    if let Some(worker) = Pid::from_raw(worker) {
        supervise(worker);
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // A parent that ended before this request no longer sends the signal.
    if getppid() != Some(supervisor) {
        leave();
    }
    // Signals that the library sends to its group must not reach the supervisor.
    Ok(setpgid(None, None)?)
}

/// Ends this process at once and successfully, without the libraries' unloading code: it is not
/// measured, and could only fail.
pub fn leave() -> ! {
    // SAFETY: it ends the process, which has nothing left to write.
    unsafe { libc::_exit(0) }
}

fn supervise(worker: Pid) -> ! {
    // The reader of the worker's output must see its end.
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        let _ = dup2_stdout(&nowhere).and_then(|()| dup2_stderr(&nowhere));
    }
    let is_there = Arc::new(Mutex::new(true));
    let may_be_killed = Arc::clone(&is_there);
    std::thread::spawn(move || {
        while !is_hung_up() {}
        std::thread::sleep(GRACE);
        // Held until it is killed, so that nobody waits for it meanwhile.
        let may_be_killed = may_be_killed.lock().unwrap_or_else(PoisonError::into_inner);
        if *may_be_killed {
            let _ = kill_process(worker, Signal::KILL);
        }
    });
    while let Some(child) = next_ended().filter(|child| *child != worker) {
        let _ = waitpid(Some(child), WaitOptions::empty());
    }
    // Once it was waited for, its number may belong to another process.
    *is_there.lock().unwrap_or_else(PoisonError::into_inner) = false;
    let ended = waitpid(Some(worker), WaitOptions::empty()).ok().flatten();
    while has_children() && end_children() {}
    end_like(ended.map(|(_, status)| status))
}

/// Whether there is another child, without looking at all processes; reaps one that has ended.
fn has_children() -> bool {
    wait(WaitOptions::NOHANG).is_ok()
}

/// Waits for the end of a child, but leaves it waitable, so that its number is not reused.
fn next_ended() -> Option<Pid> {
    // SAFETY: the call fills in a structure that was zeroed, and it names a process if a child has
    // ended.
    let child = unsafe {
        let mut about = std::mem::zeroed::<libc::siginfo_t>();
        libc::waitid(libc::P_ALL, 0, &raw mut about, libc::WEXITED | libc::WNOWAIT);
        about.si_pid()
    };
    Pid::from_raw(child)
}

/// Waits until nobody holds the other end of standard input, or for a signal.
fn is_hung_up() -> bool {
    let mut input = [PollFd::from_borrowed_fd(stdin(), PollFlags::empty())];
    poll(&mut input, None).is_ok()
}

/// Kills all children; returns whether there were any. Theirs then become children of this process.
fn end_children() -> bool {
    let mut any = false;
    for child in children() {
        if kill_process(child, Signal::KILL).is_ok() {
            any |= waitpid(Some(child), WaitOptions::empty()).is_ok();
        }
    }
    any
}

/// Iterates over all children of this process. The kernel lists them only if built with that
/// option.
fn children() -> impl Iterator<Item = Pid> {
    let own = getpid();
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(move |process| {
        let pid = Pid::from_raw(number(process.file_name().to_str())?)?;
        let about = std::fs::read(process.path().join("stat")).ok()?;
        // Number, name in parentheses with arbitrary bytes, state, parent.
        let name_ends = about.iter().rposition(|byte| *byte == b')')?;
        let state_and_parent = std::str::from_utf8(&about[name_ends + 1..]).ok()?;
        let parent = number(state_and_parent.split_whitespace().nth(1))?;
        (parent == own.as_raw_pid()).then_some(pid)
    })
}

fn number(text: Option<&str>) -> Option<RawPid> {
    RawPid::from_str(text?).ok()
}

/// Exits with this status.
fn end_like(status: Option<WaitStatus>) -> ! {
    if let Some(signal) = status.and_then(WaitStatus::terminating_signal) {
        // The worker has already written its own core dump.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        // SAFETY: the signal's default action ends the process, which has nothing left to do.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    std::process::exit(status.and_then(WaitStatus::exit_status).unwrap_or(1))
}
