//! Whether two runs come from machines whose figures can be compared.

use crate::output;
use cpb_model::{Host, Run};
use cpb_store::Machine;

/// Clocks that differ by more than this are mentioned.
const NOTABLE_CLOCK: f64 = 0.1;

/// Why cycles on the two hosts mean different things; `None` on one kind of CPU.
pub(crate) fn other_cpu(a: &Host, b: &Host) -> Option<String> {
    let shown = |host: &Host| {
        let parts: Vec<&str> =
            [&host.cpu, &host.cpu_id].into_iter().flatten().map(String::as_str).collect();
        format!("{} ({})", parts.join(", "), host.architecture)
    };
    let same = a.architecture == b.architecture && a.cpu_id == b.cpu_id && a.cpu == b.cpu;
    (!same).then(|| format!("one is of {}, the other of {}", shown(a), shown(b)))
}

/// Says what differs, besides the sides, between `a` and `b`.
pub(crate) fn warn_of_differences(a: &Run, b: &Run) {
    differences(a, b).iter().for_each(|difference| output::warn(difference));
}

/// Says where runs that are shown together are of another machine than the first.
pub(crate) fn warn_of_other_machines(runs: &[(String, Run)]) {
    let Some(((first, run), others)) = runs.split_first() else { return };
    for (name, other) in others {
        if Machine::of(&run.host).id != Machine::of(&other.host).id {
            output::warn(&format!(
                "the runs '{first}' and '{name}' are of different machines (cpb machines): cycles of \
                 one say nothing of the other"
            ));
        }
    }
}

fn differences(a: &Run, b: &Run) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(words) = other_cpu(&a.host, &b.host) {
        found.push(format!("the sides are of different CPUs: {words}"));
    }
    if a.host.hypervisor != b.host.hypervisor {
        let name = |run: &Run| run.host.hypervisor.clone().unwrap_or_else(|| "none".to_owned());
        found.push(format!("one side ran under hypervisor {}, the other {}", name(a), name(b)));
    }
    if let (Some(a), Some(b)) = (&a.clock, &b.clock) {
        if a.name != b.name {
            found.push(format!(
                "the sides were counted differently: {} and {}; --counter chooses one",
                a.name, b.name
            ));
        }
        if (a.core_hertz / b.core_hertz).ln().abs() > NOTABLE_CLOCK {
            found.push(format!(
                "the core ran at {:.2} GHz for one side and at {:.2} GHz for the other; what waits \
                 for memory then takes other numbers of cycles",
                a.core_hertz / 1e9,
                b.core_hertz / 1e9
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{ClockSummary, Host};

    fn run(cpu: &str, clock: &str, hertz: f64) -> Run {
        Run {
            host: Host { cpu: Some(cpu.to_owned()), ..Host::default() },
            clock: Some(ClockSummary {
                name: clock.to_owned(),
                calibrations: Vec::new(),
                core_hertz: hertz,
                core_hertz_range: (hertz, hertz),
                samples: 1,
                rejected: 0,
                quiet: None,
                known_loops: Vec::new(),
                no_events: None,
                workers: 0,
            }),
            ..cpb_figures::testing::run(Vec::new())
        }
    }

    #[test]
    fn cpus_counters_and_clocks_are_told_apart() {
        let here = run("Zen", "amd64-tsc+chain", 4e9);
        assert!(
            differences(&here, &here).is_empty() && other_cpu(&here.host, &here.host).is_none()
        );
        let there = run("Lake", "amd64-pmc", 3e9);
        let found = differences(&here, &there);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(other_cpu(&here.host, &there.host).unwrap().contains("Lake"));
    }
}
