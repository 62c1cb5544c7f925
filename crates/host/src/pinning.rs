//! Chooses CPUs to measure on, and pins threads to them.

use cpb_model::{Core, Host};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The reason why a process cannot be pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The CPU is not allowed.
    #[error("CPU {cpu} is not one this process may run on (allowed: {allowed})")]
    NotAllowed {
        /// The requested CPU.
        cpu: usize,
        /// The allowed CPUs, as a list of ranges.
        allowed: String,
    },
    /// The kernel refused.
    #[error("cannot pin to CPU {cpu}: {reason}")]
    Refused {
        /// The requested CPU.
        cpu: usize,
        /// The kernel's message.
        reason: String,
    },
}

/// Pins this process's main thread to `cpu`.
///
/// # Errors
/// [`PinError`], if the CPU is not allowed, or the kernel refuses.
pub fn pin_to(cpu: usize) -> Result<(), PinError> {
    let allowed = allowed_cpus();
    if cpu >= CpuSet::MAX_CPU || !allowed.is_empty() && !allowed.contains(&cpu) {
        return Err(PinError::NotAllowed { cpu, allowed: ranges(&allowed) });
    }
    move_to(cpu)
}

/// Pins this process's main thread to `cpu`, one of those allowed before it was first pinned.
///
/// # Errors
/// [`PinError::Refused`], if the kernel refuses.
pub fn move_to(cpu: usize) -> Result<(), PinError> {
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set)
        .map_err(|reason| PinError::Refused { cpu, reason: reason.to_string() })
}

/// Tests whether this process can be pinned to `cpu`, without leaving it pinned.
///
/// # Errors
/// [`PinError`], as [`pin_to`].
pub fn try_pin_to(cpu: usize) -> Result<(), PinError> {
    let before = sched_getaffinity(None);
    let pinned = pin_to(cpu);
    if let Ok(before) = before {
        // What was allowed still is; if not, it does not matter where this thread runs, since
        // others are measured.
        let _ = sched_setaffinity(None, &before);
    }
    pinned
}

/// Returns the CPUs that this process may use; empty if the kernel does not say.
pub fn allowed_cpus() -> Vec<usize> {
    sched_getaffinity(None)
        .map(|set| (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
        .unwrap_or_default()
}

/// Returns the CPUs to measure on: the most capable of the allowed ones (the large cores of a mixed
/// CPU), last ones first, since interrupts tend to go to the first. Empty if the allowed CPUs are
/// unknown.
pub fn choose_cpus(host: &Host) -> Vec<usize> {
    let ability = |core: &Core| (core.capacity, core.maximum_kilohertz);
    let most = host.cores.iter().map(ability).max();
    let able = host.cores.iter().filter(|core| Some(ability(core)) == most);
    let mut cpus: Vec<usize> = able.map(|core| core.number).collect();
    cpus.sort_unstable_by(|a, b| b.cmp(a));
    cpus
}

/// Formats `0-3,5` for 0, 1, 2, 3, 5.
pub(crate) fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let texts = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    });
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(number: usize, capacity: Option<u64>, maximum_kilohertz: Option<u64>) -> Core {
        Core { number, capacity, maximum_kilohertz, ..Core::default() }
    }

    #[test]
    fn the_large_cores_are_chosen_the_last_first() {
        let mut host = Host::default();
        assert!(choose_cpus(&host).is_empty());
        host.cores = vec![core(0, None, None), core(1, None, None)];
        assert_eq!(choose_cpus(&host), [1, 0]);
        host.cores =
            vec![core(0, Some(1024), None), core(1, Some(1024), None), core(2, Some(400), None)];
        assert_eq!(choose_cpus(&host), [1, 0]);
        host.cores = vec![core(0, None, Some(5_000_000)), core(1, None, Some(3_900_000))];
        assert_eq!(choose_cpus(&host), [0]);
    }

    #[test]
    fn neighbours_become_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[0, 1, 2, 3, 5, 7, 8]), "0-3,5,7-8");
    }
}
