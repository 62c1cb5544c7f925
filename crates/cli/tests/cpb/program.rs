//! Calls the binary.

use cpb_model::{FromJson, Run};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The output of a call, and its exit status.
pub(crate) struct Called {
    /// The command line; empty where the test waited for its process itself.
    line: String,
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("cpb prints UTF-8");
        Self {
            line: String::new(),
            status: output.status.code().expect("cpb exits by itself"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Called {
    /// Checks the exit status, and that standard error has each of `words`.
    #[track_caller]
    pub(crate) fn ends(self, status: i32, words: &[&str]) -> Self {
        let Self { line, stdout, stderr, .. } = &self;
        assert_eq!(self.status, status, "{line}: {stdout}{stderr}");
        says(&format!("{line}: {stderr}"), words);
        self
    }

    /// Checks the same, and that nothing is on standard output.
    #[track_caller]
    pub(crate) fn fails(self, status: i32, words: &[&str]) {
        let Self { line, stdout, stderr, .. } = self.ends(status, words);
        assert_eq!(stdout, "", "{line}");
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    }

    /// Checks that standard output has each of `words`.
    #[track_caller]
    pub(crate) fn shows(self, words: &[&str]) -> Self {
        says(&self.stdout, words);
        self
    }

    /// Returns all output.
    pub(crate) fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Returns the lines of CSV on standard output, each by column.
    pub(crate) fn csv(&self) -> Vec<HashMap<String, String>> {
        let mut lines = self.stdout.lines().map(|line| line.split(',').map(str::to_owned));
        let names: Vec<String> = lines.next().expect("a header").collect();
        lines.map(|line| names.iter().cloned().zip(line).collect()).collect()
    }

    /// Returns the document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("cpb's own JSON")
    }

    /// Returns the run on standard output.
    #[track_caller]
    pub(crate) fn run(&self) -> Run {
        Run::from_slice(self.stdout.as_bytes()).expect("cpb's own JSON")
    }
}

/// Checks that `text` has each of `words`.
#[track_caller]
pub(crate) fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no '{word}' in\n{text}");
    }
}

/// Makes a call, and waits for its end.
pub(crate) fn call(command: &mut Command) -> Called {
    let words = command.get_args().map(OsStr::to_string_lossy);
    let line = words.collect::<Vec<_>>().join(" ");
    Called { line, ..command.output().expect("it starts").into() }
}

/// Waits for the end of a call that was started.
pub(crate) fn wait(child: Child) -> Called {
    child.wait_with_output().expect("it ends").into()
}

/// A limit of 200 MiB of memory, beyond which cpb aborts.
pub(crate) const LITTLE_MEMORY: &str = "prlimit --data=209715200";

/// Returns a call by another program, with its words, that limits what cpb may use.
pub(crate) fn under(limit: &str, line: &str) -> Command {
    let mut words = limit.split(' ');
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).arg(env!("CARGO_BIN_EXE_cpb")).args(line.split_whitespace());
    command
}

/// Starts a call whose output the test reads itself.
pub(crate) fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Starts `cpb serve`, and waits until it prints host and port.
pub(crate) fn serving(serve: &mut Command) -> (Child, String) {
    let mut child = spawn(serve);
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("it says where it is");
    assert!(line.trim().ends_with("Ctrl-C stops the server"), "{line}");
    let address = line.strip_prefix("http://").and_then(|it| it.split_once("/ "));
    (child, address.expect("an address").0.to_owned())
}

thread_local! {
    /// The number of calls that this test has made on the simulated machine; `None` on this
    /// machine.
    static SIMULATED: Cell<Option<u64>> = const { Cell::new(Some(0)) };
    /// Whether this test's calls ask libraries that they do not name.
    static CROSS_CHECKS: Cell<bool> = const { Cell::new(false) };
}

/// Makes all further calls of this thread, in which a test runs, measure on this machine.
pub(crate) fn on_this_machine() {
    SIMULATED.set(None);
}

/// Makes all further calls of this thread ask other libraries where a result depends on them, as
/// users' calls do.
pub(crate) fn with_cross_checks() {
    CROSS_CHECKS.set(true);
}

/// Returns the command for cpb on the simulated machine; each call is a day after the last.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cpb"));
    if let Some(calls) = SIMULATED.get() {
        command.env("CPB_MACHINE", format!("simulated:{calls}"));
        SIMULATED.set(Some(calls + 1));
    }
    // Each library that a call looks for costs two processes.
    if !CROSS_CHECKS.get() {
        command.env("CPB_CROSS_CHECKS", "none");
    }
    command.stdin(Stdio::null()).env("XDG_DATA_HOME", data_home());
    // Results must depend neither on this machine's load nor on the user's defaults.
    command.env("XDG_STATE_HOME", data_home()).env("CPB_ASSUME_QUIET", "1");
    command.env("CPB_CONFIG", "").env_remove("CPB_STORE");
    command
}

/// Returns the folder in which tests save their runs, instead of the user's own.
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
    call(command().args(line.split_whitespace()))
}

/// Calls cpb, which must exit with 2, print nothing on standard output, and print each of `words`
/// on standard error.
#[track_caller]
pub(crate) fn refused(line: &str, words: &[&str]) {
    cpb(line).fails(2, words);
}

/// Calls cpb, which must exit with 0 and print no complaint.
#[track_caller]
pub(crate) fn succeeds(line: &str) -> Called {
    let called = cpb(line).ends(0, &[]);
    assert!(!called.stderr.contains("error"), "{line}: {}", called.stderr);
    called
}

/// Returns a path that does not exist and cannot be created, in the folder of these tests.
pub(crate) fn nowhere(name: &str) -> String {
    data_home().join("nowhere").join(name).display().to_string()
}

/// Calls cpb with `input`, and presses Ctrl-C once it works.
pub(crate) fn interrupted(line: &str, input: &[u8]) -> Called {
    let child = feed(line, input);
    until(|| catches_ctrl_c(&child) && is_at_work(&child));
    press_ctrl_c(&child);
    wait(child)
}

/// Prints it despite the captured output of passing tests; `script/test` repeats it at its end.
pub(crate) fn skipped(what: impl Display) {
    let _ = writeln!(std::io::stderr(), "\nskipped: {what}");
}

/// Returns the version of the installed library; `None` if it is not installed. A library that
/// cannot be opened is no reason to skip a test.
pub(crate) fn version_of(library: &str) -> Option<&'static str> {
    static LIBRARIES: LazyLock<HashMap<String, String>> =
        LazyLock::new(|| versions(&succeeds("list --libraries --format csv").stdout));
    LIBRARIES.get(library).map(String::as_str)
}

fn versions(csv: &str) -> HashMap<String, String> {
    let mut versions = HashMap::new();
    for line in csv.lines().skip(1) {
        let [library, version] = [0, 1].map(|place| line.split(',').nth(place).expect("a field"));
        match version {
            "" => assert!(line.contains(" is not available: "), "{line}"),
            _ => drop(versions.insert(library.to_owned(), version.to_owned())),
        }
    }
    assert!(versions.contains_key("native"), "{csv}");
    versions
}

#[test]
fn a_library_that_cannot_be_opened_is_not_taken_for_absent() {
    let csv = "library,version,path,code_path,implementations,missing\nnative,1,,,9,\nx,,,,,";
    let missing = "x is not available: No such file; install it";
    assert_eq!(versions(&format!("{csv}{missing}")).len(), 1);
    for fault in ["cannot load x: it is broken", "x refuses to start: no", ""] {
        let csv = format!("{csv}{fault}");
        assert!(std::panic::catch_unwind(|| versions(&csv)).is_err(), "{fault}");
    }
    assert!(std::panic::catch_unwind(|| versions("")).is_err(), "nothing is listed");
}

/// Returns the version of an OpenSSL with key pairs by name, if it is installed.
pub(crate) fn with_key_pairs() -> Option<&'static str> {
    let version = version_of("openssl").filter(|version| !version.starts_with("1."));
    if version.is_none() {
        skipped("key pairs of OpenSSL: none since 3.0 is installed");
    }
    version
}

/// Waits until the condition is true, up to a limit.
pub(crate) fn until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "never");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the signal is in a set of signals of a process, such as those that it handles, `SigCgt:`
/// (proc(5)).
pub(crate) fn has_signal(process: u32, set: &str, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = |line: &str| u64::from_str_radix(line.strip_prefix(set)?.trim(), 16).ok();
    status.lines().find_map(mask).is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// Whether Ctrl-C is handled.
pub(crate) fn catches_ctrl_c(child: &Child) -> bool {
    has_signal(child.id(), "SigCgt:", Signal::INT)
}

/// Whether it has workers, or has computed for some hundredths of a second itself.
fn is_at_work(child: &Child) -> bool {
    let id = child.id();
    let read = |file: String| std::fs::read_to_string(file).unwrap_or_default();
    let children = read(format!("/proc/{id}/task/{id}/children"));
    // This is the 14th field, counted from the end of the name, which may be anything (proc(5)).
    let stat = read(format!("/proc/{id}/stat"));
    let ticks = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11));
    !children.is_empty() || ticks.and_then(|ticks| ticks.parse().ok()).is_some_and(|it: u64| it > 3)
}

/// Sends the signal to every process of the group, as a terminal does.
pub(crate) fn press_ctrl_c(leader: &Child) {
    kill_process_group(Pid::from_child(leader), Signal::INT).expect("it runs");
}

/// Sends a signal to this process alone.
pub(crate) fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

/// Waits until `child` has ended, which it must soon.
#[track_caller]
pub(crate) fn ends_soon(child: &mut Child) {
    let start = Instant::now();
    while child.try_wait().expect("ours").is_none() {
        let is_late = start.elapsed() > Duration::from_secs(20);
        if is_late {
            child.kill().expect("ours");
        }
        assert!(!is_late, "it went on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn feed(line: &str, input: &[u8]) -> Child {
    let mut command = command();
    command.args(line.split_whitespace()).stdin(Stdio::piped()).process_group(0);
    let mut child = spawn(&mut command);
    // The input is small enough for the pipe, or is read as it arrives.
    child.stdin.take().expect("piped").write_all(input).expect("cpb reads");
    child
}

/// A folder that is removed when dropped; `runs.sqlite` in it is a store.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a folder of our own"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the path of a file as a word of command lines.
    pub(crate) fn word(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file, and returns its path as a word.
    pub(crate) fn writes(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("our folder");
        self.word(name)
    }

    pub(crate) fn reads(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("it was written")
    }

    /// Returns `line` with this store.
    pub(crate) fn line(&self, line: &str) -> String {
        format!("{line} --store {}", self.word("runs.sqlite"))
    }

    pub(crate) fn cpb(&self, line: &str) -> Called {
        cpb(&self.line(line))
    }

    pub(crate) fn succeeds(&self, line: &str) -> Called {
        succeeds(&self.line(line))
    }
}

/// Makes a named pipe.
pub(crate) fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

/// The flags of a shared library.
pub(crate) const SHARED: [&str; 2] = ["-shared", "-fPIC"];

/// Compiles a C source, named from the folder of this crate, to `file`.
pub(crate) fn compile(source: impl AsRef<Path>, file: &Path, flags: &[impl AsRef<OsStr>]) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
        .arg(here.join("../../shims"))
        .args(flags)
        .arg("-o")
        .args([file, &here.join(source)])
        .output()
        .expect("the linker that Rust needs compiles C, too");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles a provider of `providers`, and returns its value for `--library`.
pub(crate) fn provider(name: &str, folder: &Folder) -> String {
    let library = folder.path(&format!("lib{name}.so"));
    compile(format!("tests/cpb/providers/{name}.c"), &library, &SHARED);
    format!("{name}={}", library.display())
}
