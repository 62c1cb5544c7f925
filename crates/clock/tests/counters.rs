//! Tests every counter on the machine that runs the test: it works, or its error gives
//! the reason and a remedy.

use cpb_clock::Unavailable;
use cpb_clock::counter::{self, Counter, IMPLAUSIBLE_INTERVAL, SOURCES};
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
    let known = counter::SOURCES.iter().map(|source| source.name).collect();
    let unknown = Unavailable::Unknown { counter: "sundial".to_owned(), known };
    assert_eq!(counter::open("sundial").err(), Some(unknown));
}
