//! Calling the binary.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

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
    command.stdin(Stdio::null()).env("XDG_DATA_HOME", data_home());
    // What follows from figures must not depend on who shares this machine.
    command.env("XDG_STATE_HOME", data_home()).env("CPB_ASSUME_QUIET", "1");
    // Nor on what the user wants by default.
    command.env("CPB_CONFIG", "").env_remove("CPB_STORE");
    command
}

/// Where tests save their runs: never among the user's own.
pub(crate) fn data_home() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data");
        let _ = std::fs::remove_dir_all(&folder);
        folder
    });
    &FOLDER
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

/// Calls cpb with `input` on its standard input.
pub(crate) fn with_input(line: &str, input: &[u8]) -> Called {
    feed(line, input).wait_with_output().expect("it ends").into()
}

/// Calls cpb with `input`, and presses Ctrl-C after a while.
pub(crate) fn interrupted(line: &str, input: &[u8]) -> Called {
    let child = feed(line, input);
    std::thread::sleep(Duration::from_millis(700));
    press_ctrl_c(&child);
    child.wait_with_output().expect("it ends").into()
}

/// As a terminal does: every process of the group gets the signal.
pub(crate) fn press_ctrl_c(leader: &Child) {
    let group = format!("-{}", leader.id());
    let killed = Command::new("kill").args(["-INT", "--", &group]).status().expect("kill is there");
    assert!(killed.success());
}

pub(crate) fn feed(line: &str, input: &[u8]) -> Child {
    let mut child = command()
        .args(line.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("cpb starts");
    // Small enough for the pipe, or read as it comes.
    child.stdin.take().expect("piped").write_all(input).expect("cpb reads");
    child
}

/// A folder that is gone when the test ends.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cpb-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of our own");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles a provider of `providers`, and returns what `--library` calls it by.
pub(crate) fn provider(name: &str, folder: &Path) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join(format!("lib{name}.so"));
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"])
        .arg(here.join("../../shims"))
        .arg("-o")
        .args([&library, &here.join(format!("tests/cpb/providers/{name}.c"))])
        .stderr(Stdio::piped())
        .output()
        .expect("the linker that Rust needs compiles C, too");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    format!("{name}={}", library.display())
}
