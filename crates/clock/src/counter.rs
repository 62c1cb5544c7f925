//! Opens sources of ticks: one file per counter, and one list of all.
//!
//! Names follow libcpucycles, so that figures show where they come from. [`SOURCES`] is in order of
//! preference.

#[cfg(target_arch = "x86_64")]
mod amd64_pmc;
#[cfg(target_arch = "x86_64")]
mod amd64_tsc;
#[cfg(target_arch = "aarch64")]
mod arm64_pmc;
#[cfg(target_arch = "aarch64")]
mod arm64_vct;
mod barrier;
mod default_monotonic;
mod default_perfevent;
mod events;
mod libcpucycles;
mod losses;
mod perf;
mod ticks;
mod unavailable;

pub use default_monotonic::monotonic_nanoseconds;
pub use events::Events;
pub use losses::IMPLAUSIBLE_INTERVAL;
pub use ticks::{Counter, Unit};
pub use unavailable::Unavailable;

/// An entry of [`SOURCES`].
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The counter's name, as [`open`] accepts it.
    pub name: &'static str,
    /// What it counts, in one line.
    pub about: &'static str,
    open: fn() -> Result<Box<dyn Counter>, Unavailable>,
    /// Whether [`open_best`] may choose it; libcpucycles must be requested.
    automatic: bool,
}

impl Source {
    /// Opens the counter, and tests that it advances.
    ///
    /// # Errors
    /// [`Unavailable`], if it cannot be used here.
    pub fn open(&self) -> Result<Box<dyn Counter>, Unavailable> {
        let counter = (self.open)()?;
        if advances(counter.as_ref()) {
            Ok(counter)
        } else {
            Err(Unavailable::Stuck { counter: self.name })
        }
    }
}

/// Lists counters: module, name, whether [`open_best`] may choose it, what it counts, and the
/// architecture that has it, as the compiler and as people call it.
macro_rules! sources {
    ($($module:ident $name:literal $automatic:literal: $about:literal
        $(on $architecture:tt $called:literal)?;)+) => {
        &[$(Source {
            name: $name,
            about: $about,
            $(#[cfg(target_arch = $architecture)])?
            open: $module::open,
            $(#[cfg(not(target_arch = $architecture))]
            open: || Err(Unavailable::OtherArchitecture { counter: $name, needs: $called }),)?
            automatic: $automatic,
        }),+]
    };
}

/// Every counter known to cpb, best first.
pub const SOURCES: &[Source] = sources! {
    amd64_pmc "amd64-pmc" true: "core cycles, read in user space with rdpmc through a perf mapping"
        on "x86_64" "x86-64";
    arm64_pmc "arm64-pmc" true: "core cycles, read in user space from pmccntr_el0"
        on "aarch64" "aarch64";
    amd64_tsc "amd64-tsc" true: "the time-stamp counter, constant rate" on "x86_64" "x86-64";
    arm64_vct "arm64-vct" true: "the virtual count of the generic timer, constant rate"
        on "aarch64" "aarch64";
    default_perfevent "default-perfevent" true:
        "core cycles, read from a perf file descriptor (a system call each)";
    default_monotonic "default-monotonic" true: "CLOCK_MONOTONIC_RAW in nanoseconds";
    libcpucycles "libcpucycles" false:
        "whatever an installed libcpucycles chooses, opened at run time";
};

/// Opens the first of [`SOURCES`] that works here.
///
/// # Errors
/// The error of the last one tried, if none works.
pub fn open_best() -> Result<Box<dyn Counter>, Unavailable> {
    let mut reason = unknown("");
    for source in SOURCES.iter().filter(|source| source.automatic) {
        match source.open() {
            Ok(counter) => return Ok(counter),
            Err(unavailable) => reason = unavailable,
        }
    }
    Err(reason)
}

/// Opens the counter called `name`.
///
/// # Errors
/// [`Unavailable::Unknown`] if no counter has that name, or why it cannot be used here.
pub fn open(name: &str) -> Result<Box<dyn Counter>, Unavailable> {
    SOURCES.iter().find(|source| source.name == name).ok_or_else(|| unknown(name))?.open()
}

fn unknown(name: &str) -> Unavailable {
    let known = SOURCES.iter().map(|source| source.name).collect();
    Unavailable::Unknown { counter: name.to_owned(), known }
}

/// Returns the step of a counter in ticks: the greatest common divisor of differences between
/// reads. Everything it times is quantised to this.
pub fn step(counter: &dyn Counter) -> u64 {
    const READS: usize = 2000;
    let mut last = counter.read();
    let mut step = 0;
    for _ in 0..READS {
        let now = counter.read();
        step = greatest_common_divisor(now.wrapping_sub(last), step);
        last = now;
    }
    step.max(1)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn advances(counter: &dyn Counter) -> bool {
    let before = counter.read();
    let start = std::time::Instant::now();
    while start.elapsed() < std::time::Duration::from_micros(200) {
        std::hint::spin_loop();
    }
    let passed = counter.read().wrapping_sub(before);
    passed != 0 && passed < 1 << 40
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Advances by one of a few multiples of 26 at each read.
    struct Stepping(Cell<u64>);

    impl Counter for Stepping {
        fn name(&self) -> &'static str {
            "stepping"
        }

        fn unit(&self) -> Unit {
            Unit::ConstantRate
        }

        fn read(&self) -> u64 {
            let count = self.0.get();
            self.0.set(count + 26 * (2 + count % 3));
            count
        }
    }

    #[test]
    fn the_step_is_found_below_the_cost_of_a_read() {
        assert_eq!(step(&Stepping(Cell::new(5))), 26);
    }

    #[test]
    fn names_are_unique_and_the_unknown_is_refused() {
        for (index, source) in SOURCES.iter().enumerate() {
            assert!(SOURCES[..index].iter().all(|other| other.name != source.name));
        }
        assert!(matches!(open("tsc"), Err(Unavailable::Unknown { .. })));
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let text = open("tsc").err().unwrap().to_string();
        for source in SOURCES {
            assert!(text.contains(source.name), "{text}");
        }
    }

    #[test]
    fn the_best_counter_works_here() {
        let counter = open_best().unwrap();
        assert!(advances(counter.as_ref()), "{}", counter.name());
    }
}
