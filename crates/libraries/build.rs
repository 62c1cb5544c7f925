//! Builds the shims for C and C++ libraries, each where the library's headers are.
//!
//! A shim becomes a shared library in `OUT_DIR`, which `src/shim.rs` embeds.
//! That a shim cannot be built never fails the build of cpb: the reason is
//! embedded instead, and shown when the library is asked for.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// A shim and the libraries it can be built for, best first.
struct Shim {
    name: &'static str,
    title: &'static str,
    /// In C or C++, by its ending.
    source: &'static str,
    candidates: &'static [Candidate],
}

/// A version of a library, or one of its names.
struct Candidate {
    /// As pkg-config knows it.
    package: &'static str,
    /// As the linker knows it.
    link: &'static str,
    /// Where its headers are, inside an include folder.
    folder: &'static str,
    /// One of them.
    header: &'static str,
    standard: &'static str,
}

const SHIMS: &[Shim] = &[
    Shim {
        name: "botan",
        title: "Botan",
        source: "botan.cpp",
        candidates: &[
            Candidate {
                package: "botan-3",
                link: "botan-3",
                folder: "botan-3",
                header: "botan/version.h",
                standard: "c++20",
            },
            Candidate {
                package: "botan-2",
                link: "botan-2",
                folder: "botan-2",
                header: "botan/version.h",
                standard: "c++17",
            },
        ],
    },
    Shim {
        name: "cryptopp",
        title: "Crypto++",
        source: "cryptopp.cpp",
        candidates: &[
            Candidate {
                package: "libcrypto++",
                link: "crypto++",
                folder: "",
                header: "cryptopp/cryptlib.h",
                standard: "c++17",
            },
            Candidate {
                package: "libcryptopp",
                link: "cryptopp",
                folder: "",
                header: "cryptopp/cryptlib.h",
                standard: "c++17",
            },
            Candidate {
                package: "cryptopp",
                link: "cryptopp",
                folder: "",
                header: "cryptopp/cryptlib.h",
                standard: "c++17",
            },
        ],
    },
    Shim {
        name: "nettle",
        title: "Nettle",
        source: "nettle.c",
        candidates: &[Candidate {
            package: "nettle",
            link: "nettle",
            folder: "",
            header: "nettle/version.h",
            standard: "c11",
        }],
    },
];

const SOURCES: &str = "../../shims";
const INCLUDE_FOLDERS: &[&str] = &["/usr/include", "/usr/local/include"];
/// Where development packages leave their mark, if pkg-config cannot say.
const PACKAGE_FOLDERS: &[&str] =
    &["/usr/lib/pkgconfig", "/usr/share/pkgconfig", "/usr/local/lib/pkgconfig"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={SOURCES}");
    // A header that is missing cannot be watched: when it comes, it is as old as
    // its package, and not taken for a change. The folders are changed then.
    for folder in package_folders() {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let builds: Vec<_> = SHIMS.iter().map(|shim| scope.spawn(|| build(shim, &out))).collect();
        builds.into_iter().map(|it| it.join().expect("building does not panic")).collect()
    });
    let mut generated = String::new();
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
        let name = shim.name.to_ascii_uppercase();
        writeln!(generated, "pub(crate) const {name}: Built = {built};")
            .expect("writing to a string cannot fail");
    }
    fs::write(out.join("shims.rs"), generated).expect("OUT_DIR can be written");
}

enum Outcome {
    Built,
    NoHeaders,
    /// The headers of this machine are not those of another.
    OtherTarget,
    Failed(String),
}

fn build(shim: &Shim, out: &Path) -> Outcome {
    if env::var("HOST") != env::var("TARGET")
        || env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux")
    {
        return Outcome::OtherTarget;
    }
    let object = out.join(format!("{}.so", shim.name));
    let mut outcome = Outcome::NoHeaders;
    for candidate in shim.candidates {
        let Some(found) = find(candidate, out) else { continue };
        match compile(shim.source, candidate.standard, &found, &object) {
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

/// Where a library's headers and its file are, and what it is linked as.
struct Found {
    include: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    links: Vec<String>,
}

/// A candidate as pkg-config has it, or as it stands in the usual folders; `None`
/// where it is not installed.
fn find(candidate: &Candidate, out: &Path) -> Option<Found> {
    let asked = pkg_config::Config::new().cargo_metadata(false).probe(candidate.package).ok();
    let usual = INCLUDE_FOLDERS.iter().map(|folder| Path::new(folder).join(candidate.folder));
    let stated = asked.iter().flat_map(|library| library.include_paths.clone());
    let Some(include) = stated.chain(usual).find(|it| it.join(candidate.header).exists()) else {
        if asked.is_some() {
            // Half installed: no folder of packages will show when that changes.
            try_again_every_time(out);
        }
        return None;
    };
    println!("cargo:rerun-if-changed={}", include.join(candidate.header).display());
    Some(match asked {
        Some(library) => Found {
            include: library.include_paths,
            folders: library.link_paths,
            links: library.libs,
        },
        None => Found {
            include: vec![include],
            folders: Vec::new(),
            links: vec![candidate.link.to_owned()],
        },
    })
}

/// Compiles a shim; the error is what to show of it.
fn compile(source: &str, standard: &str, found: &Found, object: &Path) -> Result<(), String> {
    // Crypto++'s templates take most of the time that all of cpb takes to build, and
    // twice that where they are optimised: not in a build that is not.
    let level = if env::var("OPT_LEVEL").as_deref() == Ok("0") { 0 } else { 2 };
    let cpp = source.ends_with(".cpp");
    let options: &[&str] = match cpp {
        true => &["-fvisibility-inlines-hidden"],
        // Without stubs between a call and the library, which would be timed.
        false => &["-fvisibility=hidden", "-fno-plt"],
    };
    let compiler = cc::Build::new()
        .cpp(cpp)
        .opt_level(level)
        .debug(false)
        .pic(true)
        .std(standard)
        .includes(&found.include)
        .try_get_compiler()
        .map_err(|error| error.to_string())?;
    let output = compiler
        .to_command()
        .args(["-shared", "-s", "-Wl,--no-undefined"])
        .args(options)
        .arg(Path::new(SOURCES).join(source))
        .args(found.folders.iter().map(|folder| format!("-L{}", folder.display())))
        .args(found.links.iter().map(|link| format!("-l{link}")))
        // Where dlsym was before the C library had it.
        .arg("-ldl")
        .arg("-o")
        .arg(object)
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let reason = lines
        .clone()
        .find(|line| line.contains("error:") || line.contains("undefined reference"))
        .or_else(|| lines.next())
        .map_or_else(|| format!("{}: {}", compiler.path().display(), output.status), str::to_owned);
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
