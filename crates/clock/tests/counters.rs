//! Tests every counter on the machine that runs the test: it works, or its error gives
//! the reason and a remedy.

use cpb_clock::Unavailable;
use cpb_clock::counter::{self, Counter, IMPLAUSIBLE_INTERVAL, SOURCES};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Returns the ticks during two milliseconds of work, because counters of perf stop
/// during sleep.
fn ticks_while_spinning(counter: &dyn Counter) -> u64 {
    let before = counter.read();
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2) {
        std::hint::spin_loop();
    }
    counter.read().wrapping_sub(before)
}

#[test]
fn every_source_advances_or_says_why_not() {
    let mut opened = 0;
    for source in SOURCES {
        match source.open() {
            Ok(counter) => {
                opened += 1;
                assert_eq!(counter.name(), source.name);
                let ticks = ticks_while_spinning(counter.as_ref());
                // The limits are a timer of 1 MHz, and a core of 10 GHz that was
                // preempted for a second.
                assert!((1_000..10_000_000_000).contains(&ticks), "{}: {ticks}", source.name);
                assert!(ticks < IMPLAUSIBLE_INTERVAL);
                println!("{:18} opened, {ticks} ticks in 2 ms, {:?}", source.name, counter.unit());
            }
            Err(unavailable) => {
                let text = unavailable.to_string();
                let (reason, remedy) = text.split_once("; ").unwrap_or_default();
                assert!(!reason.is_empty() && !remedy.is_empty(), "{}: {text}", source.name);
                println!("{:18} SKIPPED: {text}", source.name);
            }
        }
    }
    println!("{opened} of {} counters opened", SOURCES.len());
    assert!(opened >= 2, "the clock and the timer of the architecture are always there");
}

#[test]
fn no_counter_goes_back() {
    for source in SOURCES {
        let Ok(counter) = source.open() else { continue };
        let mut last = counter.read();
        for _ in 0..10_000 {
            let now = counter.read();
            assert!(now.wrapping_sub(last) < IMPLAUSIBLE_INTERVAL, "{}", source.name);
            last = now;
        }
    }
}

#[test]
fn counters_of_perf_are_refused_for_their_true_reason() {
    let names =
        ["default-perfevent", if cfg!(target_arch = "x86_64") { "amd64-pmc" } else { "arm64-pmc" }];
    for name in names {
        if let Err(unavailable) = counter::open(name) {
            assert!(
                matches!(
                    unavailable,
                    Unavailable::PerfDenied { .. }
                        | Unavailable::NoHardwareCounter
                        | Unavailable::NoPerfEvents
                        | Unavailable::UserReadDenied { .. }
                        | Unavailable::NotCounting
                ),
                "{name}: {unavailable:?}"
            );
        }
    }
}

#[test]
fn counters_of_the_other_architecture_are_refused() {
    let (ours, others) =
        if cfg!(target_arch = "x86_64") { ("amd64", "arm64") } else { ("arm64", "amd64") };
    for source in SOURCES {
        let result = source.open();
        let is_other = matches!(result, Err(Unavailable::OtherArchitecture { .. }));
        assert_eq!(is_other, source.name.starts_with(others), "{}", source.name);
    }
    let timer = if ours == "amd64" { "amd64-tsc" } else { "arm64-vct" };
    assert!(counter::open(timer).is_ok());
}

#[test]
fn an_unknown_name_is_refused() {
    let unknown = Unavailable::Unknown { counter: "sundial".to_owned() };
    assert_eq!(counter::open("sundial").err(), Some(unknown));
}

/// Installs a fake libcpucycles for a child that runs this test again.
#[test]
fn libcpucycles_is_found_by_the_dynamic_linker() {
    const CHILD: &str = "CPB_TEST_WITH_LIBCPUCYCLES";
    const NAME: &str = "libcpucycles_is_found_by_the_dynamic_linker";
    if std::env::var_os(CHILD).is_some() {
        let counter = counter::open("libcpucycles").unwrap();
        assert_eq!(counter.name(), "libcpucycles");
        assert_eq!(
            counter.version(),
            Some("20240318, default-monotonic, 1000000000 cycles per second")
        );
        assert!((1_000_000..1_000_000_000).contains(&ticks_while_spinning(counter.as_ref())));
        assert!(counter::open_best().is_ok_and(|best| best.name() != "libcpucycles"));
        return;
    }

    let folder = std::env::temp_dir().join(format!("cpb-clock-{}-installed", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let result = build_fake(&folder).map(|()| {
        itself()
            .args(["--exact", NAME, "--nocapture"])
            .env(CHILD, "1")
            .env("LD_LIBRARY_PATH", &folder)
            .output()
    });
    std::fs::remove_dir_all(&folder).unwrap();
    match result {
        None => println!("SKIPPED: 1 test, no C compiler makes code for this architecture"),
        Some(Err(error)) => {
            println!("SKIPPED: 1 test, an emulated process cannot start itself: {error}");
        }
        Some(Ok(output)) => assert!(
            output.status.success(),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// Returns the command for this program, under the emulator that cargo runs it with, if
/// any.
#[allow(clippy::unwrap_used, reason = "only tests call it")]
fn itself() -> Command {
    let program = std::env::current_exe().unwrap();
    let runner = std::env::var("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER");
    let words: Vec<PathBuf> = match (&runner, cfg!(target_arch = "aarch64")) {
        (Ok(runner), true) => {
            runner.split_whitespace().map(PathBuf::from).chain([program]).collect()
        }
        _ => vec![program],
    };
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

#[allow(clippy::unwrap_used, reason = "only tests call it")]
fn build_fake(folder: &Path) -> Option<()> {
    const SOURCE: &str = "
        #include <time.h>
        static const char *chosen = \"none\";
        static long long tick(void) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            return now.tv_sec * 1000000000LL + now.tv_nsec;
        }
        static long long choose(void);
        long long (*cpucycles)(void) = choose;
        static long long choose(void) {
            chosen = \"default-monotonic\";
            cpucycles = tick;
            return tick();
        }
        const char *cpucycles_implementation(void) { cpucycles(); return chosen; }
        const char *cpucycles_version(void) { return \"20240318\"; }
        long long cpucycles_persecond(void) { return 1000000000; }";
    // Under emulation, cc compiles for the host.
    let known = ["cc", "gcc", "clang", "aarch64-linux-gnu-gcc"];
    let compiler = known.into_iter().find(|compiler| {
        Command::new(compiler).arg("-dumpmachine").output().is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).starts_with(std::env::consts::ARCH)
        })
    })?;
    let file = folder.join("fake.c");
    std::fs::write(&file, SOURCE).unwrap();
    let output = Command::new(compiler)
        .args(["-shared", "-fPIC", "-o"])
        .args([&folder.join("libcpucycles.so.1"), &file])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}
