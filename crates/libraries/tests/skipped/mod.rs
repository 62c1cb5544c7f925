//! Reports what could not be tested here.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Prints it despite the captured output of passing tests; `script/test` repeats it at its
/// end. Each text is printed once per process.
pub fn skipped(what: impl std::fmt::Display) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (what, mut said) = (what.to_string(), SAID.lock().unwrap_or_else(PoisonError::into_inner));
    if !said.contains(&what) {
        let _ = writeln!(std::io::stderr(), "\nskipped: {what}");
        said.push(what);
    }
}
