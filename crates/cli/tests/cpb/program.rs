//! Calling the binary.

use std::process::{Command, Output, Stdio};

/// What a call printed, and its exit status.
pub(crate) struct Called {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("cpb prints UTF-8");
        Self {
            status: output.status.code().expect("cpb exits by itself"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cpb"));
    command.stdin(Stdio::null());
    command
}

/// Calls cpb with the words of `line`.
pub(crate) fn cpb(line: &str) -> Called {
    command().args(line.split_whitespace()).output().expect("cpb starts").into()
}

/// Calls cpb, which must exit with 2, print nothing on standard output, and
/// name each of `words` on standard error.
pub(crate) fn refused(line: &str, words: &[&str]) {
    let called = cpb(line);
    assert_eq!(called.status, 2, "{line}: {}", called.stderr);
    assert_eq!(called.stdout, "", "{line}");
    assert!(!called.stderr.contains("panicked"), "{line}: {}", called.stderr);
    for word in words {
        assert!(called.stderr.contains(word), "{line} does not say '{word}': {}", called.stderr);
    }
}

/// Calls cpb, which must exit with 0 and complain of nothing.
pub(crate) fn succeeds(line: &str) -> Called {
    let called = cpb(line);
    assert_eq!(called.status, 0, "{line}: {}", called.stderr);
    assert!(!called.stderr.contains("error"), "{line}: {}", called.stderr);
    called
}
