//! Every number of lanes.

use cpb_kernels::recursive_sha256::{Backend, Cover, Form, iterate, iterate_with};

use crate::{distinct_lanes, on_every_form, portable};

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
fn any_number_of_lanes_is_split_over_one_backend() {
    for backend in Backend::available() {
        for count in 0..=MOST {
            let mut lanes = distinct_lanes(count);
            let expected = expected(&lanes);
            iterate_with(backend, &mut lanes, COUNT);
            assert_eq!(lanes, expected, "{} with {count} lanes", backend.name());
        }
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
fn a_form_takes_fewer_and_more_lanes_than_its_width() {
    on_every_form("recursive_sha256 other widths", |form| {
        for count in 0..=2 * form.lanes() + 1 {
            let mut lanes = distinct_lanes(count);
            let expected = expected(&lanes);
            form.iterate(&mut lanes, COUNT);
            assert_eq!(lanes, expected, "{form:?} with {count} lanes");
        }
    });
}

#[test]
fn a_form_has_a_width_of_its_backend() {
    for form in Form::all() {
        assert_eq!(Form::new(form.backend(), form.lanes()), Some(form));
        assert_eq!(Form::new(form.backend(), 5), None);
        assert_eq!(Form::new(form.backend(), 0), None);
    }
}
