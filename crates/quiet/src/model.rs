//! Knows facts about CPUs before any loop runs: from documentation, the kernel, and measurements on
//! the same model.

use crate::decision::PriorKnowledge;
use cpb_model::{Host, Reason};

/// The window beside a neighbour, measured on these CPU models with our own load on the core's
/// other thread. Adding, multiplying, loading, pausing and four more kinds of load all gave the
/// same, in sizes of [`cpb_clock::window::Filler::sizes`].
const DIVIDED_WINDOWS: [(&str, u32); 2] = [
    // Zen 4 (EPYC 9004): 297 alone.
    ("AuthenticAMD family 25 model 17", 201),
    // Zen 5 (EPYC 9005): 425 alone.
    ("AuthenticAMD family 26 model 2", 217),
];

/// Intel's cores with one hardware thread (family 6): Goldmont to Crestmont, Lunar Lake and Arrow
/// Lake.
const INTEL_SINGLE_THREAD: [u32; 16] = [
    0x5c, 0x5f, 0x7a, 0x86, 0x8a, 0x96, 0x9c, 0xaf, 0xb5, 0xb6, 0xbd, 0xbe, 0xc5, 0xc6, 0xcc, 0xdd,
];

/// Arm's cores with two hardware threads: Cortex-A65 and A65AE, Neoverse E1. All other cores of
/// Arm, and those of Ampere, Apple, Fujitsu and Qualcomm, have one.
const ARM: &str = "implementer 0x41 part ";
const ARM_TWO_THREADS: [&str; 3] = ["0xd06", "0xd43", "0xd4a"];
const SINGLE_THREAD_IMPLEMENTERS: [&str; 4] = ["0x46", "0x51", "0x61", "0xc0"];

impl PriorKnowledge {
    /// Returns what is known about the CPUs of `host`.
    pub fn of(host: &Host) -> Self {
        let id = host.cpu_id.as_deref().unwrap_or_default();
        let model = id.split(" stepping").next().unwrap_or_default();
        let divided = DIVIDED_WINDOWS.iter().find(|(known, _)| *known == model);
        Self {
            alone: (has_single_thread(id) || is_single(host)).then_some(Reason::SingleThread),
            divided_window: divided.map(|(_, window)| *window),
            fewest_integer_units: fewest_integer_units(host),
            remembered: None,
        }
    }
}

/// Whether the kernel reports no core with a second active thread, on machines where it can know.
fn is_single(host: &Host) -> bool {
    let is_alone = |siblings: &[usize]| siblings.len() == 1;
    host.hypervisor.is_none()
        && host.architecture == "x86_64"
        && !host.cores.is_empty()
        && host.cores.iter().all(|core| is_alone(&core.siblings))
}

/// Whether cores with this ID have one hardware thread, according to their documentation.
fn has_single_thread(id: &str) -> bool {
    if let Some(intel) = id.strip_prefix("GenuineIntel family 6 model ") {
        let model = intel.split(' ').next().and_then(|model| model.parse().ok());
        return model.is_some_and(|model| INTEL_SINGLE_THREAD.contains(&model));
    }
    if let Some(part) = id.strip_prefix(ARM) {
        return !ARM_TWO_THREADS.contains(&part);
    }
    let implementer = id.strip_prefix("implementer ").and_then(|rest| rest.split(' ').next());
    implementer.is_some_and(|it| SINGLE_THREAD_IMPLEMENTERS.contains(&it))
}

/// Returns the minimum of integer units: four since Haswell and Zen, the first with AVX2.
fn fewest_integer_units(host: &Host) -> u32 {
    if host.features.iter().any(|feature| feature == "avx2") { 4 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Core;

    fn host(id: &str) -> Host {
        Host {
            architecture: std::env::consts::ARCH.to_owned(),
            cpu_id: Some(id.to_owned()),
            hypervisor: Some("KVM".to_owned()),
            ..Host::default()
        }
    }

    #[test]
    fn cores_without_a_second_thread_are_known_by_their_documentation() {
        let alone = |id| PriorKnowledge::of(&host(id)).alone.is_some();
        for single in [
            "GenuineIntel family 6 model 175 stepping 3",
            "implementer 0x41 part 0xd0c",
            "implementer 0xc0 part 0xac3",
            "implementer 0x61 part 0x022",
        ] {
            assert!(alone(single), "{single}");
        }
        for other in [
            "GenuineIntel family 6 model 106 stepping 6",
            "AuthenticAMD family 25 model 17 stepping 1",
            "implementer 0x41 part 0xd4a",
            "implementer 0x43 part 0x0af",
            "",
        ] {
            assert!(!alone(other), "{other}");
        }
    }

    #[test]
    fn the_kernel_knows_outside_of_virtual_machines_only() {
        let single = |number| Core { number, siblings: vec![number], ..Core::default() };
        let bare = Host {
            architecture: "x86_64".to_owned(),
            cores: vec![single(0), single(1)],
            ..Host::default()
        };
        assert_eq!(PriorKnowledge::of(&bare).alone, Some(Reason::SingleThread));
        let virtual_machine = Host { hypervisor: Some("KVM".to_owned()), ..bare.clone() };
        assert_eq!(PriorKnowledge::of(&virtual_machine).alone, None);
        let mut two = bare;
        two.cores[1].siblings.push(0);
        assert_eq!(PriorKnowledge::of(&two).alone, None);
    }

    #[test]
    fn models_are_known_whatever_their_stepping() {
        let divided = |id| PriorKnowledge::of(&host(id)).divided_window;
        assert_eq!(divided("AuthenticAMD family 25 model 17 stepping 1"), Some(201));
        assert_eq!(divided("AuthenticAMD family 25 model 17 stepping 9"), Some(201));
        assert_eq!(divided("AuthenticAMD family 25 model 1 stepping 1"), None);
    }
}
