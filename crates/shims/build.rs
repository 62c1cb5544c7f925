//! Builds the shims for C and C++ libraries whose headers are installed.
//!
//! A shim becomes a shared library in `OUT_DIR`, which `src/lib.rs` embeds. A shim that cannot be
//! built never fails the build of cpb: the reason is embedded instead, and shown when the library
//! is requested. A shim is built again only if its sources, headers or compiler changed.

#[path = "build/compile.rs"]
mod compile;
#[path = "build/table.rs"]
mod table;

use compile::{Compilers, Found, Target};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use table::{Build, Installed, SHIMS, Shim};

const SOURCES: &str = "../../shims";
const INCLUDE_FOLDERS: &[&str] = &["/usr/include", "/usr/local/include"];
/// Folders that development packages change, if pkg-config cannot say.
const PACKAGE_FOLDERS: &[&str] = &[
    "/usr/lib/pkgconfig",
    "/usr/share/pkgconfig",
    "/usr/local/lib/pkgconfig",
    "/usr/local/include",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    // A missing header cannot be watched: when it is installed, it has its package's time, which is
    // not taken for a change. But then the folders are changed.
    for folder in package_folders() {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let outcomes = build_all(&out);
    let mut generated = "/// All shims, each with what became of it.\n\
        pub static SHIMS: &[Shim] = &[\n"
        .to_owned();
    for (shim, outcome) in SHIMS.iter().zip(outcomes) {
        let built = match outcome {
            Outcome::Built => format!("Built::Shim(include_bytes!(\"{}.so\"))", shim.name),
            Outcome::NoHeaders => "Built::NoHeaders".to_owned(),
            Outcome::NoCompiler(compiler) => {
                try_again_every_time(&out);
                format!("Built::NoCompiler({compiler:?})")
            }
            Outcome::OtherTarget => "Built::OtherTarget".to_owned(),
            Outcome::Failed(reason) => {
                println!("cargo:warning=the shim for {} was not built: {reason}", shim.title);
                // This is done after any failed build.
                try_again_every_time(&out);
                format!("Built::Failed({reason:?})")
            }
        };
        writeln!(generated, "    {},", row(shim, &built)).expect("writing to a string cannot fail");
    }
    generated.push_str("];\n");
    fs::write(out.join("shims.rs"), generated).expect("OUT_DIR can be written");
}

/// Returns a shim's row for the program, as Rust.
fn row(shim: &Shim, built: &str) -> String {
    let Shim { name, title, about, packages, sonames, symbol, installed, .. } = shim;
    let beside: Vec<_> = shim.builds.iter().flat_map(|build| build.beside).collect();
    format!(
        "Shim {{ name: {name:?}, title: {title:?}, about: {about:?}, packages: &{packages:?}, \
         sonames: &{sonames:?}, symbol: {symbol:?}, beside: &{beside:?}, \
         installed: {}, built: {built} }}",
        installed.as_ref().map_or("None".to_owned(), |it| literal(name, it))
    )
}

/// Does the same for how the library is found.
fn literal(name: &str, installed: &Installed) -> String {
    let Installed { files, remedy, others } = installed;
    format!(
        "Some(cpb_libraries::Installed {{ name: {name:?}, files: &{files:?}, remedy: {remedy:?}, \
         others: &{others:?} }})"
    )
}

enum Outcome {
    Built,
    NoHeaders,
    /// There is no compiler of this name.
    NoCompiler(String),
    /// The headers of this machine are not those of the target.
    OtherTarget,
    Failed(String),
}

/// Returns the folder of objects: next to cargo's folders of each profile, shared by all profiles;
/// or in `out` if cargo uses another layout.
fn objects_folder(out: &Path) -> PathBuf {
    let builds = out.ancestors().find(|folder| folder.file_name().is_some_and(|it| it == "build"));
    let target = builds.and_then(|builds| builds.parent()?.parent());
    let shared = target.map(|target| target.join("shims"));
    shared.filter(|folder| fs::create_dir_all(folder).is_ok()).unwrap_or_else(|| out.to_owned())
}

/// Builds every shim, with as many compilers at once as cargo allows.
fn build_all(out: &Path) -> Vec<Outcome> {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let compilers = Compilers::new(jobs);
    let objects = objects_folder(out);
    // Shims in C++ take longest, so they begin first.
    let mut order: Vec<usize> = (0..SHIMS.len()).collect();
    order.sort_by_key(|&index| !is_cpp(SHIMS[index].source()));
    let mut outcomes: Vec<(usize, Outcome)> = thread::scope(|scope| {
        let (compilers, objects) = (&compilers, objects.as_path());
        let spawn = |index: usize| {
            (index, scope.spawn(move || build(&SHIMS[index], out, objects, compilers)))
        };
        let builds: Vec<_> = order.into_iter().map(spawn).collect();
        let join = |(index, build): (_, thread::ScopedJoinHandle<'_, _>)| {
            (index, build.join().expect("building does not panic"))
        };
        builds.into_iter().map(join).collect()
    });
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn build(shim: &Shim, out: &Path, objects: &Path, compilers: &Compilers) -> Outcome {
    let (units, headers) = sources(shim);
    for path in units.iter().chain(&headers) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let is_other = env::var("HOST") != env::var("TARGET");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux");
    if !is_linux || is_other && shim.installed.is_none() {
        return Outcome::OtherTarget;
    }
    if shim.installed.is_some() {
        return build_without_headers(shim, &units, out, objects, compilers);
    }
    let mut outcome = Outcome::NoHeaders;
    for build in shim.builds {
        let Some(found) = find(build, out) else { continue };
        let target = Target {
            name: shim.name,
            standard: build.standard,
            found: &found,
            out,
            objects,
            options: &[],
        };
        match compile::shim(&target, &units, compilers) {
            Ok(()) => return Outcome::Built,
            // The reason of the best candidate is the one to fix.
            Err(reason) if matches!(outcome, Outcome::NoHeaders) => {
                outcome = Outcome::Failed(reason);
            }
            Err(_) => {}
        }
    }
    outcome
}

/// Builds a shim that is linked with no library, for any target that has a compiler.
fn build_without_headers(
    shim: &Shim,
    units: &[PathBuf],
    out: &Path,
    objects: &Path,
    compilers: &Compilers,
) -> Outcome {
    let found = Found { include: Vec::new(), folders: Vec::new(), links: Vec::new() };
    // The headers of this machine are not, or not all, those of another.
    let is_other = env::var("HOST") != env::var("TARGET");
    let options: &[&str] = if is_other { &["-DCPB_NO_HEADERS"] } else { &[] };
    let target = Target { name: shim.name, standard: "c11", found: &found, out, objects, options };
    match compile::missing_compiler(&target, &units[0]) {
        Some(compiler) => Outcome::NoCompiler(compiler),
        None => match compile::shim(&target, units, compilers) {
            Ok(()) => Outcome::Built,
            Err(reason) => Outcome::Failed(reason),
        },
    }
}

/// Returns the sources of a shim, its own and those in its folder, each compiled separately; and
/// the files they may include.
fn sources(shim: &Shim) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let files = |folder: &Path| {
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
    };
    let all = Path::new(SOURCES);
    let shared = files(all).filter(|path| has_ending(path, "h") || has_ending(path, "hpp"));
    let mut paths: Vec<PathBuf> = files(&all.join(shim.name)).chain(shared).collect();
    paths.sort();
    paths.insert(0, all.join(shim.source()));
    paths.into_iter().partition(|path| is_cpp(path) || has_ending(path, "c"))
}

fn has_ending(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|ending| ending == wanted)
}

fn is_cpp(source: impl AsRef<Path>) -> bool {
    has_ending(source.as_ref(), "cpp")
}

/// Finds a build through pkg-config, or in the usual folders; `None` if it is not installed.
fn find(build: &Build, out: &Path) -> Option<Found> {
    let asked = match build.package {
        "" => None,
        package => pkg_config::Config::new().cargo_metadata(false).probe(package).ok(),
    };
    let (first, others) = build.folders.split_first().expect("a folder");
    let stated = asked.iter().flat_map(|library| library.include_paths.clone());
    let has_header = |folder: &PathBuf| folder.join(build.header).exists();
    let Some(include) = stated.chain(installed(first)).find(has_header) else {
        if asked.is_some() {
            // It is only partly installed, and no package folder changes when that is fixed.
            try_again_every_time(out);
        }
        return None;
    };
    println!("cargo:rerun-if-changed={}", include.join(build.header).display());
    let beside = build.beside.iter().map(|link| (*link).to_owned());
    Some(match asked {
        Some(library) => Found {
            include: library.include_paths,
            folders: library.link_paths,
            links: library.libs.into_iter().chain(beside).collect(),
        },
        None => Found {
            include: [include].into_iter().chain(others.iter().flat_map(installed)).collect(),
            folders: Vec::new(),
            links: Some(build.link.to_owned())
                .filter(|link| !link.is_empty())
                .into_iter()
                .chain(beside)
                .collect(),
        },
    })
}

/// Returns the paths that `folder` may have inside the usual include folders.
fn installed(folder: &&str) -> Vec<PathBuf> {
    INCLUDE_FOLDERS.iter().map(|it| Path::new(it).join(folder)).collect()
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
