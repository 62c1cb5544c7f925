//! Checks whether figures of two runs' machines can be compared.

use crate::output;
use cpb_model::{Host, Run};
use cpb_store::Machine;

/// Returns why cycles on the two hosts cannot be compared; `None` for one kind of CPU.
pub(crate) fn other_cpu(a: &Host, b: &Host) -> Option<String> {
    let shown = |host: &Host| {
        let parts: Vec<&str> =
            [&host.cpu, &host.cpu_id].into_iter().flatten().map(String::as_str).collect();
        format!("{} ({})", parts.join(", "), host.architecture)
    };
    let same = a.architecture == b.architecture && a.cpu_id == b.cpu_id && a.cpu == b.cpu;
    (!same).then(|| format!("one is of {}, the other of {}", shown(a), shown(b)))
}

/// Reports what differs between `a` and `b` besides the sides.
pub(crate) fn warn_of_differences(a: &Run, b: &Run) {
    cpb_report::machine_differences(a, b).iter().for_each(|difference| output::warn(difference));
}

/// Reports runs on another machine than that of the first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_cpu_is_told_by_its_name() {
        let host = |cpu: &str| Host { cpu: Some(cpu.to_owned()), ..Host::default() };
        assert_eq!(other_cpu(&host("Zen"), &host("Zen")), None);
        assert!(other_cpu(&host("Zen"), &host("Lake")).unwrap().contains("Lake"));
    }
}
