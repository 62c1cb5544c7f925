//! What lies between two runs besides the code.

use crate::number::gigahertz;
use cpb_model::{Calibration, CycleSource, LibraryId, Run};
use std::collections::HashMap;

/// Core clocks that differ by more are told.
const CLOCKS_APART: f64 = 0.05;

/// What makes ratios of `later` to `first` mean less than they seem to.
#[must_use]
pub fn differences(first: &Run, later: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let mut differ = |what: &str, a: Option<String>, b: Option<String>, so: &str| {
        if a != b {
            let word = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
            notes.push(format!("{what} differs ({} and {}): {so}", word(a), word(b)));
        }
    };
    let cpu = |run: &Run| match (&run.host.cpu, &run.host.cpu_id) {
        (Some(name), Some(id)) => Some(format!("{name}, {id}")),
        (name, id) => name.clone().or_else(|| id.clone()),
    };
    differ(
        "The CPU",
        cpu(first),
        cpu(later),
        "ratios say as much about the machines as about the code.",
    );
    differ(
        "The hypervisor",
        first.host.hypervisor.clone().or_else(|| Some("none".to_owned())),
        later.host.hypervisor.clone().or_else(|| Some("none".to_owned())),
        "what it takes of the CPU is in the figures.",
    );
    if let (Some(a), Some(b)) = (&first.clock, &later.clock) {
        let so = "counters differ in steps and in what a read of them costs.";
        differ("The counter", Some(a.name.clone()), Some(b.name.clone()), so);
    }
    let source = |run: &Run| {
        let calibration: &Calibration = run.clock.as_ref()?.calibrations.first()?;
        Some(match calibration.cycle_source {
            CycleSource::Counted | CycleSource::Chain => "measured".to_owned(),
            CycleSource::StatedClock { megahertz } => format!("stated, {megahertz} MHz"),
        })
    };
    differ(
        "Where core cycles come from",
        source(first),
        source(later),
        "a stated clock that is wrong makes every ratio wrong.",
    );
    let clocks = first.clock.as_ref().zip(later.clock.as_ref());
    let clocks = clocks.map(|(a, b)| (a.core_hertz, b.core_hertz));
    if let Some((a, b)) = clocks.filter(|(a, b)| (a / b - 1.0).abs() > CLOCKS_APART) {
        differ(
            "The core clock",
            Some(gigahertz(a)),
            Some(gigahertz(b)),
            "what waits for memory takes other numbers of cycles.",
        );
    }
    let version = |run: &Run| {
        Some(match &run.revision {
            Some(revision) => format!("{} {revision}", run.version),
            None => run.version.clone(),
        })
    };
    differ("cpb's own version", version(first), version(later), "native rows may be other code.");
    for [library, other] in of_one_label(first, later) {
        let version = |library: &LibraryId| Some(library.version.clone());
        let so = "other versions are other code.";
        differ(&library.label, version(library), version(other), so);
    }
    notes
}

/// The libraries that both runs know by one label.
fn of_one_label<'a>(first: &'a Run, later: &'a Run) -> Vec<[&'a LibraryId; 2]> {
    let mut others = HashMap::new();
    for library in &later.libraries {
        others.entry(library.label.as_str()).or_insert(library);
    }
    let both = |library: &'a LibraryId| Some([library, *others.get(library.label.as_str())?]);
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
        let clocked = |core_hertz: f64| {
            let mut run = run(vec![record("sha256", "native", 5.0)]);
            run.clock = Some(ClockSummary {
                name: "amd64-tsc+chain".to_owned(),
                calibrations: Vec::new(),
                core_hertz,
                core_hertz_range: (core_hertz, core_hertz),
                samples: 1,
                rejected: 0,
                quiet: None,
                known_loops: Vec::new(),
                no_events: None,
                workers: 0,
            });
            run
        };
        assert!(differences(&clocked(4.0e9), &clocked(4.1e9)).is_empty());
        let notes = differences(&clocked(3.0e9), &clocked(4.1e9));
        assert!(notes[0].contains("3.000 GHz and 4.100 GHz"), "{notes:?}");
    }
}
