//! What could not be tested here.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Says so past the output that is captured of a test that passes: `script/test` says it again
/// at its end. Once for all tests of a process.
pub fn skipped(what: impl std::fmt::Display) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (what, mut said) = (what.to_string(), SAID.lock().unwrap_or_else(PoisonError::into_inner));
    if !said.contains(&what) {
        let _ = writeln!(std::io::stderr(), "\nskipped: {what}");
        said.push(what);
    }
}
