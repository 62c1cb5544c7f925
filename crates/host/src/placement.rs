//! Assigns threads to CPUs.

use cpb_model::{Core, Host};
use std::cmp::Reverse;

/// Returns a CPU for each of `threads`: the most capable cores first, and further hardware threads
/// of a core only once every core has one. Repeats if there are more threads than CPUs; empty if
/// the allowed CPUs are unknown.
pub fn spread(host: &Host, threads: usize) -> Vec<usize> {
    around(&in_order(host), threads)
}

/// Works like [`spread`], with all hardware threads of a core before the next core.
pub fn pack(host: &Host, threads: usize) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for first in in_order(host) {
        let core = host.cores.iter().find(|core| core.number == first);
        let siblings = core.map(|core| core.siblings.as_slice()).unwrap_or_default();
        let is_allowed = |number: &usize| host.cores.iter().any(|core| core.number == *number);
        for number in [first].into_iter().chain(siblings.iter().copied().filter(is_allowed)) {
            if !order.contains(&number) {
                order.push(number);
            }
        }
    }
    around(&order, threads)
}

/// Whether two of `cpus` are known to be hardware threads of one core.
pub fn share_cores(host: &Host, cpus: &[usize]) -> bool {
    let siblings = |cpu: usize| host.cores.iter().find(|core| core.number == cpu);
    cpus.iter().filter_map(|&cpu| siblings(cpu)).any(|core| {
        core.siblings.iter().any(|number| *number != core.number && cpus.contains(number))
    })
}

fn around(order: &[usize], threads: usize) -> Vec<usize> {
    order.iter().copied().cycle().take(if order.is_empty() { 0 } else { threads }).collect()
}

/// Returns how many threads can have a core of their own, as far as known.
pub fn cores(host: &Host) -> usize {
    host.cores.iter().filter(|core| is_first(host, core)).count()
}

fn in_order(host: &Host) -> Vec<usize> {
    let mut cores: Vec<&Core> = host.cores.iter().collect();
    cores.sort_by_key(|core| {
        let ability = (core.capacity, core.maximum_kilohertz, core.number);
        (!is_first(host, core), Reverse(ability))
    });
    cores.into_iter().map(|core| core.number).collect()
}

/// Whether `core` is the last allowed hardware thread of its physical core, which
/// [`crate::choose_cpus`] takes.
fn is_first(host: &Host, core: &Core) -> bool {
    let allowed = |number: &usize| host.cores.iter().any(|other| other.number == *number);
    core.siblings.iter().filter(|number| allowed(number)).all(|&number| number <= core.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(number: usize, siblings: &[usize], capacity: Option<u64>) -> Core {
        Core { number, siblings: siblings.to_vec(), capacity, ..Core::default() }
    }

    #[test]
    fn cores_come_before_their_other_hardware_threads() {
        let pairs = [(0, [0, 2]), (1, [1, 3]), (2, [0, 2]), (3, [1, 3])];
        let cores = pairs.iter().map(|(number, both)| core(*number, both, None)).collect();
        let host = Host { cores, ..Host::default() };
        assert_eq!(spread(&host, 6), [3, 2, 1, 0, 3, 2]);
        assert_eq!(pack(&host, 5), [3, 1, 2, 0, 3]);
        assert!(!share_cores(&host, &[3, 2, 3]) && share_cores(&host, &[3, 2, 1]));
        assert_eq!(super::cores(&host), 2);
        assert_eq!(spread(&host, 1).first().copied(), crate::choose_cpus(&host).first().copied());
    }

    #[test]
    fn large_cores_come_first_and_unknown_ones_are_left_to_the_kernel() {
        let cores = vec![core(0, &[], Some(1024)), core(1, &[], Some(400))];
        assert_eq!(spread(&Host { cores, ..Host::default() }, 3), [0, 1, 0]);
        assert_eq!(spread(&Host::default(), 3), [0; 0]);
    }
}
