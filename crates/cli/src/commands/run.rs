//! `cpb run`: the main job.

use crate::arguments::{self, Format, Machine, unknown};
use crate::fault::{Fault, NOT_MEASURED};
use crate::progress::Bar;
use crate::run_record::{self, Start};
use crate::{output, views};
use clap::Args;
use cpb_engine::{
    Plan, Progress, Rounds, Row, SELF_TEST_PRIMITIVES, Sampling, host, libraries, measure,
    selection,
};
use cpb_libraries::Offer;
use cpb_libraries::catalogue::{Output, Primitive};
use cpb_model::{Alignment, Contract, Method, Subject};
use std::collections::BTreeSet;
use std::time::Duration;

/// Samples of a workload in each round.
const SAMPLES: u32 = 40;
const BATCH: Duration = Duration::from_micros(30);
const ROUNDS_AT_LEAST: u32 = 5;
const ROUNDS_AT_MOST: u32 = 100;
/// The slope is fitted over messages up to this long.
const LONGEST_LINE_BYTES: usize = 16_384;

/// Measure everything selected in every implementation, and rank them
///
/// A SELECTOR is a primitive in any spelling (sha3-256, SHA3_256), a pattern
/// (sha3-*), or an operation (hash, xof). Without one, everything is measured.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to measure.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Message lengths for which a rate is shown, in bytes.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          default_value = "64,1024,16384", allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Take rounds until every interval is at most this wide to either side.
    #[arg(long, value_name = "PERCENT", default_value = "0.25%", value_parser = arguments::percentage,
          allow_negative_numbers = true)]
    precision: f64,
    /// Start no further round after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    max_time: Duration,
    /// Measure only these backends; `default` for each library's own choice.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Put messages one byte behind a page boundary instead of on it.
    #[arg(long)]
    unaligned: bool,
    /// Keep the raw samples in the JSON.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    machine: Machine,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let start = Start::now();
    let host = host::describe();
    let plan = Plan {
        rows: arguments.rows()?,
        sampling: Sampling {
            samples: SAMPLES,
            batch: BATCH,
            rounds: Rounds::Until {
                precision: arguments.precision,
                at_least: ROUNDS_AT_LEAST,
                at_most: ROUNDS_AT_MOST,
                budget: arguments.max_time,
            },
            timeout: arguments.machine.timeout,
        },
        clock: arguments.machine.clock()?,
        cpu: arguments.machine.cpu(&host)?,
        keep_raw: arguments.raw,
        seed: 0,
    };
    let bar = Bar::new();
    let measured = measure(&plan, &mut |progress| {
        if let Progress::Failed { row, failure } = progress {
            bar.aside(|| {
                let Subject { primitive, library, backend, .. } = &row.subject;
                output::complain(&format!("{primitive} {library} {backend}: {}", failure.reason));
            });
        }
        bar.follow(progress);
    });
    bar.finish();
    let run = run_record::assemble(&start, host, &plan, measured);
    let mut sizes = arguments.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    match arguments.format {
        Format::Table => output::print(&views::run_table::text(&run, &sizes))?,
        Format::Csv => views::run_csv::write(&run)?,
        Format::Json => cpb_report::write_json(&mut std::io::stdout().lock(), &run)?,
    }
    if arguments.format != Format::Json {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    let all_measured = run.records.iter().all(|record| record.failure.is_none());
    Ok(if all_measured { 0 } else { NOT_MEASURED })
}

impl Arguments {
    fn rows(&self) -> Result<Vec<Row>, Fault> {
        let primitives = selection::select(&self.selectors, SELF_TEST_PRIMITIVES)
            .map_err(|none| unknown("selector", &none.selector, selection::vocabulary()))?;
        let offers = self.offers()?;
        let rows: Vec<Row> = primitives
            .into_iter()
            .flat_map(|primitive| {
                let of_it = offers.iter().filter(move |(_, offer)| offer.primitive == primitive);
                of_it.map(move |(library, offer)| self.row(primitive, library, offer))
            })
            .collect();
        if rows.is_empty() {
            return Err(Fault::NotMeasured(
                "none of the backends asked for implements what was selected; see cpb list"
                    .to_owned(),
            ));
        }
        Ok(rows)
    }

    /// What the libraries offer of the backends asked for. One that cannot
    /// run here is kept only if it was asked for by name, to say why.
    fn offers(&self) -> Result<Vec<(&'static str, Offer)>, Fault> {
        let all: Vec<(&'static str, Offer)> = libraries::entries()
            .into_iter()
            .flat_map(|entry| (entry.open)().offers().into_iter().map(move |o| (entry.name, o)))
            .collect();
        let known: BTreeSet<&str> = all.iter().map(|(_, offer)| offer.backend).collect();
        let wanted: Vec<&str> = self
            .backend
            .iter()
            .map(|name| if name == "scalar" { "portable" } else { name.as_str() })
            .collect();
        for name in &wanted {
            if *name != "default" && !known.contains(name) {
                let known = std::iter::once("default").chain(known);
                return Err(unknown("backend", name, known));
            }
        }
        Ok(all
            .into_iter()
            .filter(|(_, offer)| {
                let by_name = wanted.contains(&offer.backend);
                let as_default = wanted.contains(&"default") && offer.is_default;
                let unasked = wanted.is_empty() || as_default;
                by_name || unasked && offer.unavailable.is_none()
            })
            .collect())
    }

    fn row(&self, primitive: &Primitive, library: &str, offer: &Offer) -> Row {
        let row = slope_row(primitive, library, offer.backend, offer.is_default);
        let lengths: BTreeSet<usize> = self.sizes.iter().chain(&row.line_bytes).copied().collect();
        Row {
            alignment: if self.unaligned { Alignment::Unaligned } else { Alignment::Page },
            message_bytes: lengths.into_iter().collect(),
            ..row
        }
    }
}

/// The row of a self-test's primitive.
pub(crate) fn self_test_row(primitive: &Primitive) -> Row {
    slope_row(primitive, "selftest", "chain", true)
}

fn slope_row(primitive: &Primitive, library: &str, backend: &str, default_backend: bool) -> Row {
    let line_bytes = line_lengths(primitive);
    Row {
        subject: Subject {
            primitive: primitive.name.to_owned(),
            operation: primitive.operation,
            library: library.to_owned(),
            backend: backend.to_owned(),
            default_backend,
        },
        contract: Contract::Keyed,
        output_bytes: match primitive.output {
            Output::Fixed(_) => None,
            Output::Free { default } => Some(default),
        },
        alignment: Alignment::Page,
        message_bytes: line_bytes.clone(),
        line_bytes,
        method: Method::Slope,
    }
}

/// Lengths for the line: whole blocks, so that the stairs in which the cost
/// of a message rises cannot tilt it.
fn line_lengths(primitive: &Primitive) -> Vec<usize> {
    let block = primitive.block_bytes.unwrap_or(1);
    let longest = LONGEST_LINE_BYTES / block;
    let mut blocks: Vec<usize> =
        (0..).map(|power| 4_usize.pow(power)).take_while(|&blocks| blocks < longest).collect();
    blocks.push(longest);
    blocks.into_iter().map(|blocks| blocks * block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_fitted_through_whole_blocks() {
        for primitive in cpb_libraries::catalogue::PRIMITIVES {
            let lengths = line_lengths(primitive);
            let block = primitive.block_bytes.unwrap();
            assert!(lengths.len() >= 4, "{}", primitive.name);
            assert!(lengths.iter().all(|length| length % block == 0));
            assert!(lengths.is_sorted() && *lengths.last().unwrap() <= LONGEST_LINE_BYTES);
        }
    }
}
