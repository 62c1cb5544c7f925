//! Defines where lanes start, and the values they must reach.

use super::setting::Setting;
use cpb_kernels::Backend as _;
use cpb_kernels::base16;
use cpb_kernels::recursive_sha256::{Backend, Form, iterate_with};
use cpb_model::Verification;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Known values: iterations, lane, value. `vectors/README.md` states their origin.
const VECTORS: &str = include_str!("../../../../vectors/recursive/sha256.csv");
/// The number of different start values; lane i starts at that of lane i mod 4.
const STARTS: usize = 4;
/// The most iterations for which the portable code is the reference.
const PORTABLE_UP_TO: u64 = 100_000;
/// The possible reference backends, the fastest at four lanes first.
const REFERENCES: [&str; 5] = ["shani", "armv8-sha2", "avx512", "avx2", "portable"];
/// The iterations between checks of whether time is over.
const STRIDE: u64 = 1 << 18;

/// Says that a lane's value was wrong after so many iterations.
pub(super) fn wrong_after(iterations: u64) -> String {
    format!("wrong value after {iterations} iterations")
}

/// Returns the start values of `lanes` lanes.
pub fn start_values(lanes: usize) -> Vec<[u8; 32]> {
    vectors(0)
        .map(|starts| starts.iter().copied().cycle().take(lanes).collect())
        .unwrap_or_default()
}

/// The final values of lanes, and their source.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expected {
    /// The values; `None` if there is nothing to compare with.
    values: Option<[[u8; 32]; STARTS]>,
    pub(super) verification: Verification,
}

impl Expected {
    /// Returns the output of `lanes` lanes.
    pub(super) fn output(&self, lanes: usize) -> Option<Vec<u8>> {
        self.values.map(|values| values.iter().cycle().take(lanes).flatten().copied().collect())
    }
}

/// Caches the values computed so far.
#[derive(Default)]
pub(super) struct Expectations {
    references: HashMap<(u64, &'static str), [[u8; 32]; STARTS]>,
}

impl Expectations {
    /// Returns known values, or those of a backend that `setting` does not use; `None` if
    /// time `is_over` before.
    pub(super) fn at(
        &mut self,
        iterations: u64,
        setting: &Setting,
        is_over: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(u64),
    ) -> Option<Expected> {
        if let Some(known) = known(iterations) {
            return Some(known);
        }
        let Some(backend) = reference(iterations, &setting.backends()) else {
            let reason =
                "known at 0 and 1 iterations only, and no other backend is here".to_owned();
            return Some(Expected {
                values: None,
                verification: Verification::Unverified { reason },
            });
        };
        let values = match self.references.entry((iterations, backend.name())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(work_out(backend, iterations, is_over, tell)?),
        };
        let with = format!("native {}", backend.name());
        Some(Expected { values: Some(values), verification: Verification::Reference { with } })
    }
}

/// Returns known values only.
pub(super) fn known(iterations: u64) -> Option<Expected> {
    let values = Some(vectors(iterations)?);
    Some(Expected { values, verification: Verification::KnownAnswer })
}

fn reference(iterations: u64, used: &[&str]) -> Option<Backend> {
    let portable: &[&str] = if iterations <= PORTABLE_UP_TO { &["portable"] } else { &[] };
    let order = portable.iter().chain(&REFERENCES).filter(|name| !used.contains(name));
    order.copied().find_map(|name| Backend::by_name(name).ok())
}

fn work_out(
    backend: Backend,
    iterations: u64,
    is_over: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(u64),
) -> Option<[[u8; 32]; STARTS]> {
    let mut lanes = vectors(0)?;
    // If no loop has four lanes, the next wider one takes them, padded.
    let wider = backend.widths().iter().copied().filter(|&width| width >= STARTS).min();
    let form = wider.and_then(|width| Form::new(backend, width));
    let mut padded = start_values(form.map_or(STARTS, Form::lanes));
    let mut left = iterations;
    while left > 0 {
        if is_over() {
            return None;
        }
        tell(iterations - left);
        let now = left.min(STRIDE);
        match form {
            Some(form) => form.iterate(&mut padded, now),
            None => iterate_with(backend, &mut padded, now),
        }
        left -= now;
    }
    lanes.copy_from_slice(&padded[..STARTS]);
    Some(lanes)
}

fn vectors(iterations: u64) -> Option<[[u8; 32]; STARTS]> {
    let wanted = iterations.to_string();
    let mut values = [None; STARTS];
    for line in VECTORS.lines() {
        let mut fields = line.split(',');
        if fields.next() == Some(&wanted) {
            let lane: usize = fields.next()?.parse().ok()?;
            *values.get_mut(lane)? = base16::decode(fields.next()?).ok()?.try_into().ok();
        }
    }
    match values {
        [Some(a), Some(b), Some(c), Some(d)] => Some([a, b, c, d]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_all_there() {
        for iterations in
            [0, 1, 1_000, 10_000_000, 50_000_000, 100_000_000, 200_000_000, 500_000_000]
        {
            assert!(vectors(iterations).is_some(), "{iterations}");
        }
        assert_eq!(VECTORS.lines().count() % STARTS, 1);
        assert_eq!(vectors(3), None);
    }

    #[test]
    fn references_agree_with_known_values() {
        for backend in Backend::available() {
            let found = work_out(backend, 1_000, &|| false, &mut |_| {});
            assert_eq!(found, vectors(1_000), "{}", backend.name());
        }
        let output = known(1_000).unwrap().output(33).unwrap();
        let (first, last) = (vectors(1_000).unwrap()[0], output.as_chunks::<32>().0[32]);
        assert_eq!((output.len(), first), (33 * 32, last));
    }

    #[test]
    fn a_reference_is_another_backend() {
        let used: Vec<&str> = Backend::NAMES.to_vec();
        assert_eq!(reference(1, &used), None);
        if Backend::available().len() > 1 {
            let other = reference(1_000_000, &["portable"]).unwrap();
            assert_ne!(other.name(), "portable");
            assert_eq!(reference(1_000, &[other.name()]).unwrap().name(), "portable");
        }
    }

    #[test]
    fn working_out_ends_when_told() {
        let portable = Backend::PORTABLE;
        assert_eq!(work_out(portable, u64::MAX, &|| true, &mut |_| {}), None);
    }
}
