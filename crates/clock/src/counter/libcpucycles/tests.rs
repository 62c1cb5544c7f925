//! Against fakes that a C compiler makes.

use super::*;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The library's own structure, in short.
const POINTER: &str = "
    static const char *chosen = \"none\";
    static long long now = 1000;
    static long long tick(void) { return now += 10; }
    static long long choose(void);
    long long (*cpucycles)(void) = choose;
    static long long choose(void) { chosen = IMPLEMENTATION; cpucycles = tick; return tick(); }
    const char *cpucycles_implementation(void) { cpucycles(); return chosen; }
    long long cpucycles_persecond(void) { cpucycles(); return 2399987654; }";
const VERSION: &str = "
    const char *cpucycles_version(void) { return \"20260105\"; }";
/// As SUPERCOP's own, in a library of the same name.
const FUNCTION: &str = "
    static long long now;
    long long cpucycles(void) { return now -= 1; }
    const char *cpucycles_implementation(void) { return IMPLEMENTATION; }";

/// `None` where no C compiler makes code for here.
fn workshop() -> Option<Workshop> {
    let workshop = Workshop::open();
    if workshop.is_none() {
        println!("SKIPPED: fakes of libcpucycles, no C compiler makes code for here");
    }
    workshop
}

fn load_fake(workshop: &Workshop, name: &str, source: &str) -> Result<LibCpuCycles, Unavailable> {
    load(&[workshop.build(name, source).to_str().unwrap()])
}

#[test]
fn what_fits_is_loaded() {
    let Some(workshop) = workshop() else { return };
    let load_fake = |name: &str, source: &str| load_fake(&workshop, name, source);

    let pointer = format!("#define IMPLEMENTATION \"amd64-perfpmc\"\n{POINTER}{VERSION}");
    let counter = load_fake("pointer", &pointer).unwrap();
    assert_eq!(counter.name(), "libcpucycles");
    assert_eq!(counter.unit(), Unit::CoreCycles);
    assert_eq!(counter.version(), Some("20260105, amd64-perfpmc, 2399987654 cycles per second"));
    assert_eq!(counter.read().wrapping_neg().wrapping_add(counter.read()), 10);

    let first = format!("#define IMPLEMENTATION \"amd64-tsc\"\n{POINTER}");
    let counter = load_fake("first-release", &first).unwrap();
    assert_eq!(counter.unit(), Unit::ConstantRate);
    assert_eq!(counter.version(), Some("unknown release, amd64-tsc, 2399987654 cycles per second"));

    let function = format!("#define IMPLEMENTATION \"arm64-vct\"\n{FUNCTION}");
    let counter = load_fake("function", &function).unwrap();
    assert_eq!(counter.unit(), Unit::ConstantRate);
    assert_eq!(counter.version(), Some("unknown release, arm64-vct"));
    assert_eq!(counter.read(), u64::MAX, "a count below zero wraps");
    assert_eq!(counter.read(), u64::MAX - 1);
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some(workshop) = workshop() else { return };
    let problem = |name: &str, source: &str| match load_fake(&workshop, name, source) {
        Err(Unavailable::WrongLibrary { problem, .. }) => problem,
        Err(other) => panic!("{name}: {other}"),
        Ok(_) => panic!("{name} was loaded"),
    };
    let implementation = "const char *cpucycles_implementation(void) { return \"x\"; }";
    assert_eq!(problem("no-cpucycles", implementation), "it has no symbol cpucycles");
    assert_eq!(
        problem("no-implementation", "long long cpucycles(void) { return 0; }"),
        "it has no symbol cpucycles_implementation"
    );
    assert_eq!(
        problem("null", &format!("long long (*cpucycles)(void) = 0; {implementation}")),
        "its variable cpucycles points at no function"
    );
    assert_eq!(
        problem("number", &format!("long long cpucycles = 42; {implementation}")),
        "its variable cpucycles points at no function"
    );
    assert_eq!(
        problem("short", &format!("int cpucycles = 42; {implementation}")),
        "its symbol cpucycles is no function"
    );
    assert_eq!(
        problem("array", "const char cpucycles_implementation[] = \"amd64cpuinfo\";"),
        "its symbol cpucycles_implementation is no function"
    );
    assert_eq!(
        problem("mute", "const char *cpucycles_implementation(void) { return 0; }"),
        "cpucycles_implementation() returns nothing"
    );
}

#[test]
fn what_is_no_library_is_not_loaded() {
    let folder = Folder::new("text");
    let text = folder.0.join("libcpucycles.so.1");
    std::fs::write(&text, "no library at all\n").unwrap();
    let missing = folder.0.join("missing.so");
    let files = [missing.to_str().unwrap(), text.to_str().unwrap()];
    let Err(unavailable) = load(&files) else { panic!("a text was loaded") };
    assert!(matches!(unavailable, Unavailable::NoLibrary { .. }), "{unavailable:?}");
    let text = unavailable.to_string();
    assert!(text.contains("missing.so") && text.contains("libcpucycles.so.1"), "{text}");
    assert!(text.contains("install it"), "{text}");
}

#[test]
fn units_follow_the_names_of_every_release() {
    for name in [
        "amd64-pmc",
        "amd64-pmcff",
        "amd64-perfpmc",
        "amd64-perfpmcff",
        "arm64-pmc",
        "arm64-perfpmc",
        "default-perfevent",
        "riscv64-rdcycle",
        "riscv64-perfrdcycle",
        "arm32-cortex",
        "arm32-1176",
        "mips64-cc",
    ] {
        assert_eq!(unit(name), Unit::CoreCycles, "{name}");
    }
    for name in [
        "amd64-tsc",
        "amd64-tscasm",
        "arm64-vct",
        "loong64-rdtime",
        "ppc64-mftb",
        "s390x-stckf",
        "default-gettimeofday",
        "default-mach",
        "default-monotonic",
        "default-zero",
        "none",
    ] {
        assert_eq!(unit(name), Unit::ConstantRate, "{name}");
    }
}

/// A folder that is removed at the end of its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("cpb-clock-{process}-{number}-{name}"));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A C compiler for this architecture and a place for what it makes.
struct Workshop {
    compiler: &'static str,
    folder: Folder,
}

impl Workshop {
    fn open() -> Option<Self> {
        // Under emulation cc makes code for the host.
        let known = ["cc", "gcc", "clang", "aarch64-linux-gnu-gcc"];
        let compiler = known.into_iter().find(|compiler| {
            Command::new(compiler).arg("-dumpmachine").output().is_ok_and(|output| {
                String::from_utf8_lossy(&output.stdout).starts_with(std::env::consts::ARCH)
            })
        })?;
        Some(Self { compiler, folder: Folder::new("fakes") })
    }

    fn build(&self, name: &str, source: &str) -> PathBuf {
        let file = self.folder.0.join(name).with_extension("c");
        let library = file.with_extension("so");
        std::fs::write(&file, source).unwrap();
        let output = Command::new(self.compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &file])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        library
    }
}
