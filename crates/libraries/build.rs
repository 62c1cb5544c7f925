//! Builds the shims for C and C++ libraries, each where the library's headers are.
//!
//! A shim becomes a shared library in `OUT_DIR`, which `src/shim.rs` embeds.
//! That a shim cannot be built never fails the build of cpb: the reason is
//! embedded instead, and shown when the library is asked for.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A shim and the libraries it can be built for, best first.
struct Shim {
    name: &'static str,
    title: &'static str,
    language: &'static Language,
    candidates: &'static [Candidate],
}

/// What a shim is written in.
struct Language {
    extension: &'static str,
    /// The variable that names the compiler, and its usual name.
    compiler: (&'static str, &'static str),
    options: &'static [&'static str],
}

const C: Language = Language {
    extension: "c",
    compiler: ("CC", "cc"),
    // Without stubs between a call and the library, which would be timed.
    options: &["-fvisibility=hidden", "-fno-plt"],
};
const CPP: Language = Language {
    extension: "cpp",
    compiler: ("CXX", "c++"),
    options: &["-fvisibility-inlines-hidden"],
};

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
        language: &CPP,
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
        language: &CPP,
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
        language: &C,
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
    for name in ["CC", "CXX", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    // A header that is missing cannot be watched: when it comes, it is as old as
    // its package, and not taken for a change. The folders are changed then.
    for folder in package_folders() {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut generated = String::new();
    for shim in SHIMS {
        let source = Path::new(SOURCES).join(format!("{}.{}", shim.name, shim.language.extension));
        if !source.exists() {
            continue;
        }
        let built = match build(shim, &source, &out) {
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

fn build(shim: &Shim, source: &Path, out: &Path) -> Outcome {
    if env::var("HOST") != env::var("TARGET")
        || env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux")
    {
        return Outcome::OtherTarget;
    }
    let object = out.join(format!("{}.so", shim.name));
    let mut outcome = Outcome::NoHeaders;
    for candidate in shim.candidates {
        let Some(flags) = flags(candidate, out) else { continue };
        match compile(source, shim.language, candidate.standard, &flags, &object) {
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

/// How to compile and link for a candidate; `None` where it is not installed.
fn flags(candidate: &Candidate, out: &Path) -> Option<Vec<String>> {
    let default = |folder: &str| Path::new(folder).join(candidate.folder);
    let asked = pkg_config(&["--cflags", "--libs", candidate.package]);
    let of_flags = asked.iter().flatten().filter_map(|flag| flag.strip_prefix("-I"));
    let folder = of_flags
        .map(PathBuf::from)
        .chain(INCLUDE_FOLDERS.iter().map(|folder| default(folder)))
        .find(|folder| folder.join(candidate.header).exists());
    let Some(folder) = folder else {
        if asked.is_some() {
            // Half installed: no folder of packages will show when that changes.
            try_again_every_time(out);
        }
        return None;
    };
    println!("cargo:rerun-if-changed={}", folder.join(candidate.header).display());
    Some(asked.unwrap_or_else(|| {
        vec![format!("-I{}", folder.display()), format!("-l{}", candidate.link)]
    }))
}

/// Compiles a shim; the error is what to show of it.
fn compile(
    source: &Path,
    language: &Language,
    standard: &str,
    flags: &[String],
    object: &Path,
) -> Result<(), String> {
    let (variable, usual) = language.compiler;
    let compiler = env::var(variable).unwrap_or_else(|_| usual.to_owned());
    // The variable may hold a wrapper and options, as in "ccache g++".
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or(usual);
    let output = Command::new(program)
        .args(words)
        .args(["-O2", "-shared", "-fPIC", "-s", "-Wl,--no-undefined"])
        .args(language.options)
        .arg(format!("-std={standard}"))
        .arg(source)
        .args(flags)
        // Where dlsym was before the C library had it.
        .arg("-ldl")
        .arg("-o")
        .arg(object)
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let reason = lines
        .clone()
        .find(|line| line.contains("error:") || line.contains("undefined reference"))
        .or_else(|| lines.next())
        .map_or_else(|| format!("{program}: {}", output.status), str::to_owned);
    Err(reason)
}

/// Makes cargo run this script at every build: a path that does not exist has
/// always changed.
fn try_again_every_time(out: &Path) {
    println!("cargo:rerun-if-changed={}", out.join("never-there").display());
}

/// pkg-config's answer in words; `None` where it has none.
fn pkg_config(arguments: &[&str]) -> Option<Vec<String>> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.split_whitespace().map(str::to_owned).collect())
}

/// The folders that change when a development package comes or goes.
fn package_folders() -> Vec<PathBuf> {
    let asked = pkg_config(&["--variable", "pc_path", "pkg-config"]).unwrap_or_default();
    asked
        .iter()
        .flat_map(|paths| paths.split(':'))
        .chain(PACKAGE_FOLDERS.iter().copied())
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir())
        .collect()
}
