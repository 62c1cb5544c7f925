//! `cpb doctor`: what this machine can and cannot tell.

mod check;
pub(crate) mod findings;
mod neighbours;

use crate::arguments::Machine;
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporting, Format};
use crate::library_set::LibrarySet;
use crate::views::doctor::Findings;
use crate::{lengths, sampling, time_budget};
use clap::Args;
use cpb_engine::{
    Measured, Noise, Plan, QuietMemory, Rounds, Row, Sampling, describe_host, is_simulated,
    measure, self_test, watch_noise,
};
use cpb_model::{Calibration, Contract, Host, Parameters};
use findings::{Finding, Status};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time for which disturbances are recorded.
const WATCHED: Duration = Duration::from_secs(1);
const SELF_TEST_ROUNDS: u32 = 5;
const SELF_TEST_SAMPLES: u32 = 100;

/// How far figures of this machine can be trusted
///
/// Looks at the counters, calibrates, measures chains of exactly known cycles,
/// and watches the machine for a second. What it says of quiet is held against a second process, another
/// probe, and a load of its own on another CPU. Changes nothing but what is remembered of quiet.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// End with status 1 where figures from here should not be trusted (✗), so that a script can
    /// refuse to measure.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    machine: Machine,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let host = describe_host();
    let cpus = arguments.machine.cpus(&host)?;
    let cpu = cpus.first().copied();
    let memory = QuietMemory::of(&host).learning_anew();
    let libraries = LibrarySet::discover_only(&[self_test()], arguments.machine.timeout);
    let complete = libraries.report_missing();
    let rows = libraries.offers().filter(|(_, offer)| is_harmless(&offer.primitive));
    let rows = rows.map(|(label, offer)| {
        let line = lengths::line(offer);
        let fitted = line.iter().flat_map(|(_, lengths)| lengths.clone()).collect();
        Row { line, ..Row::new(&label, offer, Contract::Keyed, Parameters::default(), fitted) }
    });
    let (samples, rounds) = (SELF_TEST_ROUNDS * SELF_TEST_SAMPLES, Rounds::Fixed(SELF_TEST_ROUNDS));
    let time = (None, time_budget::DOCTOR.of(1));
    let usual = sampling::of_rows(samples, rounds, time, arguments.machine.timeout);
    let plan = Plan {
        rows: rows.collect(),
        libraries: libraries.usable(),
        offers: Vec::new(),
        others: Vec::new(),
        sampling: Sampling { limit: None, ..usual },
        clock: arguments.machine.clock()?,
        cpus,
        memory,
        seed: 0,
    };
    let watched = watch_noise(&plan, WATCHED).map_err(|failure| failure.reason);
    let (measured, _) = measure(&plan, &AtomicBool::new(false), &mut |_| {});

    let mut groups = of_the_clock(&watched, &measured, &plan.memory);
    groups.extend(held_against(&plan, &host, &watched, &measured));
    groups.push(("System", findings::system(&host, cpu, measured.steal)));
    let findings = Findings(groups);
    exporter.write(&findings)?;
    let measured = measured.records.iter().all(|record| record.failure.is_none());
    let refused = arguments.strict && !findings.is_trusted();
    Ok(if watched.is_ok() && complete && measured && !refused { 0 } else { NOT_MEASURED })
}

/// Whether a self-test is a chain or a loop; the others provoke faults.
fn is_harmless(primitive: &str) -> bool {
    primitive.starts_with("chain-") || primitive.starts_with("loop-")
}

/// Checks whether the decision about quiet holds here. A contradiction is checked again, since a
/// neighbour may have come in the middle.
fn held_against(
    plan: &Plan,
    host: &Host,
    watched: &Watched,
    measured: &Measured,
) -> Option<(&'static str, Vec<Finding>)> {
    const TRIES: usize = 3;
    let quiet = measured.clock.as_ref()?.quiet.filter(|quiet| !quiet.assumed)?;
    let (calibration, _) = watched.as_ref().ok()?;
    let is_sound = |findings: &Vec<Finding>| findings.iter().all(|it| it.status != Status::Bad);
    let mut found = None;
    for _ in 0..TRIES {
        let check = check::check(plan, &host.allowed_cpus, calibration, quiet)?;
        let findings = neighbours::check(host, quiet, &check);
        let is_sound = is_sound(&findings);
        found = Some(("Quiet, checked", findings));
        if is_sound {
            break;
        }
    }
    found
}

type Watched = Result<(Calibration, Noise), String>;

fn of_the_clock(
    watched: &Watched,
    measured: &Measured,
    memory: &QuietMemory,
) -> Vec<(&'static str, Vec<Finding>)> {
    let chosen = watched.as_ref().ok().map(|(calibration, _)| calibration.counter.clone());
    let counters = (!is_simulated()).then(|| findings::counters(chosen.as_deref()));
    let mut groups: Vec<_> = counters.map(|found| ("Counters", found)).into_iter().collect();
    match watched {
        Ok((calibration, noise)) => {
            groups.push(("Clock", findings::calibration(calibration)));
            let quiet = measured.clock.as_ref().and_then(|clock| clock.quiet);
            groups
                .push(("Known cycles", findings::self_test(&measured.records, calibration, quiet)));
            groups.push(("Neighbours", neighbours::findings(quiet, memory)));
            groups.push(("Noise", findings::noise(noise)));
        }
        Err(reason) => groups.push(("Clock", vec![Finding::bad("cycles", reason)])),
    }
    groups
}
