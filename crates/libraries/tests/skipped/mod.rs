//! What could not be tested here.

use std::io::Write as _;

/// Says so past the output that is captured of a test that passes: `script/test` says it again
/// at its end.
pub fn skipped(what: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "\nskipped: {what}");
}
