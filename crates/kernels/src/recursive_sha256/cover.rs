//! Chooses the groups that process a number of lanes in the least time.

use super::{Backend, Form};
use crate::Backend as _;
use crate::cpu::Family;
use std::sync::OnceLock;

/// Holds the forms that together process a number of lanes in the least time. Choosing
/// them takes microseconds and an allocation, so keep a cover for repeated calls.
///
/// The choice depends on the time of one iteration of each group. Measured on Zen 5 in
/// core cycles: 132, 171, 232, 278 with 1 to 4 lanes in `shani`, 559 with 16 and 855
/// with 32 in `avx512`. For other CPUs the times are estimates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover(
    /// Says how often each form is used, one after the other.
    Vec<(Form, usize)>,
);

impl Cover {
    /// Returns the cover of `lanes` lanes (0 counts as 1) that is best on this CPU.
    pub fn new(lanes: usize) -> Self {
        Self::from(&Form::all(), lanes)
    }

    /// Does the same as [`new`](Self::new) with the forms of one backend.
    pub fn of(backend: Backend, lanes: usize) -> Self {
        Self::from(&Form::of(backend).collect::<Vec<_>>(), lanes)
    }

    /// Returns its forms, widest first, each for one group; there is at least one. They
    /// have at least as many lanes as the cover was made for: some lanes of the last may
    /// be idle, where a wide group is faster than several narrow ones.
    pub fn forms(&self) -> impl Iterator<Item = Form> + Clone {
        self.0.iter().flat_map(|&(form, groups)| std::iter::repeat_n(form, groups))
    }

    /// Replaces each lane by its own SHA-256 hash (FIPS 180-4), `count` times. It is
    /// correct for any number of lanes, and fastest for the number it was made for.
    pub fn iterate(&self, mut lanes: &mut [[u8; 32]], count: u64) {
        for form in self.forms().cycle() {
            if lanes.is_empty() {
                return;
            }
            let (group, rest) = lanes.split_at_mut(form.lanes().min(lanes.len()));
            form.iterate(group, count);
            lanes = rest;
        }
    }

    fn from(forms: &[Form], lanes: usize) -> Self {
        Self(cheapest_cover(costs_of_this_cpu(), forms, lanes.max(1)))
    }
}

fn cheapest_cover(costs: Costs, forms: &[Form], lanes: usize) -> Vec<(Form, usize)> {
    let cost = |form: &Form| cost(costs, *form);
    let by_lane =
        |a: &&Form, b: &&Form| (cost(a) * b.lanes() as u64).cmp(&(cost(b) * a.lanes() as u64));
    let Some(&bulk) = forms.iter().min_by(by_lane) else { return Vec::new() };

    // Lanes beyond a few groups all use the form that is cheapest per lane.
    let widest = forms.iter().map(|form| form.lanes()).max().unwrap_or(1);
    let bulk_groups = (lanes / bulk.lanes()).saturating_sub(2 * widest / bulk.lanes());
    let rest = lanes - bulk_groups * bulk.lanes();

    // Each entry has the lowest cost of n lanes, the number of groups it takes, and the
    // last of these groups.
    let mut ways: Vec<((u64, u64), Option<Form>)> = vec![((0, 0), None)];
    for n in 1..=rest {
        let way = forms
            .iter()
            .map(|form| {
                let (so_far, groups) = ways[n.saturating_sub(form.lanes())].0;
                ((so_far + cost(form), groups + 1), Some(*form))
            })
            .min_by_key(|(cost, _)| *cost);
        ways.extend(way);
    }

    let mut cover = vec![(bulk, bulk_groups)];
    let mut left = rest;
    while let Some((_, Some(form))) = ways.get(left) {
        cover.push((*form, 1));
        left = left.saturating_sub(form.lanes());
    }
    cover.sort_by_key(|(form, _)| std::cmp::Reverse(form.lanes()));
    cover
}

/// Core cycles of one iteration of a group, by backend and width.
type Costs = &'static [(&'static str, usize, u64)];

/// Measured on Zen 5, not on Zen 4, which splits vectors of 512 bits: there `avx512`
/// takes about twice as long, which is still less than `shani` with many lanes.
const ZEN: Costs = &[
    ("portable", 1, 800),
    ("shani", 1, 132),
    ("shani", 2, 171),
    ("shani", 3, 232),
    ("shani", 4, 278),
    ("avx2", 8, 960),
    ("avx512", 16, 559),
    ("avx512", 32, 855),
];

/// Computed, not measured: 1539 operations of a group on two vector ports. With `shani`
/// two rounds start every second cycle, as on Zen.
const INTEL: Costs = &[
    ("portable", 1, 800),
    ("shani", 1, 132),
    ("shani", 2, 171),
    ("shani", 3, 232),
    ("shani", 4, 278),
    ("avx2", 8, 1200),
    ("avx512", 16, 900),
    ("avx512", 32, 1700),
];

/// Computed, not measured: `sha256h` and `sha256h2` start every cycle and take four.
const ARM: Costs = &[
    ("portable", 1, 800),
    ("armv8-sha2", 1, 90),
    ("armv8-sha2", 2, 130),
    ("armv8-sha2", 3, 190),
    ("armv8-sha2", 4, 250),
];

fn costs_of_this_cpu() -> Costs {
    // The table is cached, because a hypervisor traps `cpuid`, which takes microseconds.
    static COSTS: OnceLock<Costs> = OnceLock::new();
    COSTS.get_or_init(|| match (cfg!(target_arch = "aarch64"), Family::detect()) {
        (true, _) => ARM,
        (false, Family::Intel | Family::GoldenCove) => INTEL,
        (false, _) => ZEN,
    })
}

/// Returns the cost of a form. One that is in no table is used only if there is no
/// other.
fn cost(costs: Costs, form: Form) -> u64 {
    let is_form =
        |entry: &&(&str, usize, u64)| entry.0 == form.backend().name() && entry.1 == form.lanes();
    costs.iter().find(is_form).map_or(u64::from(u32::MAX), |entry| entry.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_a_cost() {
        let tables = if cfg!(target_arch = "aarch64") { &[ARM][..] } else { &[ZEN, INTEL] };
        for costs in tables {
            for form in Form::all() {
                assert!(cost(costs, form) < 10_000, "{form:?}");
            }
        }
    }

    /// Compares with every way to choose up to six groups.
    #[test]
    fn no_cover_is_cheaper() {
        fn cheapest(costs: Costs, forms: &[Form], lanes: usize, groups: u32) -> Option<u64> {
            if lanes == 0 {
                return Some(0);
            }
            if groups == 0 {
                return None;
            }
            forms
                .iter()
                .filter_map(|form| {
                    let rest = lanes.saturating_sub(form.lanes());
                    Some(cheapest(costs, forms, rest, groups - 1)? + cost(costs, *form))
                })
                .min()
        }
        let forms = Form::all();
        for costs in [ZEN, INTEL, ARM] {
            for lanes in 0..=20 {
                let cover = cheapest_cover(costs, &forms, lanes);
                let total: u64 = Cover(cover.clone()).forms().map(|form| cost(costs, form)).sum();
                if let Some(least) = cheapest(costs, &forms, lanes, 6) {
                    assert!(total <= least, "{lanes} lanes: {cover:?} takes {total}, not {least}");
                }
            }
        }
    }

    #[test]
    fn covers_are_complete_and_no_group_idles() {
        for lanes in (1..=200).chain([1000, 4097]) {
            let cover: Vec<Form> = Cover::new(lanes).forms().collect();
            let places: usize = cover.iter().map(|form| form.lanes()).sum();
            assert!(places >= lanes);
            if let Some(last) = cover.last() {
                assert!(places - last.lanes() < lanes, "{lanes}: {cover:?}");
            }
            assert!(cover.is_sorted_by_key(|form| std::cmp::Reverse(form.lanes())));
        }
        assert_eq!(Cover::new(0), Cover::new(1));
        let many = Cover::new(usize::MAX);
        assert!(many.0.len() < 100 && many.forms().next().is_some(), "{many:?}");
    }
}
