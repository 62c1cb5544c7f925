//! Tries recursive SHA-256 against iterated SHA-256 of RustCrypto.

use cpb_kernels::recursive_sha256::{Backend, Form, iterate_with};
use sha2::{Digest, Sha256};

use crate::trial::Trial;

pub fn iterate(backend: Backend, trial: &mut Trial) {
    let count = trial.length(70);
    // Long runs are occasional, because they take long.
    let times = if trial.number(0..=31) == 0 { 500 } else { trial.number(0..=17) };
    let mut input = trial.input(32 * count);
    let mut expected = input.to_vec();
    let lanes = expected.as_chunks_mut::<32>().0;
    for lane in lanes {
        for _ in 0..times {
            *lane = Sha256::digest(*lane).into();
        }
    }
    let start = input.to_vec();
    iterate_with(backend, input.as_chunks_mut().0, times as u64);
    trial.compare(&input, &expected, "the lanes");
    for width in backend.widths() {
        let mut lanes = trial.placed(&start);
        Form::new(backend, *width).unwrap().iterate(lanes.as_chunks_mut().0, times as u64);
        trial.compare(&lanes, &expected, "the lanes of a form");
    }
}
