//! Arguments that several commands share, and the parsers of their values.

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use cpb_engine::{ClockChoice, choose_cpu, pin_to};
use cpb_model::{Contract, Host};
use cpb_store::StoreError;
use std::path::PathBuf;
use std::time::Duration;

use crate::fault::Fault;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns for people.
    Table,
    /// Comma-separated values.
    Csv,
    /// Everything, with intervals and provenance.
    Json,
}

/// What one timed call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContractArgument {
    /// Key schedule outside; nonce, tag and finalisation inside.
    Keyed,
    /// Making and keying the context inside, too.
    Cold,
    /// What bench-slopes times for the same row.
    Compat,
}

impl From<ContractArgument> for Contract {
    fn from(argument: ContractArgument) -> Self {
        match argument {
            ContractArgument::Keyed => Contract::Keyed,
            ContractArgument::Cold => Contract::Cold,
            ContractArgument::Compat => Contract::Compat,
        }
    }
}

/// The clock and the CPU.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clock and CPU")]
pub(crate) struct Machine {
    /// Count with this counter instead of the best one (`cpb doctor` lists
    /// them).
    #[arg(long, value_name = "NAME")]
    pub(crate) counter: Option<String>,
    /// Take the core clock to be N MHz instead of measuring it; cycles are
    /// then time × N.
    #[arg(long, value_name = "N", value_parser = megahertz, allow_negative_numbers = true)]
    pub(crate) cpu_mhz: Option<f64>,
    /// Measure on CPU N instead of the last of the most capable allowed ones.
    #[arg(long, value_name = "N")]
    pub(crate) cpu: Option<usize>,
    /// Give up on an operation after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds,
          allow_negative_numbers = true)]
    pub(crate) timeout: Duration,
}

impl Machine {
    /// The clock to use, once its counter has been found to work here.
    pub(crate) fn clock(&self) -> Result<ClockChoice, Fault> {
        clock(self.counter.as_deref(), self.cpu_mhz)
    }

    /// The CPU to measure on, once pinning to it has been found to work.
    pub(crate) fn cpu(&self, host: &Host) -> Result<Option<usize>, Fault> {
        self.cpu.map_or_else(|| Ok(choose_cpu(host)), |cpu| pinnable(cpu).map(Some))
    }
}

/// Which store.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Saved runs")]
pub(crate) struct StoreArgument {
    /// Use the saved runs in this file instead of one's own
    /// ($XDG_DATA_HOME/cpb/runs.sqlite, or ~/.local/share/cpb/runs.sqlite).
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(store))]
    pub(crate) store: Option<PathBuf>,
}

/// Whether and where a run is saved.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Saved runs")]
pub(crate) struct Saving {
    /// Do not save this run.
    #[arg(long)]
    pub(crate) no_save: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
}

/// The path of a store. What keeps no run is refused before anything is measured.
fn store(path: PathBuf) -> Result<PathBuf, StoreError> {
    if cpb_store::is_path(&path) { Ok(path) } else { Err(StoreError::NoPath { path }) }
}

/// The clock of these options, once its counter has been found to work here.
pub(crate) fn clock(counter: Option<&str>, megahertz: Option<f64>) -> Result<ClockChoice, Fault> {
    if let Some(name) = counter {
        cpb_clock::counter::open(name).map_err(|reason| match reason {
            cpb_clock::Unavailable::Unknown { .. } => {
                let names = cpb_clock::counter::SOURCES.iter().map(|source| source.name);
                unknown("counter", name, names)
            }
            other => Fault::NotMeasured(other.to_string()),
        })?;
    }
    Ok(ClockChoice { counter: counter.map(str::to_owned), megahertz })
}

/// `cpu`, once pinning to it has been found to work.
pub(crate) fn pinnable(cpu: usize) -> Result<usize, Fault> {
    // In a thread of its own: the parent itself stays unpinned.
    match std::thread::spawn(move || pin_to(cpu)).join() {
        Ok(Err(reason)) => Err(Fault::Usage(reason.to_string())),
        _ => Ok(cpu),
    }
}

/// Known words beyond which only the nearest are named.
const FEW: usize = 24;
const NEAREST: usize = 5;

/// The word of `known` that `name` was probably meant to be.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let likeness = |candidate: &str| strsim::jaro_winkler(candidate, &wanted);
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.filter(|best| likeness(best) > 0.7).copied()
}

/// Wrong use: `name` is no `kind`. Names the nearest that is one, and what is
/// allowed.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Fault {
    let wanted = name.to_lowercase();
    let likeness = |candidate: &str| strsim::jaro_winkler(candidate, &wanted);
    let known: Vec<&str> = known.into_iter().collect();
    let mut by_likeness = known.clone();
    by_likeness.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    let hint = nearest(name, &known)
        .map(|nearest| format!(" Did you mean '{nearest}'?"))
        .unwrap_or_default();
    let allowed = if known.len() <= FEW {
        format!("Known: {}.", known.join(", "))
    } else {
        let near = by_likeness[..NEAREST].join(", ");
        format!("Nearest: {near}; cpb list shows all {}.", known.len())
    };
    Fault::Usage(format!("unknown {kind} '{name}'.{hint} {allowed}"))
}

/// The largest message or output, in bytes.
const LARGEST: usize = 1 << 30;

/// A list of lengths in bytes: `64,1024,16K`.
pub(crate) fn length(text: &str) -> Result<usize, String> {
    let wrong = || {
        format!(
            "a length is a whole number of bytes from 1 to {LARGEST}, as 1350 or 16K, not '{text}'"
        )
    };
    let (digits, unit) = match text.trim_end_matches(['i', 'B']).to_ascii_uppercase() {
        upper if upper.ends_with('K') => (upper.trim_end_matches('K').to_owned(), 1 << 10),
        upper if upper.ends_with('M') => (upper.trim_end_matches('M').to_owned(), 1 << 20),
        upper => (upper, 1),
    };
    let length = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(unit));
    match length {
        Some(0) => {
            Err("no cycles per byte exist for a message of no bytes; lengths start at 1".to_owned())
        }
        Some(length) if length <= LARGEST => Ok(length),
        _ => Err(wrong()),
    }
}

/// A share given as a percentage: `0.25%` or `0.25`.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse::<f64>().ok();
    number
        .filter(|number| *number > 0.0 && *number < 100.0)
        .map(|number| number / 100.0)
        .ok_or_else(|| {
            format!("a precision is a percentage above 0 and below 100, as 0.25%, not '{text}'")
        })
}

/// A time: `90`, `90s`, `2m`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 7.0 * 24.0 * 3600.0;
    let (digits, unit) = match text.strip_suffix('m') {
        Some(minutes) => (minutes, 60.0),
        None => (text.trim_end_matches('s'), 1.0),
    };
    let seconds = digits.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| {
            format!("a time is a number of seconds above 0, as 90, 90s or 2m, not '{text}'")
        })
}

pub(crate) fn megahertz(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| (1.0..=100_000.0).contains(number)).ok_or_else(|| {
        format!("a clock is a number of MHz from 1 to 100000, as 4300, not '{text}'")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_bytes_with_binary_units() {
        assert_eq!(length("1350"), Ok(1350));
        assert_eq!(length("16K"), Ok(16_384));
        assert_eq!(length("2MiB"), Ok(2 << 20));
        for wrong in ["0", "-1", "", "K", "1.5", "2G", "99999999999999999999", "x"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn percentages_and_times() {
        assert_eq!(percentage("0.25%"), Ok(0.0025));
        assert_eq!(percentage("1"), Ok(0.01));
        for wrong in ["0", "-1%", "100", "x", "", "nan"] {
            assert!(percentage(wrong).is_err(), "{wrong}");
        }
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["0", "-3", "", "m", "inf", "1h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_unknown_is_named_with_its_nearest() {
        let fault = unknown("backend", "avx521", ["portable", "avx2", "avx512"]).to_string();
        assert!(fault.contains("'avx521'") && fault.contains("Did you mean 'avx512"), "{fault}");
        let fault = unknown("backend", "zzz", ["portable", "avx2"]).to_string();
        assert!(!fault.contains("Did you mean") && fault.contains("portable, avx2"), "{fault}");
    }
}
