//! Against fakes that a C compiler makes.

use super::*;
use crate::counter::{open, open_best};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The library's own structure, in short.
const POINTER: &str = "
    #ifndef TICK
    #define TICK now += 10
    #endif
    static const char *chosen = \"none\";
    static long long now = 1000;
    static long long tick(void) { return TICK; }
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
    let implementation = "const char *cpucycles_implementation(void) { return \"x\"; }";
    let null = format!("long long (*cpucycles)(void) = 0; {implementation}");
    let number = format!("long long cpucycles = 42; {implementation}");
    let short = format!("int cpucycles = 42; {implementation}");
    let alone = "long long cpucycles(void) { return 0; }";
    let array = "const char cpucycles_implementation[] = \"amd64cpuinfo\";";
    let mute = "const char *cpucycles_implementation(void) { return 0; }";
    for (name, source, expected) in [
        ("no-cpucycles", implementation, "it has no symbol cpucycles"),
        ("no-implementation", alone, "it has no symbol cpucycles_implementation"),
        ("null", &null, "its variable cpucycles points at no function"),
        ("number", &number, "its variable cpucycles points at no function"),
        ("short", &short, "its symbol cpucycles is no function"),
        ("array", array, "its symbol cpucycles_implementation is no function"),
        ("mute", mute, "cpucycles_implementation() returns nothing"),
    ] {
        match load_fake(&workshop, name, source) {
            Err(Unavailable::WrongLibrary { problem, .. }) => {
                assert_eq!(problem, expected, "{name}");
            }
            Err(other) => panic!("{name}: {other}"),
            Ok(_) => panic!("{name} was loaded"),
        }
    }
}

#[test]
fn what_is_no_library_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libcpucycles.so.1");
    std::fs::write(&text, "no library at all\n").unwrap();
    let missing = folder.path().join("missing.so");
    let files = [missing.to_str().unwrap(), text.to_str().unwrap()];
    let Err(unavailable) = load(&files) else { panic!("a text was loaded") };
    assert!(matches!(unavailable, Unavailable::NoLibrary { .. }), "{unavailable:?}");
    let text = unavailable.to_string();
    assert!(text.contains("missing.so") && text.contains("libcpucycles.so.1"), "{text}");
    assert!(text.contains("install it"), "{text}");
}

#[test]
fn units_follow_the_names_of_every_release() {
    const OF_THE_CORE: &str = "amd64-pmc amd64-pmcff amd64-perfpmc amd64-perfpmcff arm64-pmc \
        arm64-perfpmc default-perfevent riscv64-rdcycle riscv64-perfrdcycle arm32-cortex \
        arm32-1176 mips64-cc";
    const OF_A_TIMER: &str = "amd64-tsc amd64-tscasm arm64-vct loong64-rdtime ppc64-mftb \
        s390x-stckf default-gettimeofday default-mach default-monotonic default-zero none";
    for (names, expected) in [(OF_THE_CORE, Unit::CoreCycles), (OF_A_TIMER, Unit::ConstantRate)] {
        for name in names.split_whitespace() {
            assert_eq!(unit(name), expected, "{name}");
        }
    }
}

/// Installs a fake for a child that runs this test again.
#[test]
fn it_is_found_by_the_dynamic_linker() {
    const CHILD: &str = "CPB_TEST_WITH_LIBCPUCYCLES";
    const NAME: &str = "counter::libcpucycles::tests::it_is_found_by_the_dynamic_linker";
    const CLOCK: &str = "
        #define IMPLEMENTATION \"default-monotonic\"
        #define TICK clock_gettime(CLOCK_MONOTONIC, &read), read.tv_sec * 1000000000LL + read.tv_nsec
        #include <time.h>
        static struct timespec read;";
    if std::env::var_os(CHILD).is_some() {
        let counter = open("libcpucycles").unwrap();
        assert_eq!(counter.name(), "libcpucycles");
        let version = "20260105, default-monotonic, 2399987654 cycles per second";
        assert_eq!(counter.version(), Some(version));
        let before = counter.read();
        std::thread::sleep(Duration::from_millis(2));
        assert!((1_000_000..1_000_000_000).contains(&(counter.read() - before)));
        assert!(open_best().is_ok_and(|best| best.name() != "libcpucycles"));
        return;
    }

    let Some(workshop) = workshop() else { return };
    let fake = workshop.build("installed", &format!("{CLOCK}{POINTER}{VERSION}"));
    std::fs::rename(fake, workshop.folder.path().join(FILES[0])).unwrap();
    let child = itself()
        .args(["--exact", NAME, "--nocapture"])
        .env(CHILD, "1")
        .env("LD_LIBRARY_PATH", workshop.folder.path())
        .output();
    match child {
        Err(error) => {
            println!("SKIPPED: 1 test, an emulated process cannot start itself: {error}");
        }
        Ok(output) => assert!(output.status.success(), "{output:?}"),
    }
}

/// Returns the command for this program, under the emulator that cargo runs it with, if any.
fn itself() -> Command {
    let program = std::env::current_exe().unwrap();
    match std::env::var("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER") {
        Ok(runner) if cfg!(target_arch = "aarch64") => {
            let mut words = runner.split_whitespace();
            let mut command = Command::new(words.next().unwrap());
            command.args(words).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// A C compiler for this architecture and a place for what it makes.
struct Workshop {
    compiler: &'static str,
    folder: TempDir,
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
        Some(Self { compiler, folder: tempfile::tempdir().unwrap() })
    }

    fn build(&self, name: &str, source: &str) -> PathBuf {
        let file = self.folder.path().join(name).with_extension("c");
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
