//! Reports what could not be tested here, such as what needs a compiler.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
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

/// Compiles `source` to `file`, for the test of `what`; says so and returns `None` without that
/// compiler.
pub fn compiled(
    what: &str,
    compiler: &str,
    options: &[&str],
    [source, file]: [&Path; 2],
) -> Option<()> {
    let output = Command::new(compiler).args(options).arg("-o").args([file, source]).output();
    let Ok(output) = output else {
        skipped(format_args!("{what}: no {compiler}"));
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}
