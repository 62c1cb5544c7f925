//! Processes that a library starts.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

/// Which process forks.
static PARENT: AtomicI32 = AtomicI32::new(0);

/// Has every process that is forked from this one's main thread from here on
/// killed when this one ends, however it ends, and so on with theirs: a library's
/// own processes have no use beyond it, and must not load the machine. What is
/// started without `fork`'s handlers (`posix_spawn`) is left to the process
/// group.
///
/// # Errors
/// When the system has no memory to remember it.
pub fn end_children_with_this_process() -> io::Result<()> {
    // SAFETY: the handlers are this program's, so that they stay; what they may
    // do between fork and exec is theirs to keep to.
    let status = unsafe { libc::pthread_atfork(Some(before_fork), None, Some(in_child)) };
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

/// Ends this process at once and well, without what libraries do when they are
/// unloaded: that is not measured, and would be the last that could go wrong.
pub fn leave() -> ! {
    // SAFETY: it ends the process, which has nothing left to write.
    unsafe { libc::_exit(0) }
}

extern "C" fn before_fork() {
    PARENT.store(std::process::id().cast_signed(), Ordering::Relaxed);
}

extern "C" fn in_child() {
    // SAFETY: three calls that touch no memory of ours, as a child of a process
    // with threads may make them.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // A parent that ended before that was asked for does not tell any more.
        if libc::getppid() != PARENT.load(Ordering::Relaxed) {
            libc::_exit(0);
        }
    }
}
