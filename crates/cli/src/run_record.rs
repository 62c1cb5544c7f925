//! Assembles the run of one invocation, with what is needed to believe it.

use crate::own_build;
use crate::warning::{Warning, format_warnings, warnings};
use cpb_engine::{Measured, Plan, Rounds, Start, is_simulated};
use cpb_model::{Host, LibraryBuild, Record, Run, SCHEMA};
use cpb_store::without_passwords;
use std::ffi::OsStr;

pub(crate) fn assemble(start: &Start, host: Host, plan: &Plan, measured: Measured) -> Run {
    let precision = match plan.sampling.rounds {
        Rounds::Until { precision, .. } => Some(precision),
        Rounds::Fixed(_) => None,
    };
    let cpu = <[usize; 1]>::try_from(plan.cpus.as_slice()).ok().map(|[cpu]| cpu);
    Run { cpu, ..of(start, host, plan.seed, precision, measured) }
}

/// Assembles a measured run, with the requested `precision`.
pub(crate) fn of(
    start: &Start,
    host: Host,
    seed: u64,
    precision: Option<f64>,
    measured: Measured,
) -> Run {
    let Measured { mut records, clock, no_cycles, mut libraries, cpus, steal, interrupted } =
        measured;
    let certainty = clock.as_ref().and_then(|clock| clock.quiet?.certainty);
    for record in records.iter_mut().filter(|record| record.failure.is_none()) {
        record.quiet = certainty;
    }
    libraries.iter_mut().for_each(own_build::describe);
    let mut warnings = warnings(&host, clock.as_ref(), steal, &records, precision);
    if interrupted {
        // There would have been more time.
        warnings.retain(|warning| !matches!(warning, Warning::NotPrecise { .. }));
        warnings.push(Warning::Interrupted);
    }
    let warnings = format_warnings(&warnings).into_iter().chain(no_cycles).collect();
    Run { cpus, steal, clock, libraries, records, warnings, precision, ..empty(start, host, seed) }
}

/// Assembles the run of calls that were traced but not timed.
pub(crate) fn assemble_paths(
    start: &Start,
    host: Host,
    mut libraries: Vec<LibraryBuild>,
    records: Vec<Record>,
) -> Run {
    libraries.iter_mut().for_each(own_build::describe);
    Run { libraries, records, ..empty(start, host, 0) }
}

/// Makes a word of the command line harmless, since it is stored and shown.
fn shown(word: &OsStr) -> String {
    without_passwords(&word.to_string_lossy()).into_owned()
}

fn empty(start: &Start, host: Host, seed: u64) -> Run {
    Run {
        schema: SCHEMA,
        id: uuid::Uuid::new_v4().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: option_env!("CPB_REVISION").filter(|_| !is_simulated()).map(str::to_owned),
        command: std::env::args_os().map(|word| shown(&word)).collect(),
        seed,
        started: start.since_epoch(),
        seconds: start.elapsed().as_secs_f64(),
        host,
        ..Run::default()
    }
}
