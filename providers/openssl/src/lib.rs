//! Builds OpenSSL's libcrypto as a shared library. It is not a provider: cpb calls it as it
//! calls the system's OpenSSL.
//!
//! The crate's sources lack what OpenSSL's own Makefile needs for a shared library, so its
//! static library is linked into a shared one here. Only programs, tests and manual pages
//! are disabled; parts that would be modules, such as the legacy provider, are included.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

const OPTIONS: [&str; 5] = ["no-shared", "no-module", "no-apps", "no-tests", "no-docs"];
/// The code of a shared library must not depend on its address.
const POSITION_INDEPENDENT: &str = "-fPIC";
/// The result of the build.
const ARCHIVE: &str = "libcrypto.a";
/// Records the configuration of a build, which is made once, because configuring again
/// rebuilds everything.
const CONFIGURED: &str = "configured";
/// How many times progress is reported.
const REPORTS: usize = 10;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs the program: builds the sources in `source` below the folder of its first argument,
/// reusing earlier results, and writes the library to the second.
#[must_use]
pub fn main(source: &Path, version: &str) -> ExitCode {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, output] = &arguments[..] else {
        eprintln!("error: two arguments are needed: a folder to build in, and the file to write");
        return ExitCode::from(2);
    };
    match build(source, &folder.join(version), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build(source: &Path, folder: &Path, output: &Path) -> Outcome<()> {
    configure(source, folder)?;
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    make(folder, &["build_generated"])?;
    let files = files_to_compile(folder)?;
    if files > 0 {
        eprintln!("{files} files are compiled, {at_once} at once");
    }
    make_telling(folder, &[&format!("-j{at_once}"), ARCHIVE], files)?;
    link(&folder.join(ARCHIVE), output)
}

fn configure(source: &Path, folder: &Path) -> Outcome<()> {
    let mut configure = Command::new("perl");
    configure.arg(source.join("Configure")).args(OPTIONS).arg(POSITION_INDEPENDENT);
    let words = format!("{configure:?}");
    let stamp = folder.join(CONFIGURED);
    if fs::read_to_string(&stamp).is_ok_and(|found| found == words) {
        return Ok(());
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(folder)?,
    }
    eprintln!("{words}");
    run(configure.current_dir(folder), |_| {})?;
    Ok(fs::write(stamp, words)?)
}

fn make(folder: &Path, arguments: &[&str]) -> Outcome<()> {
    run(Command::new("make").args(arguments).current_dir(folder), |_| {})
}

/// Does the same, and reports at intervals how many of `files` files are compiled.
fn make_telling(folder: &Path, arguments: &[&str], files: usize) -> Outcome<()> {
    let (mut compiled, mut told) = (0, 0);
    run(Command::new("make").args(arguments).current_dir(folder), |line| {
        compiled += usize::from(compiles(line));
        let parts = compiled * REPORTS / files.max(1);
        if parts > told {
            told = parts;
            eprintln!("{compiled} of {files} files");
        }
    })
}

/// Returns the number of files still to be compiled.
fn files_to_compile(folder: &Path) -> Outcome<usize> {
    let mut files = 0;
    let mut make = Command::new("make");
    run(make.args(["-n", ARCHIVE]).current_dir(folder), |line| {
        files += usize::from(compiles(line));
    })?;
    Ok(files)
}

/// Whether a line of make's output calls a compiler.
fn compiles(line: &str) -> bool {
    line.contains(" -c -o ")
}

/// Links everything in `archive` into a shared library whose functions call each other even
/// if another libcrypto is in the same process.
fn link(archive: &Path, output: &Path) -> Outcome<()> {
    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler.args(["-shared", "-Wl,-Bsymbolic", "-Wl,-z,nodelete", "-Wl,--whole-archive"]);
    compiler.arg(archive).args(["-Wl,--no-whole-archive", "-pthread", "-ldl", "-o"]).arg(output);
    run(&mut compiler, |_| {})
}

/// Runs `command` and passes on each line of its output. If it fails, the error is the first
/// line that mentions an error, or else the last one.
fn run(command: &mut Command, mut each_line: impl FnMut(&str)) -> Outcome<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let (reader, writer) = io::pipe()?;
    let child = command.stdout(writer.try_clone()?).stderr(writer).spawn();
    // The command holds the other ends, so the reader would otherwise wait forever.
    command.stdout(io::stderr()).stderr(io::stderr());
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("{name} is not here, and builds need it: install it"),
        _ => format!("{name} could not be run: {error}"),
    })?;
    let (mut failure, mut last) = (None, String::new());
    for line in BufReader::new(reader).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        each_line(&line);
        if failure.is_none() && speaks_of_an_error(&line) {
            failure = Some(line.clone());
        }
        if !line.trim().is_empty() {
            last = line;
        }
    }
    let status = child.wait()?;
    io::stderr().flush()?;
    if status.success() {
        return Ok(());
    }
    let words = failure.unwrap_or(last);
    Err(format!("{name} failed ({status}): {}", words.trim()).into())
}

/// Whether a line of a compiler, linker, make or perl describes a fatal error.
fn speaks_of_an_error(line: &str) -> bool {
    ["error: ", "Error ", "undefined reference", "Can't locate ", "*** "]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(words: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", words]);
        command
    }

    #[test]
    fn lines_of_both_outputs_are_handed_over() {
        let mut lines = Vec::new();
        run(&mut shell("echo one; echo two >&2"), |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn a_failure_has_the_words_of_its_first_error() {
        let failure = |words: &str| run(&mut shell(words), |_| {}).unwrap_err().to_string();
        let compiler = "echo a; echo 'x.c:1: error: y' >&2; echo 'make: *** z'; echo b; exit 2";
        assert_eq!(failure(compiler), "sh failed (exit status: 2): x.c:1: error: y");
        assert_eq!(failure("echo a; echo b; echo; exit 3"), "sh failed (exit status: 3): b");
        let missing = run(&mut Command::new("cpb-no-such-program"), |_| {});
        assert!(missing.unwrap_err().to_string().contains("install it"));
    }

    #[test]
    fn calls_of_the_compiler_are_counted() {
        assert!(compiles("gcc  -I. -fPIC -c -o crypto/aes/libcrypto-lib-aes.o aes.c"));
        assert!(!compiles("ar qc libcrypto.a crypto/aes/libcrypto-lib-aes.o"));
    }
}
