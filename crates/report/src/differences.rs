//! Finds what differs between two runs besides the code.

use crate::number::gigahertz;
use cpb_model::{Calibration, CycleSource, LibraryBuild, Run};
use std::collections::HashMap;

/// Larger differences of the core clock are reported, relatively.
const CLOCKS_APART: f64 = 0.05;

/// Lists what makes ratios of `later` to `first` less meaningful.
pub fn differences(first: &Run, later: &Run) -> Vec<String> {
    let mut notes = machine_differences(first, later);
    let version = |run: &Run| match &run.revision {
        Some(revision) => format!("{} {revision}", run.version),
        None => run.version.clone(),
    };
    let so = "native rows may be other code.";
    notes.extend(differ("cpb's own version", [first, later].map(version), so));
    for both in of_one_label(first, later) {
        let versions = both.map(|library| library.version.clone());
        notes.extend(differ(&both[0].label, versions, "other versions are other code."));
    }
    notes
}

/// Works like [`differences`], but reports only machine and circumstances, because versions
/// may be what is compared.
pub fn machine_differences(first: &Run, later: &Run) -> Vec<String> {
    let runs = [first, later];
    let unknown = || "unknown".to_owned();
    let cpus = runs.map(|run| match (&run.host.cpu, &run.host.cpu_id) {
        (Some(name), Some(id)) => format!("{name}, {id}"),
        (name, id) => name.clone().or_else(|| id.clone()).unwrap_or_else(unknown),
    });
    let hypervisors =
        runs.map(|run| run.host.hypervisor.clone().unwrap_or_else(|| "none".to_owned()));
    let so = "ratios say as much about the machines as about the code.";
    let mut notes = Vec::from_iter(differ("The CPU", cpus, so));
    let so = "what it takes of the CPU is in the figures.";
    notes.extend(differ("The hypervisor", hypervisors, so));
    if let (Some(a), Some(b)) = (&first.clock, &later.clock) {
        let so =
            "counters differ in steps and in what a read of them costs; --counter chooses one.";
        notes.extend(differ("The counter", [a.name.clone(), b.name.clone()], so));
    }
    let source = |run: &Run| {
        let calibration: &Calibration = run.clock.as_ref()?.calibrations.first()?;
        Some(match calibration.cycle_source {
            CycleSource::Counted | CycleSource::Chain => "measured".to_owned(),
            CycleSource::StatedClock { megahertz } => format!("stated, {megahertz} MHz"),
        })
    };
    let sources = runs.map(|run| source(run).unwrap_or_else(unknown));
    let so = "a stated clock that is wrong makes every ratio wrong.";
    notes.extend(differ("Where core cycles come from", sources, so));
    if let (Some(a), Some(b)) = (&first.clock, &later.clock) {
        let clocks = [a.core_hertz, b.core_hertz];
        if (clocks[0] / clocks[1]).ln().abs() > CLOCKS_APART {
            let so = "what waits for memory takes other numbers of cycles.";
            notes.extend(differ("The core clock", clocks.map(gigahertz), so));
        }
    }
    notes
}

fn differ(what: &str, [a, b]: [String; 2], so: &str) -> Option<String> {
    (a != b).then(|| format!("{what} differs ({a} and {b}): {so}"))
}

/// Returns the libraries that both runs have under one label.
fn of_one_label<'a>(first: &'a Run, later: &'a Run) -> Vec<[&'a LibraryBuild; 2]> {
    let mut others = HashMap::new();
    for library in &later.libraries {
        others.entry(library.label.as_str()).or_insert(library);
    }
    let both = |library: &'a LibraryBuild| Some([library, *others.get(library.label.as_str())?]);
    first.libraries.iter().filter_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{record, run};
    use cpb_model::ClockSummary;

    #[test]
    fn other_machines_are_told() {
        let first = run(vec![record("sha256", "native", 5.0)]);
        let mut later = first.clone();
        assert_eq!(differences(&first, &later), Vec::<String>::new());
        later.host.cpu = Some("another".to_owned());
        let found = differences(&first, &later);
        assert!(found.len() == 1 && found[0].starts_with("The CPU differs"), "{found:?}");
    }

    #[test]
    fn other_clocks_are_told() {
        let clocked = |name: &str, core_hertz: f64| {
            let mut run = run(vec![record("sha256", "native", 5.0)]);
            run.clock = Some(ClockSummary {
                name: name.to_owned(),
                core_hertz,
                core_hertz_range: (core_hertz, core_hertz),
                samples: 1,
                ..ClockSummary::default()
            });
            run
        };
        let here = clocked("amd64-tsc+chain", 4.0e9);
        assert!(differences(&here, &clocked("amd64-tsc+chain", 4.1e9)).is_empty());
        let notes = differences(&here, &clocked("amd64-pmc", 3.0e9));
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].contains("amd64-tsc+chain and amd64-pmc"), "{notes:?}");
        assert!(notes[1].contains("4.000 GHz and 3.000 GHz"), "{notes:?}");
    }

    #[test]
    fn other_versions_are_no_machines() {
        let first = run(vec![record("sha256", "native", 5.0)]);
        let mut later = first.clone();
        later.version = "99.0.0".to_owned();
        assert_eq!(differences(&first, &later).len(), 1);
        assert!(machine_differences(&first, &later).is_empty());
    }
}
