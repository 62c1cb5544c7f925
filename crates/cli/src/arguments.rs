//! Defines arguments that several commands share, and parsers of their values.

mod values;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use cpb_engine::ClockChoice;
use cpb_host::{choose_cpus, try_pin_to};
use cpb_model::{Alignment, Caches, Contract, Host, Parameters};
use cpb_oldtools::clock::megahertz;
use cpb_store::StoreLocation;
use std::time::Duration;

use crate::cli_error::CliError;

pub(crate) use values::{cpu, length, percentage, room, runs, seconds, size, tolerance, up_to};

/// What is in the caches when a call begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CachesArgument {
    /// What the calls before left there, as within a batch of calls.
    Warm,
    /// Nothing of the call: before each, everything is driven out. Single calls, no slope.
    Evicted,
}

impl From<CachesArgument> for Caches {
    fn from(caches: CachesArgument) -> Self {
        match caches {
            CachesArgument::Warm => Caches::Warm,
            CachesArgument::Evicted => Caches::Evicted,
        }
    }
}

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
    /// Returns what one timed call includes, if stated.
    pub(crate) fn contract(&self) -> Option<Contract> {
        self.contract.map(Contract::from)
    }

    /// Returns the parameters of calls besides the message.
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
    /// Returns the clock to use, after checking that its counter works here.
    pub(crate) fn clock(&self) -> Result<ClockChoice, CliError> {
        clock(self.counter.as_deref(), self.cpu_mhz)
    }

    /// Returns the CPUs to measure on.
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
          value_parser = OsStringValueParser::new().try_map(|text| StoreLocation::parse(&text)))]
    pub(crate) store: Option<StoreLocation>,
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

/// Returns the clock of these options, after checking that its counter works here.
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
            other => not_measured!("{other}"),
        })?;
    }
    Ok(ClockChoice { counter: counter.map(str::to_owned), megahertz })
}

/// Returns the requested CPU, after checking that threads can be pinned to it; otherwise all
/// suitable CPUs.
pub(crate) fn cpus(asked: Option<usize>, host: &Host) -> Result<Vec<usize>, CliError> {
    let Some(cpu) = asked else { return Ok(choose_cpus(host)) };
    try_pin_to(cpu).map(|()| vec![cpu]).map_err(|reason| usage!("{reason}"))
}

/// With more known words than this, only the nearest are named.
const FEW: usize = 24;
const NEAREST: usize = 5;

/// Returns the word of `known` that was probably meant by `name`.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let best = by_likeness(name, known).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|best| best.0 > 0.7).map(|best| best.1)
}

/// Returns each word of `known` with its [`likeness`] to `name`.
fn by_likeness<'a>(name: &str, known: &[&'a str]) -> impl Iterator<Item = (f64, &'a str)> {
    known.iter().map(move |candidate| (likeness(candidate, name), *candidate))
}

/// Returns the similarity of two words, from 0 for nothing in common to 1 for equal ones. Also
/// detects two swapped letters in a short word, which Jaro–Winkler does not.
fn likeness(candidate: &str, name: &str) -> f64 {
    // Longer than any word, because the cost grows with the product of both lengths.
    const LONGEST: usize = 100;
    let name: String = name.chars().take(LONGEST).collect::<String>().to_lowercase();
    let candidate = &candidate.to_lowercase();
    let length = candidate.chars().count().max(name.chars().count());
    let edits = strsim::osa_distance(candidate, &name);
    let few_edits = 1.0 - edits as f64 / (length + 1) as f64;
    strsim::jaro_winkler(candidate, &name).max(if edits < length { few_edits } else { 0.0 })
}

/// Creates the error that `name` is not a `kind`, with the nearest valid one and the valid ones.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> CliError {
    let known: Vec<&str> = known.into_iter().collect();
    let hint = nearest(name, &known)
        .map(|nearest| format!(" Did you mean '{nearest}'?"))
        .unwrap_or_default();
    let allowed = if known.len() <= FEW {
        format!("Known: {}.", known.join(", "))
    } else {
        let mut near: Vec<(f64, &str)> = by_likeness(name, &known).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near = near[..NEAREST].iter().map(|it| it.1).collect::<Vec<_>>().join(", ");
        format!("Nearest: {near}; cpb list shows all {}.", known.len())
    };
    usage!("unknown {kind} '{name}'.{hint} {allowed}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
