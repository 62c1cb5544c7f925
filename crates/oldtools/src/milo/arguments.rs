//! Defines milo's arguments, after `places` has sorted out which count where.

use super::names::Parameter;
use crate::clock::megahertz;
use clap::{Args, Parser, Subcommand};

/// What milo itself prints for `milo version`; scripts look for it.
pub const VERSION: &str = "milo 0.2.0";

const LARGEST: u64 = cpb_model::LARGEST_BYTES as u64;
const MOST_ITERATIONS: u64 = 1_000_000_000;
const MOST_REPEATS: u64 = 1_000_000_000;

/// Measure cpb's own kernels as milo measures its own
#[derive(Debug, Parser)]
#[command(name = "milo", max_term_width = 100)]
pub struct Arguments {
    /// Names with a backend, too.
    #[arg(long)]
    pub advanced: bool,
    /// Wrap the results with command, project and compiler.
    #[arg(long)]
    pub verbose: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure.
    Benchmark(Benchmark),
    /// Print milo's version.
    Version,
}

#[derive(Debug, Args)]
pub struct Benchmark {
    /// How often, and at which clock.
    #[command(flatten)]
    pub repeats: Repeats,
    /// What to measure.
    #[command(subcommand)]
    pub what: What,
}

#[derive(Debug, Subcommand)]
pub enum What {
    /// Measure primitives, or list them.
    Primitive(Primitive),
}

#[derive(Debug, Args)]
pub struct Primitive {
    /// `list`, or a pattern with * of names on that list.
    #[arg(value_name = "EXPRESSION")]
    pub expression: String,
    /// Their parameters.
    #[command(flatten)]
    pub sizes: Sizes,
}

/// How often, and at which clock.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Repeats and clock")]
pub struct Repeats {
    /// Take samples until half of them hold at least N undisturbed calls. The
    /// figure is the mean, from the first to the fifth decile of eight processes,
    /// of the mean around the mode of each one's samples; calls counts all
    /// accepted ones.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = repeats_time,
          allow_negative_numbers = true)]
    pub repeats_time: u64,
    /// Make at least N calls before them.
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = repeats_warm,
          allow_negative_numbers = true)]
    pub repeats_warm: u64,
    /// Take the core clock to be N MHz instead of measuring it; cycles are then
    /// time × N.
    #[arg(long, value_name = "N", value_parser = megahertz,
          allow_negative_numbers = true)]
    pub cpu_clock: Option<f64>,
}

/// The parameters of the primitives.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Parameters, in bytes")]
pub struct Sizes {
    /// Of what a codec or cipher works on; of codecs the decoded side (codec-*,
    /// cipher-*, aead-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    bytes_size: Option<u64>,
    /// Of the message (hash-*, mac-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    message_size: Option<u64>,
    /// Of the key (mac-*), or of the derived key (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    key_size: Option<u64>,
    /// Of the key material or password (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    ikm_size: Option<u64>,
    /// Of the salt (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    salt_size: Option<u64>,
    /// Of the info (kdf-hkdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    info_size: Option<u64>,
    /// Number of iterations (kdf-pbkdf-2-*).
    #[arg(long, value_name = "N", value_parser = iterations, allow_negative_numbers = true)]
    iterations: Option<u64>,
    /// Of the associated data (aead-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    aad_size: Option<u64>,
}

impl Sizes {
    /// The value of a parameter, where it is given.
    pub fn of(&self, parameter: Parameter) -> Option<u64> {
        match parameter {
            Parameter::Bytes => self.bytes_size,
            Parameter::Message => self.message_size,
            Parameter::Key => self.key_size,
            Parameter::Ikm => self.ikm_size,
            Parameter::Salt => self.salt_size,
            Parameter::Info => self.info_size,
            Parameter::Iterations => self.iterations,
            Parameter::Aad => self.aad_size,
        }
    }
}

fn size(text: &str) -> Result<u64, String> {
    whole_number(text, "a size is a whole number of bytes", 0, LARGEST)
}

fn iterations(text: &str) -> Result<u64, String> {
    // That 0 fits nothing is found out by name.
    if text.parse() == Ok(0_u64) {
        return Ok(0);
    }
    whole_number(text, "the number of iterations is a whole number", 1, MOST_ITERATIONS)
}

fn repeats_time(text: &str) -> Result<u64, String> {
    whole_number(text, "the number of calls is a whole number", 1, MOST_REPEATS)
}

fn repeats_warm(text: &str) -> Result<u64, String> {
    whole_number(text, "the number of calls is a whole number", 0, MOST_REPEATS)
}

fn whole_number(text: &str, what: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{what} from {least} to {most}, not '{text}'"))
}
