//! Arguments that several commands share, and the parsers of their values.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use cpb_engine::ClockChoice;
use cpb_host::{choose_cpus, try_pin_to};
use cpb_model::{Alignment, Contract, Host, LARGEST_BYTES, Parameters};
use cpb_oldtools::clock::megahertz;
use cpb_store::Place;
use std::time::Duration;

use crate::cli_error::CliError;

/// What one timed call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContractArgument {
    /// Key schedule outside; nonce, tag and finalisation inside.
    Keyed,
    /// Making and keying the context inside, too.
    #[value(alias = "cold")]
    Oneshot,
    /// What bench-slopes times for the same row.
    Compat,
}

impl From<ContractArgument> for Contract {
    fn from(argument: ContractArgument) -> Self {
        match argument {
            ContractArgument::Keyed => Contract::Keyed,
            ContractArgument::Oneshot => Contract::Oneshot,
            ContractArgument::Compat => Contract::Compat,
        }
    }
}

/// What the calls do that are measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "What a call does")]
pub(crate) struct WorkloadOptions {
    /// What one timed call does [default: keyed; of slope, compat in bench-slopes' rows].
    #[arg(long, value_enum)]
    contract: Option<ContractArgument>,
    /// Bytes of associated data, or of a derivation's info.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = size,
          allow_negative_numbers = true)]
    aad: usize,
    /// Bytes of keys and passwords whose length is free.
    #[arg(long, value_name = "LENGTH", value_parser = size, allow_negative_numbers = true)]
    key: Option<usize>,
    /// Bytes of nonces and salts whose length is free.
    #[arg(long, value_name = "LENGTH", value_parser = size, allow_negative_numbers = true)]
    nonce: Option<usize>,
    /// Bytes of outputs whose length is free.
    #[arg(long, value_name = "LENGTH", value_parser = size, allow_negative_numbers = true)]
    out: Option<usize>,
    /// Put messages one byte behind a page boundary instead of on it.
    #[arg(long)]
    unaligned: bool,
}

impl WorkloadOptions {
    /// What one timed call does, where it is said.
    pub(crate) fn contract(&self) -> Option<Contract> {
        self.contract.map(Contract::from)
    }

    /// What calls are given besides the message.
    pub(crate) fn parameters(&self) -> Parameters {
        Parameters {
            aad_bytes: self.aad,
            key_bytes: self.key,
            nonce_bytes: self.nonce,
            output_bytes: self.out,
            alignment: if self.unaligned { Alignment::Unaligned } else { Alignment::Page },
            ..Parameters::default()
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
    /// Measure on CPU N alone, instead of on whichever of the most capable
    /// allowed ones is quiet.
    #[arg(long, value_name = "N", value_parser = cpu, allow_negative_numbers = true)]
    pub(crate) cpu: Option<usize>,
    /// Give up on an operation after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds,
          allow_negative_numbers = true)]
    pub(crate) timeout: Duration,
}

impl Machine {
    /// The clock to use, once its counter has been found to work here.
    pub(crate) fn clock(&self) -> Result<ClockChoice, CliError> {
        clock(self.counter.as_deref(), self.cpu_mhz)
    }

    /// The CPUs to measure on.
    pub(crate) fn cpus(&self, host: &Host) -> Result<Vec<usize>, CliError> {
        cpus(self.cpu, host)
    }
}

/// Which store.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Saved runs")]
pub(crate) struct StoreArgument {
    /// Use the saved runs in this file instead of one's own
    /// ($XDG_DATA_HOME/cpb/runs.sqlite, or ~/.local/share/cpb/runs.sqlite), or those
    /// of a PostgreSQL server (postgres://USER@HOST/DATABASE, with the password in
    /// ~/.pgpass).
    #[arg(long, value_name = "FILE", env = "CPB_STORE", hide_env_values = true,
          value_hint = ValueHint::AnyPath,
          value_parser = OsStringValueParser::new().try_map(|text| Place::parse(&text)))]
    pub(crate) store: Option<Place>,
}

/// Whether and where a run is saved.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Saved runs")]
pub(crate) struct Saving {
    /// Do not save this run.
    #[arg(long)]
    pub(crate) no_save: bool,
    /// Measure nothing where the run cannot be saved in the store; without it, a run that a server
    /// cannot take yet is kept, and sent later.
    #[arg(long, conflicts_with = "no_save")]
    pub(crate) require_store: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgument,
}

/// The clock of these options, once its counter has been found to work here.
pub(crate) fn clock(
    counter: Option<&str>,
    megahertz: Option<f64>,
) -> Result<ClockChoice, CliError> {
    if let Some(name) = counter {
        cpb_clock::counter::open(name).map_err(|reason| match reason {
            cpb_clock::Unavailable::Unknown { .. } => {
                let names = cpb_clock::counter::SOURCES.iter().map(|source| source.name);
                unknown("counter", name, names)
            }
            other => CliError::NotMeasured(other.to_string()),
        })?;
    }
    Ok(ClockChoice { counter: counter.map(str::to_owned), megahertz })
}

/// The CPU asked for, once pinning to it has been found to work; else all that
/// may serve.
pub(crate) fn cpus(asked: Option<usize>, host: &Host) -> Result<Vec<usize>, CliError> {
    let Some(cpu) = asked else { return Ok(choose_cpus(host)) };
    try_pin_to(cpu).map(|()| vec![cpu]).map_err(|reason| CliError::Usage(reason.to_string()))
}

/// Known words beyond which only the nearest are named.
const FEW: usize = 24;
const NEAREST: usize = 5;

/// The word of `known` that `name` was probably meant to be.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |candidate: &str| likeness(candidate, name);
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.filter(|best| likeness(best) > 0.7).copied()
}

/// From 0 for words that have nothing in common to 1 for the same. What Jaro
/// and Winkler do not see is two letters in the wrong order in a short word.
fn likeness(candidate: &str, name: &str) -> f64 {
    // Beyond any word there is, and its cost grows with the product of both.
    const LONGEST: usize = 100;
    let name: String = name.chars().take(LONGEST).collect::<String>().to_lowercase();
    let candidate = &candidate.to_lowercase();
    let length = candidate.chars().count().max(name.chars().count());
    let edits = strsim::osa_distance(candidate, &name);
    let few_edits = 1.0 - edits as f64 / (length + 1) as f64;
    strsim::jaro_winkler(candidate, &name).max(if edits < length { few_edits } else { 0.0 })
}

/// Wrong use: `name` is no `kind`. Names the nearest that is one, and what is
/// allowed.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> CliError {
    let likeness = |candidate: &str| likeness(candidate, name);
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
    CliError::Usage(format!("unknown {kind} '{name}'.{hint} {allowed}"))
}

/// A list of lengths in bytes: `64,1024,16K`.
pub(crate) fn length(text: &str) -> Result<usize, String> {
    let wrong = || {
        format!(
            "a length is a whole number of bytes from 1 to {LARGEST_BYTES}, as 1350 or 16K, not \
             '{text}'"
        )
    };
    match bytes_in_memory(text) {
        Some(0) => {
            Err("a message of no bytes has no cycles per byte; lengths start at 1".to_owned())
        }
        Some(length) => Ok(length),
        None => Err(wrong()),
    }
}

/// A length in bytes of what may be empty: `0`, `13`, `16K`.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    bytes_in_memory(text).ok_or_else(|| {
        format!(
            "a length is a whole number of bytes from 0 to {LARGEST_BYTES}, as 13 or 16K, not \
             '{text}'"
        )
    })
}

/// Reads how much room on a disk something may take: `500M`, `4G`.
pub(crate) fn room(text: &str) -> Result<u64, String> {
    bytes(text)
        .ok_or_else(|| format!("room is a whole number of bytes, as 500M or 4G, not '{text}'"))
}

/// Reads a number of bytes, of which there are at most [`LARGEST_BYTES`].
fn bytes_in_memory(text: &str) -> Option<usize> {
    let size = bytes(text).and_then(|bytes| usize::try_from(bytes).ok());
    size.filter(|size| *size <= LARGEST_BYTES)
}

/// Reads a number of bytes with its unit, if it has one.
fn bytes(text: &str) -> Option<u64> {
    let upper = text.to_ascii_uppercase();
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)].into_iter();
    let mut units = units.flat_map(|(unit, bytes)| ["IB", "I", "B", ""].map(|b| (unit, b, bytes)));
    let (digits, unit) = units
        .find_map(|(unit, b, bytes)| Some((upper.strip_suffix(b)?.strip_suffix(unit)?, bytes)))
        .unwrap_or((upper.strip_suffix('B').unwrap_or(&upper), 1));
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// A precision given as a percentage: `0.25%` or `0.25`.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    share(text).ok_or_else(|| {
        format!("a precision is a percentage above 0 and below 100, as 0.25%, not '{text}'")
    })
}

/// A tolerance given as a percentage: `2%` or `2`.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    share(text).ok_or_else(|| {
        format!("a tolerance is a percentage above 0 and below 100, as 2%, not '{text}'")
    })
}

fn share(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse::<f64>().ok();
    number.filter(|number| *number > 0.0 && *number < 100.0).map(|number| number / 100.0)
}

/// A CPU's number.
pub(crate) fn cpu(text: &str) -> Result<usize, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().ok_or_else(|| {
        format!("a CPU is a whole number, as 3 (cpb doctor lists those allowed), not '{text}'")
    })
}

/// A number of runs.
pub(crate) fn runs(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|number| *number >= 1).ok_or_else(|| {
        format!("a number of runs is a whole number from 1 to {}, not '{text}'", u32::MAX)
    })
}

/// A time: `90`, `90s`, `2m`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 7.0 * 24.0 * 3600.0;
    let (digits, unit) = match text.strip_suffix('m') {
        Some(minutes) => (minutes, 60.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = digits.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| {
            format!(
                "a time is a number of seconds above 0 and up to {LONGEST} (a week), as 90, 90s \
                 or 2m, not '{text}'"
            )
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
        for (text, bytes) in [("16B", 16), ("1kB", 1024), ("1Ki", 1024), ("1m", 1 << 20)] {
            assert_eq!(length(text), Ok(bytes), "{text}");
        }
        for wrong in [
            "0",
            "-1",
            "",
            "K",
            "1.5",
            "2G",
            "99999999999999999999",
            "x",
            "16KK",
            "16BB",
            "16iB",
            "1KiBiB",
            "1KM",
            "B",
        ] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_may_be_empty_has_the_same_limit() {
        assert_eq!((size("0"), size("13"), size("16K")), (Ok(0), Ok(13), Ok(16_384)));
        assert_eq!(size("1024M"), Ok(LARGEST_BYTES));
        for wrong in ["1073741825", "1099511627776", "-1", "x", "", "1025M"] {
            let error = size(wrong).unwrap_err();
            assert!(error.contains("1073741824") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn room_has_no_limit_but_its_unit() {
        assert_eq!((room("0"), room("500M"), room("4G")), (Ok(0), Ok(500 << 20), Ok(4 << 30)));
        for wrong in ["-1", "", "4T", "1.5G", "99999999999999999999", "17179869184G"] {
            let error = room(wrong).unwrap_err();
            assert!(error.contains("as 500M or 4G") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn percentages_and_times() {
        assert_eq!(percentage("0.25%"), Ok(0.0025));
        assert_eq!(percentage("1"), Ok(0.01));
        for wrong in ["0", "-1%", "100", "x", "", "nan", "0.25%%", "%", "1 % %", "inf"] {
            assert!(percentage(wrong).unwrap_err().contains("a precision"), "{wrong}");
            assert!(tolerance(wrong).unwrap_err().contains("a tolerance"), "{wrong}");
        }
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("0.5s"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["0", "-3", "", "m", "inf", "1h", "90ss", "90sm", "604801"] {
            assert!(seconds(wrong).unwrap_err().contains("up to 604800"), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_cpus_runs_and_bytes() {
        assert_eq!((cpu("3"), runs("7"), size("0"), size("13")), (Ok(3), Ok(7), Ok(0), Ok(13)));
        for wrong in ["-1", "+1", "", "x", "1.5", "99999999999999999999"] {
            assert!(cpu(wrong).unwrap_err().contains("whole number"), "{wrong}");
            assert!(size(wrong).is_err() || wrong == "+1", "{wrong}");
        }
        for wrong in ["0", "-1", "", "4294967296"] {
            assert!(runs(wrong).unwrap_err().contains("from 1"), "{wrong}");
        }
        assert!(size("1099511627776").unwrap_err().contains("1073741824"));
    }

    #[test]
    fn letters_in_the_wrong_order_are_seen_through() {
        for (name, meant) in [("rnu", "run"), ("lsit", "list"), ("hsah", "hash"), ("mca", "mac")] {
            assert_eq!(nearest(name, &["run", "list", "hash", "mac", "slope"]), Some(meant));
        }
        for name in ["zzz", "", "x", "frobnicate", &"r".repeat(100_000)] {
            assert_eq!(nearest(name, &["run", "list", "hash", "mac"]), None, "{name}");
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
