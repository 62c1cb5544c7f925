//! Recursive SHA-256 against RustCrypto's SHA-256, time after time.

use cpb_kernels::Unavailable;
use cpb_kernels::recursive_sha256::{Backend, Form, iterate_with};
use sha2::{Digest, Sha256};

use crate::trial::Trial;

pub fn iterate(backend: &str, trial: &mut Trial) -> Result<(), Unavailable> {
    let backend = Backend::by_name(backend)?;
    let (count, times) = (trial.length(40), trial.number(0..=5));
    let mut input = trial.input(32 * count);
    let mut expected = input.to_vec();
    let lanes = expected.as_chunks_mut::<32>().0;
    for lane in lanes {
        for _ in 0..times {
            *lane = Sha256::digest(*lane).into();
        }
    }
    let mut form_input = trial.placed(&input);
    iterate_with(backend, input.as_chunks_mut().0, times as u64);
    trial.compare(&input, &expected, "the lanes");
    let width = trial.element(backend.widths());
    let form = Form::new(backend, width).unwrap();
    form.iterate(form_input.as_chunks_mut().0, times as u64);
    trial.compare(&form_input, &expected, "the lanes of a form");
    Ok(())
}
