//! Ctrl-C: the first asks to end with what was finished, the second ends.

use crate::{fault, output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that Ctrl-C sets.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&flag);
    let set = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(fault::INTERRUPTED.into());
        }
    });
    if let Err(reason) = set {
        output::warn(&format!("Ctrl-C will end cpb without what was finished: {reason}"));
    }
    flag
}

/// The exit status of a command that `stop` may have ended early, and that
/// would otherwise end with `status`.
pub(crate) fn status(stop: &AtomicBool, status: u8) -> u8 {
    if !stop.load(Ordering::Relaxed) {
        return status;
    }
    output::complain("interrupted; what was finished is shown");
    fault::INTERRUPTED
}
