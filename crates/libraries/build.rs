//! Builds the shims for C and C++ libraries, each where the library's headers are.
//!
//! A shim becomes a shared library in `OUT_DIR`, which `src/shim.rs` embeds.
//! That a shim cannot be built never fails the build of cpb: the reason is
//! embedded instead, and shown when the library is asked for. A shim whose sources,
//! headers and compiler are what they were is not built again.

#[path = "src/shim/table.rs"]
#[allow(dead_code, reason = "what only concerns opening a library")]
mod table;

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use table::{Build, SHIMS, Shim};

const SOURCES: &str = "../../shims";
/// What every shim includes, or may.
const SHARED: &[&str] = &["cpb_provider.h", "symmetric.h", "shim.h"];
const INCLUDE_FOLDERS: &[&str] = &["/usr/include", "/usr/local/include"];
/// Where development packages leave their mark, if pkg-config cannot say.
const PACKAGE_FOLDERS: &[&str] =
    &["/usr/lib/pkgconfig", "/usr/share/pkgconfig", "/usr/local/lib/pkgconfig"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/shim/table.rs");
    // A header that is missing cannot be watched: when it comes, it is as old as
    // its package, and not taken for a change. The folders are changed then.
    for folder in package_folders() {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let outcomes = build_all(&out);
    let mut generated = "pub(crate) const BUILT: &[Built] = &[\n".to_owned();
    for (shim, outcome) in SHIMS.iter().zip(outcomes) {
        let built = match outcome {
            Outcome::Built => format!("Built::Shim(include_bytes!(\"{}.so\"))", shim.name),
            Outcome::NoHeaders => "Built::NoHeaders".to_owned(),
            Outcome::OtherTarget => "Built::OtherTarget".to_owned(),
            Outcome::Failed(reason) => {
                println!("cargo:warning=the shim for {} was not built: {reason}", shim.title);
                // As any failed build.
                try_again_every_time(&out);
                format!("Built::Failed({reason:?})")
            }
        };
        writeln!(generated, "    {built},").expect("writing to a string cannot fail");
    }
    generated.push_str("];\n");
    fs::write(out.join("shims.rs"), generated).expect("OUT_DIR can be written");
}

enum Outcome {
    Built,
    NoHeaders,
    /// The headers of this machine are not those of another.
    OtherTarget,
    Failed(String),
}

/// Builds every shim, as many at once as cargo allows.
fn build_all(out: &Path) -> Vec<Outcome> {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    // Those in C++ take longest, and begin first.
    let mut order: Vec<usize> = (0..SHIMS.len()).collect();
    order.sort_by_key(|&index| is_cpp(SHIMS[index].source));
    let left = Mutex::new(order);
    let done: Mutex<Vec<Option<Outcome>>> = Mutex::new(SHIMS.iter().map(|_| None).collect());
    let next = || left.lock().expect("no build panics").pop();
    let work = || {
        while let Some(index) = next() {
            let outcome = build(&SHIMS[index], out);
            done.lock().expect("no build panics")[index] = Some(outcome);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().expect("no build panics");
    done.into_iter().map(|outcome| outcome.expect("every shim had its turn")).collect()
}

fn build(shim: &Shim, out: &Path) -> Outcome {
    let sources = sources(shim);
    for path in &sources {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    if env::var("HOST") != env::var("TARGET")
        || env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux")
    {
        return Outcome::OtherTarget;
    }
    let object = out.join(format!("{}.so", shim.name));
    let mut outcome = Outcome::NoHeaders;
    for build in shim.builds {
        let Some(found) = find(build, out) else { continue };
        match compile(&sources, build.standard, &found, &object) {
            Ok(()) => return Outcome::Built,
            // The reason of the best candidate is the one to mend.
            Err(reason) if matches!(outcome, Outcome::NoHeaders) => {
                outcome = Outcome::Failed(reason);
            }
            Err(_) => {}
        }
    }
    outcome
}

/// What a shim is made of, its own source first.
fn sources(shim: &Shim) -> Vec<PathBuf> {
    let mut paths = vec![Path::new(SOURCES).join(shim.source)];
    paths.extend(SHARED.iter().map(|name| Path::new(SOURCES).join(name)));
    let folder = Path::new(SOURCES).join(shim.name);
    let mut own: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    own.sort();
    paths.extend(own);
    paths
}

/// Where a library's headers and its file are, and what it is linked as.
struct Found {
    header: PathBuf,
    include: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    links: Vec<String>,
}

/// A build as pkg-config has it, or as it stands in the usual folders; `None`
/// where it is not installed.
fn find(build: &Build, out: &Path) -> Option<Found> {
    let asked = match build.package {
        "" => None,
        package => pkg_config::Config::new().cargo_metadata(false).probe(package).ok(),
    };
    let usual = INCLUDE_FOLDERS.iter().map(|folder| Path::new(folder).join(build.folder));
    let stated = asked.iter().flat_map(|library| library.include_paths.clone());
    let Some(include) = stated.chain(usual).find(|it| it.join(build.header).exists()) else {
        if asked.is_some() {
            // Half installed: no folder of packages will show when that changes.
            try_again_every_time(out);
        }
        return None;
    };
    let header = include.join(build.header);
    println!("cargo:rerun-if-changed={}", header.display());
    Some(match asked {
        Some(library) => Found {
            header,
            include: library.include_paths,
            folders: library.link_paths,
            links: library.libs,
        },
        None => Found {
            header,
            include: vec![include],
            folders: Vec::new(),
            links: Some(build.link.to_owned())
                .filter(|link| !link.is_empty())
                .into_iter()
                .collect(),
        },
    })
}

/// Compiles a shim, unless it is there; the error is what to show of it.
fn compile(
    sources: &[PathBuf],
    standard: &str,
    found: &Found,
    object: &Path,
) -> Result<(), String> {
    let (command, compiler) = command(&sources[0], standard, found, object)?;
    let made_of = made_of(&command, sources, &found.header);
    let mark = object.with_extension("made-of");
    if object.exists() && fs::read_to_string(&mark).is_ok_and(|before| before == made_of) {
        return Ok(());
    }
    run(command, &compiler)?;
    fs::write(mark, made_of).map_err(|error| error.to_string())
}

/// What a shim's object depends on, in short.
fn made_of(command: &Command, sources: &[PathBuf], header: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{command:?}").hash(&mut hasher);
    for path in sources {
        path.hash(&mut hasher);
        fs::read(path).unwrap_or_default().hash(&mut hasher);
    }
    // Of a library's headers one stands for all: packages replace them together.
    if let Ok(about) = fs::metadata(header) {
        (about.len(), about.modified().ok()).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn is_cpp(source: impl AsRef<Path>) -> bool {
    source.as_ref().extension().is_some_and(|ending| ending == "cpp")
}

/// The command that makes a shim, and its compiler.
fn command(
    source: &Path,
    standard: &str,
    found: &Found,
    object: &Path,
) -> Result<(Command, String), String> {
    // Crypto++'s templates take most of the time that all of cpb takes to build, and
    // twice that where they are optimised: not in a build that is not.
    let level = if env::var("OPT_LEVEL").as_deref() == Ok("0") { 0 } else { 2 };
    let options: &[&str] = match is_cpp(source) {
        true => &["-fvisibility-inlines-hidden"],
        // Without stubs between a call and the library, which would be timed.
        false => &["-fvisibility=hidden", "-fno-plt"],
    };
    let compiler = cc::Build::new()
        .cpp(is_cpp(source))
        .opt_level(level)
        .debug(false)
        .pic(true)
        .std(standard)
        .includes(&found.include)
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    let mut command = compiler.to_command();
    command
        // Of the libraries that pkg-config names, those that are called.
        .args(["-shared", "-s", "-Wl,--no-undefined", "-Wl,--as-needed"])
        .args(options)
        .arg(source)
        .args(found.folders.iter().map(|folder| format!("-L{}", folder.display())))
        .args(found.links.iter().map(|link| format!("-l{link}")))
        // Where dlsym was before the C library had it.
        .arg("-ldl")
        .arg("-o")
        .arg(object)
        .env("LC_ALL", "C");
    Ok((command, compiler.path().display().to_string()))
}

fn run(mut command: Command, compiler: &str) -> Result<(), String> {
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

/// Makes cargo run this script at every build: a path that does not exist has
/// always changed.
fn try_again_every_time(out: &Path) {
    println!("cargo:rerun-if-changed={}", out.join("never-there").display());
}

/// The folders that change when a development package comes or goes.
fn package_folders() -> Vec<PathBuf> {
    let asked = pkg_config::get_variable("pkg-config", "pc_path").unwrap_or_default();
    asked
        .split(':')
        .chain(PACKAGE_FOLDERS.iter().copied())
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir())
        .collect()
}
