//! Tests how recursive SHA-256 splits lanes over forms.

use cpb_kernels::Backend as _;
use cpb_kernels::recursive_sha256::{Backend, Cover, Form, iterate};

use crate::on_every_backend;

const MOST: usize = 70;
const COUNT: u64 = 5;

fn expected(lanes: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let mut expected = lanes.to_vec();
    portable().iterate(&mut expected, COUNT);
    expected
}

#[test]
fn any_number_of_lanes_is_split() {
    for count in 0..=MOST {
        let mut lanes = distinct_lanes(count);
        let expected = expected(&lanes);
        iterate(&mut lanes, COUNT);
        assert_eq!(lanes, expected, "{count} lanes, {:?}", Cover::new(count));
    }
}

#[test]
fn a_cover_takes_fewer_and_more_lanes_than_it_was_made_for() {
    let backends = Backend::available();
    for made_for in [0, 1, 3, 7, 21, 33] {
        let of_each = backends.iter().map(|&backend| Cover::of(backend, made_for));
        for cover in of_each.chain([Cover::new(made_for)]) {
            for count in [0, 1, 2, 5, 20, 34, 70] {
                let mut lanes = distinct_lanes(count);
                let expected = expected(&lanes);
                cover.iterate(&mut lanes, COUNT);
                assert_eq!(lanes, expected, "{cover:?} with {count} lanes");
            }
        }
    }
}

#[test]
fn a_form_has_a_width_of_its_backend() {
    for form in Form::all() {
        assert_eq!(Form::new(form.backend(), form.lanes()), Some(form));
        assert_eq!(Form::new(form.backend(), 5), None);
        assert_eq!(Form::new(form.backend(), 0), None);
    }
}

/// Runs a test on every form of every backend this CPU has.
pub fn on_every_form(test: &str, mut run: impl FnMut(Form)) {
    on_every_backend(test, |backend: Backend| {
        backend.widths().iter().for_each(|width| run(Form::new(backend, *width).unwrap()));
    });
}

pub fn portable() -> Form {
    Form::new(Backend::PORTABLE, 1).unwrap()
}

/// Returns lanes that differ in every byte.
fn distinct_lanes(count: usize) -> Vec<[u8; 32]> {
    (0..count).map(|lane| std::array::from_fn(|i| (lane * 37 + i * 101 + 11) as u8)).collect()
}
