//! Compiles a shim: each of its sources to an object, and these to a shared library, unless
//! that was done before with the same inputs.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A library's headers, file, and name for the linker.
pub(crate) struct Found {
    pub(crate) include: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) links: Vec<String>,
}

/// The target that a shim is compiled for.
pub(crate) struct Target<'a> {
    pub(crate) name: &'a str,
    pub(crate) standard: &'a str,
    pub(crate) found: &'a Found,
    /// Further options of its compiler.
    pub(crate) options: &'a [&'a str],
    /// The folder of the shared library.
    pub(crate) out: &'a Path,
    /// The folder of the objects.
    pub(crate) objects: &'a Path,
}

/// Limits how many compilers run at once.
pub(crate) struct Compilers {
    free: Mutex<Receiver<()>>,
    give_back: Sender<()>,
}

impl Compilers {
    pub(crate) fn new(count: usize) -> Self {
        let (give_back, free) = channel();
        for _ in 0..count {
            give_back.send(()).expect("its other end is here");
        }
        Self { free: Mutex::new(free), give_back }
    }

    fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        self.free.lock().expect("no work panics").recv().expect("its other end is here");
        let result = work();
        self.give_back.send(()).expect("its other end is here");
        result
    }
}

/// Makes the shared library of a shim; the error is the compiler's message to show.
pub(crate) fn shim(
    target: &Target<'_>,
    units: &[PathBuf],
    compilers: &Compilers,
) -> Result<(), String> {
    let objects: Vec<Result<PathBuf, String>> = thread::scope(|scope| {
        let all: Vec<_> =
            units.iter().map(|unit| scope.spawn(move || object(target, unit, compilers))).collect();
        all.into_iter().map(|it| it.join().expect("compiling does not panic")).collect()
    });
    let objects = objects.into_iter().collect::<Result<Vec<_>, _>>()?;
    link(target, &units[0], &objects)
}

/// Makes the object of one source. Checking, documenting, testing and packaging cpb each
/// run the build script in a folder of its own, so an object that is equal in all is
/// compiled once.
fn object(target: &Target<'_>, unit: &Path, compilers: &Compilers) -> Result<PathBuf, String> {
    let stem = unit.file_stem().unwrap_or_default().to_string_lossy();
    let mut command = compiler(target, unit)?;
    let is_cpp = super::is_cpp(unit);
    let options: &[&str] = match is_cpp {
        true => &["-fvisibility-inlines-hidden"],
        // This avoids stubs between a call and the library, which would be timed.
        false => &["-fvisibility=hidden", "-fno-plt"],
    };
    command.args(options).args(target.options).arg("-c").arg(unit);
    let asked = asked(&command)?;
    let name = format!("{}-{stem}-{}.o", target.name, made_of(&asked, &[]));
    let object = target.objects.join(name);
    let needs = object.with_extension("d");
    let made_of = || made_of(&asked, &needed(&needs));
    if !is_current(&object, &made_of()) {
        // Another build may be making the same object, so it is renamed when complete.
        let being_made = object.with_extension(format!("{}.o", std::process::id()));
        let its_needs = being_made.with_extension("d");
        command.args(["-MD", "-MF"]).arg(&its_needs).arg("-o").arg(&being_made);
        compilers.run(|| run(&mut command))?;
        rename(&its_needs, &needs)?;
        rename(&being_made, &object)?;
        keep(&object, &made_of())?;
    }
    Ok(object)
}

fn rename(from: &Path, to: &Path) -> Result<(), String> {
    fs::rename(from, to).map_err(|error| error.to_string())
}

fn link(target: &Target<'_>, first: &Path, objects: &[PathBuf]) -> Result<(), String> {
    let shared = target.out.join(format!("{}.so", target.name));
    let Found { folders, links, .. } = target.found;
    let mut command = compiler(target, first)?;
    command
        // Of the libraries that pkg-config names, only those in use are linked.
        .args(["-shared", "-s", "-Wl,--no-undefined", "-Wl,--as-needed"])
        .args(objects)
        .args(folders.iter().map(|folder| format!("-L{}", folder.display())))
        .args(links.iter().map(|link| format!("-l{link}")))
        // Older C libraries have dlsym here.
        .arg("-ldl")
        .arg("-o")
        .arg(&shared);
    // This runs each time, because the library may have a new soname.
    run(&mut command)
}

fn compiler(target: &Target<'_>, source: &Path) -> Result<Command, String> {
    // Crypto++'s templates take most of the time of building cpb; a build for tests
    // does not optimize.
    let is_for_tests = env::var("OPT_LEVEL").is_ok_and(|level| level == "0" || level == "1");
    let level = if is_for_tests { 0 } else { 2 };
    let compiler = cc::Build::new()
        .cpp(super::is_cpp(source))
        .opt_level(level)
        .debug(false)
        .pic(true)
        .std(target.standard)
        .includes(&target.found.include)
        // Parts of a routine get the call and its state, and few need both.
        .flag_if_supported("-Wno-unused-parameter")
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    let mut command = compiler.to_command();
    command.env("LC_ALL", "C");
    Ok(command)
}

/// Returns the name of this target's compiler, if no program of that name can be started.
pub(crate) fn missing_compiler(target: &Target<'_>, source: &Path) -> Option<String> {
    let command = match compiler(target, source) {
        Ok(command) => command,
        Err(reason) => return Some(format!("C compiler ({reason})")),
    };
    let program = command.get_program();
    let started = Command::new(program).arg("--version").output();
    started.is_err().then(|| program.to_string_lossy().into_owned())
}

/// Whether an earlier result was made from the same inputs.
fn is_current(made: &Path, made_of: &str) -> bool {
    made.exists() && fs::read_to_string(mark(made)).is_ok_and(|before| before == made_of)
}

fn keep(made: &Path, made_of: &str) -> Result<(), String> {
    fs::write(mark(made), made_of).map_err(|error| error.to_string())
}

fn mark(made: &Path) -> PathBuf {
    let ending = made.extension().unwrap_or_default().to_string_lossy();
    made.with_extension(format!("{ending}-made-of"))
}

/// Returns the files that a compiler reports it has read: a make rule, except names with
/// spaces; empty before the first run.
fn needed(rule: &Path) -> Vec<PathBuf> {
    let rule = fs::read_to_string(rule).unwrap_or_default();
    let (_, files) = rule.split_once(": ").unwrap_or_default();
    files.split_whitespace().filter(|word| *word != "\\").map(PathBuf::from).collect()
}

/// Identifies a command by its words and its compiler's version, without the environment,
/// whose folders differ from build to build.
fn asked(command: &Command) -> Result<String, String> {
    let compiler = command.get_program();
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map_err(|error| format!("{}: {error}", compiler.display()))?.stdout;
    let words: Vec<_> = command.get_args().collect();
    Ok(format!("{compiler:?} {words:?} {}", String::from_utf8_lossy(&version)))
}

/// Returns a digest of all inputs.
fn made_of(command: &str, parts: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    command.hash(&mut hasher);
    for path in parts {
        path.hash(&mut hasher);
        // A file that cannot be read counts as changed once it can be.
        fs::read(path).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn run(command: &mut Command) -> Result<(), String> {
    let compiler = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{compiler}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let reason = lines
        .clone()
        .find(|line| line.contains("error:") || line.contains("undefined reference"))
        .or_else(|| lines.next())
        .map_or_else(|| format!("{compiler}: {}", output.status), str::to_owned);
    Err(reason)
}
