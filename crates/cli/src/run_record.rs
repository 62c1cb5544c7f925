//! What one invocation measured, with what is needed to believe it.

use cpb_engine::{Measured, Plan, warnings};
use cpb_model::{Host, Run, SCHEMA};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The start of an invocation.
pub(crate) struct Start {
    clock: Instant,
    since_epoch: u64,
}

impl Start {
    pub(crate) fn now() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        Self { clock: Instant::now(), since_epoch: since_epoch.map_or(0, |time| time.as_secs()) }
    }
}

pub(crate) fn assemble(start: &Start, host: Host, plan: &Plan, measured: Measured) -> Run {
    let Measured { records, clock, libraries, steal } = measured;
    let warnings = warnings(&host, clock.as_ref(), steal, &records);
    Run {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: option_env!("CPB_REVISION").map(str::to_owned),
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        started: start.since_epoch,
        seconds: start.clock.elapsed().as_secs_f64(),
        host,
        cpu: plan.cpu,
        steal,
        clock,
        libraries,
        records,
        warnings: warnings.iter().map(ToString::to_string).collect(),
    }
}
