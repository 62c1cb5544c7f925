//! Makes the lines above a table: machine, clock, and disturbances.

use crate::number::{gigahertz, grouped, percent, quiet as quiet_share};
use crate::warning::{self, Warning, neighbours};
use crate::{Cell, Style};
use cpb_model::Run;
use std::collections::BTreeSet;

/// The most CPUs that are listed.
const FEW_CPUS: usize = 4;

/// Returns two lines, and another if all figures are upper bounds.
pub fn lines(run: &Run) -> Vec<Cell> {
    let host = &run.host;
    let machine: Vec<String> = [
        host.cpu.clone().or_else(|| Some(host.architecture.clone())),
        host.cpu_id.clone(),
        host.hypervisor.as_ref().map(|name| format!("virtual machine ({name})")),
        host.kernel.as_ref().map(|release| format!("Linux {release}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let clock = match &run.clock {
        None if run.records.is_empty() => "nothing was measured".to_owned(),
        None => "no clock could be calibrated".to_owned(),
        Some(clock) => {
            let (low, high) = clock.core_hertz_range;
            let dropped = clock.rejected;
            let taken = (clock.samples + dropped).max(1) as f64;
            let cpu = cpus(run);
            format!(
                "{} · core clock {} ({:.2} to {:.2}) · {cpu}{} · {} samples, {} dropped · {:.1} s",
                clock.name,
                gigahertz(clock.core_hertz),
                low / 1e9,
                high / 1e9,
                clock.quiet.map(|quiet| format!(" · {}", quiet_share(quiet))).unwrap_or_default(),
                grouped(clock.samples),
                if dropped == 0 { "none".to_owned() } else { percent(dropped as f64 / taken) },
                run.seconds
            )
        }
    };
    let mut lines = vec![Cell::new(machine.join(" · "), Style::Strong), clock.into()];
    let neighbours = neighbours(run.clock.as_ref(), &run.records);
    let quiet = run.clock.as_ref().and_then(|clock| clock.quiet);
    let is_unproven = quiet.is_some_and(|quiet| quiet.is_unproven());
    let unproven = is_unproven.then_some(Warning::QuietUnproven);
    let above = neighbours.filter(Warning::leaves_bounds_only).or(unproven);
    let self_test = warning::self_test(run.clock.as_ref());
    let above = self_test.into_iter().chain(above);
    lines.extend(above.map(|warning| Cell::new(warning.in_short(), Style::Caution)));
    lines
}

/// Describes the CPUs that were used.
fn cpus(run: &Run) -> String {
    let concurrent = run.records.iter().filter_map(|record| record.concurrent.as_ref());
    let threads = concurrent.flat_map(|it| &it.cpus);
    let cpus: BTreeSet<usize> = run.cpu.iter().chain(&run.cpus).chain(threads).copied().collect();
    match cpus.len() {
        0 => "not pinned".to_owned(),
        1 => cpus.iter().map(|cpu| format!("CPU {cpu}")).collect(),
        many if many <= FEW_CPUS => {
            let numbers: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            format!("CPUs {}", numbers.join(", "))
        }
        many => format!("{many} CPUs"),
    }
}
