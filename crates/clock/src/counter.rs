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

/// Returns the step of a counter in whole ticks: the mean gap between times that it can tell apart.
/// Everything it times is quantised to this.
///
/// Steps need not be whole ticks: one that a hypervisor scales to 2.445 GHz moves by 24 or 25 ticks
/// every 10 ns, so that its times differ by one tick, too. What counts as a gap is therefore at least
/// half as wide as those which, with all wider ones, cover half of the range.
pub fn step(counter: &dyn Counter) -> u64 {
    step_of(|turns| {
        let start = counter.read();
        for turn in 0..turns {
            std::hint::black_box(turn);
        }
        counter.read().wrapping_sub(start)
    })
}

/// Works like [`step`], given what times a loop of so many turns.
fn step_of(mut time: impl FnMut(usize) -> u64) -> u64 {
    const TIMES: usize = 2000;
    const TURNS: usize = 200;
    /// Longer loops are for counters that do not move during shorter ones.
    const LONGER: [usize; 3] = [1, 10, 100];
    let mut times = |longer| (0..TIMES).map(|index| time(index % TURNS * longer)).collect();
    LONGER.into_iter().find_map(|longer| mean_gap(times(longer))).unwrap_or(1)
}

/// Returns the mean gap between those of `times` that a counter can tell apart; `None` if it did not
/// move.
fn mean_gap(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    // The longest tenth may have been interrupted.
    times.truncate(times.len() * 9 / 10);
    let mut gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable_by(|a, b| b.cmp(a));
    let range: u64 = gaps.iter().sum();
    let mut covered = 0;
    let covers_half = |gap: &&u64| {
        covered += **gap;
        covered >= range.div_ceil(2)
    };
    let usual = *gaps.iter().find(covers_half)?;
    let steps = gaps.iter().take_while(|&&gap| gap >= usual.div_ceil(2)).count() as u64;
    (range != 0).then(|| range.saturating_add(steps / 2) / steps)
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

    #[test]
    fn the_step_is_found_whether_or_not_it_is_a_whole_number_of_ticks() {
        // Of 2, 26 and 1 are those of Ice Lake, Zen 4 and ARM; four are steps of 10 ns.
        let steps = [1.0, 2.0, 20.0, 24.45, 26.0, 27.0 + 1.0 / 3.0, 1000.0, 50_000.0];
        for (step, seed) in steps.into_iter().flat_map(|step| (0..20).map(move |seed| (step, seed)))
        {
            let mut random = fastrand::Rng::with_seed(seed);
            let found = step_of(|turns| {
                let start = 1e9 * random.f64();
                let end = start + 30.0 + 1.3 * turns as f64 + 5.0 * random.f64();
                let [start, end] = [start, end].map(|it| ((it / step).floor() * step) as u64);
                end - start
            });
            assert!((found as f64 - step).abs() < 0.6, "{step}, {seed}: {found}");
        }
        assert_eq!(step_of(|_| 7), 1, "nothing is told apart");
        assert_eq!(step_of(|turns| if turns % 2 == 0 { 0 } else { u64::MAX }), u64::MAX);
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
