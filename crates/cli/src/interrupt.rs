//! Handles Ctrl-C, a request to end, and a closing terminal, so that finished work is kept.

use crate::output;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::Error;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Shells add this to a signal's number to get the exit status.
const ENDED_BY: i32 = 128;

/// Records whether a signal asked cpb to end: its number, or 0 for none.
pub(crate) struct Interrupt {
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

/// Makes signals ask cpb to end with what was finished. A second Ctrl-C ends it at once. Other
/// signals never do, because they often come twice (`timeout` signals process and group, a shell
/// repeats the terminal's signal).
pub(crate) fn flag() -> Interrupt {
    let interrupt = Interrupt { stop: Arc::default(), signal: Arc::default() };
    if let Err(reason) = interrupt.listen() {
        output::warn(&format!("a signal will end cpb without showing what was finished: {reason}"));
    }
    interrupt
}

/// Whether signals end cpb at once, which holds while nothing is measured.
static AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// Runs `work`, which waits for something outside; meanwhile signals end cpb at once.
pub(crate) fn ended_at_once<T>(work: impl FnOnce() -> T) -> T {
    static REGISTERED: LazyLock<()> = LazyLock::new(|| {
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|it| !is_ignored(*it)) {
            // If this fails, signals are handled after the work.
            let _ = flag::register_conditional_default(signal, Arc::clone(&AT_ONCE));
        }
    });
    LazyLock::force(&REGISTERED);
    let before = AT_ONCE.swap(true, Ordering::Relaxed);
    let done = work();
    AT_ONCE.store(before, Ordering::Relaxed);
    done
}

impl Interrupt {
    fn listen(&self) -> Result<(), Error> {
        AT_ONCE.store(false, Ordering::Relaxed);
        flag::register_conditional_shutdown(SIGINT, ENDED_BY + SIGINT, Arc::clone(&self.stop))?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // A signal ignored by nohup stays ignored.
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            flag::register_usize(signal, Arc::clone(&self.signal), signal as usize)?;
            flag::register(signal, Arc::clone(&self.stop))?;
        }
        Ok(())
    }

    /// Returns the exit status for the signal; `None` if none came.
    pub(crate) fn status(&self) -> Option<u8> {
        let signal = self.signal.load(Ordering::Relaxed);
        (signal != 0).then(|| ENDED_BY as u8 + signal as u8)
    }
}

/// The flag that is checked before every job.
impl Deref for Interrupt {
    type Target = Arc<AtomicBool>;

    fn deref(&self) -> &Arc<AtomicBool> {
        &self.stop
    }
}

/// Returns the exit status of a command that a signal may have ended early, and that would
/// otherwise end with `status`.
pub(crate) fn status(interrupt: &Interrupt, status: u8) -> u8 {
    let ended = interrupt.status();
    if ended.is_some() {
        output::complain("interrupted; what was finished is shown");
    }
    ended.unwrap_or(status)
}

/// Whether this process was started with `signal` ignored; false if the kernel does not say.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
