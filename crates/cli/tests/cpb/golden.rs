//! Compares the output of the four old tools, under their names and as commands of cpb, with
//! recordings: shapes, names and order.
//!
//! A recording is a list of command lines (`$ …`), each followed by its exit status, its standard
//! output (`| …`), its standard error (`! …`) and the files that it wrote (`> NAME`, `| …`).
//! Figures and text about the machine are masked (`mask`). Lines below `needs LIBRARY` or `needs
//! LIBRARY VERSION` are compared if that is installed; otherwise they are skipped and listed.
//! Commands run on the simulated machine, except one of each tool whose line ends with `# on this
//! machine`.
//!
//! A transcript (`tests/transcripts`) is a list of a shell's command lines, all of them in one
//! folder and on the simulated machine, one day apart; nothing in it is masked. `bench` and `milo` are
//! cpb under these names, `$SHIMS` is the folder of the shims.
//!
//! `CPB_GOLDEN=record cargo test -p cpb --test cpb golden` records them again.

mod mask;

use crate::program::{Called, call, skipped, version_of};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Returns the command for a program in `folder`, which keeps cpb's files there, and figures
/// independent of this machine's load.
fn command(program: &str, folder: &TempDir) -> Command {
    let mut command = Command::new(program);
    for (name, place) in [("XDG_DATA_HOME", ".data"), ("XDG_STATE_HOME", ".state")] {
        command.env(name, folder.path().join(place));
    }
    command.current_dir(folder).env("CPB_ASSUME_QUIET", "1").env("CPB_CONFIG", "");
    command.env("CPB_CROSS_CHECKS", "none").env_remove("CPB_STORE").env_remove("COLUMNS");
    command
}

/// Makes a command measure on the simulated machine, after `commands` earlier ones.
fn simulated(command: &mut Command, commands: usize) {
    command.env("CPB_MACHINE", format!("simulated:{commands}"));
}

/// Returns the output of the command line in the form of a recording.
fn recorded(line: &str) -> String {
    let folder = TempDir::new().expect("a folder of our own");
    let (line, here) =
        line.split_once(" # on this machine").map_or((line, false), |it| (it.0, true));
    let mut words = line.split_whitespace();
    let mut command = command(env!("CARGO_BIN_EXE_cpb"), &folder);
    command.arg0(words.next().expect("a tool's name")).args(words);
    if !here {
        simulated(&mut command, 0);
    }
    let Called { status, stdout, stderr, .. } = call(&mut command);
    let mut recorded = format!("status {status}\n");
    recorded.push_str(&quoted('|', &mask::stdout(line, &stdout)));
    recorded.push_str(&quoted('!', &mask::stderr(line, status, &stderr)));
    for path in files(folder.path()) {
        let content = std::fs::read_to_string(&path).expect("text");
        let name = path.file_name().expect("a file").to_string_lossy();
        recorded.push_str(&format!("> {name}\n{}", quoted('|', &mask::raw_file(line, &content))));
    }
    recorded
}

/// Quotes the output without the list of missing libraries, which depends on this machine.
fn quoted(mark: char, text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("info: without "));
    lines.map(|line| format!("{mark} {line}\n").replace(" \n", "\n")).collect()
}

/// Returns a folder for a shell's command lines, with cpb and two of its old names.
pub(crate) fn shells_folder() -> TempDir {
    let folder = TempDir::new().expect("a folder of our own");
    std::fs::create_dir(folder.path().join(".bin")).expect("ours");
    for tool in ["cpb", "bench", "milo"] {
        let link = folder.path().join(".bin").join(tool);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cpb"), link).expect("ours");
    }
    folder
}

/// Runs a shell's command lines in `folder`, after `commands` earlier ones.
pub(crate) fn shell(line: &str, folder: &TempDir, commands: usize) -> Called {
    let mut shell = command("sh", folder);
    let search = std::env::var("PATH").unwrap_or_default();
    let own = folder.path().join(".bin").display().to_string();
    shell.args(["-c", line]).env("PATH", format!("{own}:{search}"));
    shell.env("SHIMS", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims"));
    simulated(&mut shell, commands);
    call(&mut shell)
}

/// Returns the output of a transcript's command lines, after `commands` earlier ones.
fn transcribed(line: &str, folder: &TempDir, commands: usize) -> String {
    let Called { status, stdout, stderr, .. } = shell(line, folder, commands);
    let plain = |text: String| text.replace(&folder.path().display().to_string(), "<folder>");
    let (stdout, stderr) = (quoted('|', &plain(stdout)), quoted('!', &plain(stderr)));
    format!("status {status}\n{stdout}{stderr}")
}

/// Returns the files that a command wrote besides cpb's own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("our folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Whether the library in a line `needs …` is installed, in that version.
fn is_here(needs: &str) -> bool {
    let (name, version) = needs.split_once(' ').unwrap_or((needs, ""));
    version_of(name).is_some_and(|here| here.starts_with(version))
}

/// Runs the command lines of the recording, and compares their output with it.
fn hold(name: &str) {
    holds(&format!("golden/{name}"), |line, _| recorded(line));
}

/// Does the same for a transcript.
fn replays(name: &str) {
    let folder = shells_folder();
    holds(&format!("transcripts/{name}"), |line, before| transcribed(line, &folder, before));
}

pub(crate) fn is_recording() -> bool {
    std::env::var_os("CPB_GOLDEN").is_some_and(|value| value == "record")
}

fn holds(name: &str, run: impl Fn(&str, usize) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let golden = std::fs::read_to_string(&path).expect("a recording");
    let (mut now, mut missing, mut commands) = (String::new(), None, 0);
    for line in golden.lines() {
        if let Some(needs) = line.strip_prefix("needs ") {
            missing = Some(needs).filter(|needs| !is_here(needs));
            if let Some(needs) = missing {
                skipped(format_args!("{name}: the part that needs {needs}"));
            }
        }
        let is_output = line.starts_with(['|', '!', '>']) || line.starts_with("status ");
        if missing.is_some() || !is_output {
            now.push_str(&format!("{line}\n"));
        }
        if let Some(line) = line.strip_prefix("$ ") {
            if missing.is_none() {
                now.push_str(&run(line, commands));
            }
            commands += 1;
        }
    }
    if is_recording() {
        std::fs::write(path, now).expect("our own recording");
        return;
    }
    let change = golden.lines().zip(now.lines()).find(|(was, is)| was != is);
    let (was, is) = change.unwrap_or_default();
    assert!(change.is_none(), "{name}: this line was\n{was}\nand is\n{is}\nin\n{now}");
    assert_eq!(now.lines().count(), golden.lines().count(), "{name}:\n{now}");
}

macro_rules! recordings {
    ($how:ident: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            super::$how(concat!(stringify!($name), ".txt"));
        })*
    };
}

/// The command lines of the old tools, whose figures are masked.
mod recording {
    recordings!(
        hold: bench bench_slope_openssl bench_slope_gcrypt bench_slope_nettle bench_slope_botan
            bench_slope_cryptopp milo benchmark_mt commands
    );
}

/// The command lines that run on the simulated machine.
mod transcript {
    recordings!(
        replays: run compare gate saved scale selectors suite refusals usage config bench slope
            primitive recursive doctor chain plot report commits own_libraries fleet
    );
}
