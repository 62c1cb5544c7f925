//! Checks the known answers in `vectors/recursive/sha256.csv`.

use cpb_kernels::recursive_sha256::{Form, iterate};

use super::records::array;
use crate::limits::lanes::{on_every_form, portable};

/// Holds the value of a lane after some iterations.
struct Segment {
    start: [u8; 32],
    iterations: u64,
    end: [u8; 32],
}

fn segments() -> Vec<Segment> {
    let values: Vec<(u64, usize, [u8; 32])> =
        include_str!("../../../../../vectors/recursive/sha256.csv")
            .lines()
            .skip(1)
            .map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                let [iterations, lane, value] = fields[..] else { panic!("three fields: {line}") };
                (iterations.parse().unwrap(), lane.parse().unwrap(), array(value))
            })
            .collect();
    let start = |lane| values.iter().find(|value| (value.0, value.1) == (0, lane)).unwrap().2;
    let after = values.iter().filter(|value| value.0 != 0);
    after.map(|&(iterations, lane, end)| Segment { start: start(lane), iterations, end }).collect()
}

/// Returns the values at `iterations`, by start.
fn at(segments: &[Segment], iterations: u64) -> (Vec<[u8; 32]>, Vec<[u8; 32]>) {
    let found = segments.iter().filter(|segment| segment.iterations == iterations);
    let (starts, ends): (Vec<_>, Vec<_>) = found.map(|s| (s.start, s.end)).unzip();
    assert_eq!(starts.len(), 4, "{iterations}");
    (starts, ends)
}

/// Checks the file's iteration counts up to `most`, each starting from the one
/// before.
fn check(form: Form, most: u64) {
    let segments = segments();
    let mut counts: Vec<u64> = segments.iter().map(|segment| segment.iterations).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut done = 0;
    let mut lanes: Vec<[u8; 32]> =
        at(&segments, 1).0.into_iter().cycle().take(form.lanes().max(4)).collect();
    for count in counts.into_iter().filter(|count| *count <= most) {
        form.iterate(&mut lanes, count - done);
        done = count;
        let ends = at(&segments, count).1;
        for (l, lane) in lanes.iter().enumerate() {
            assert_eq!(*lane, ends[l % 4], "{form:?}, lane {l}, {count} iterations");
        }
        println!("recursive_sha256 known: {form:?} agrees at {count} iterations");
    }
    assert!(done > 0);
}

#[test]
fn no_iteration_changes_nothing_and_one_is_known() {
    on_every_form("recursive_sha256 one iteration", |form| {
        let mut lanes: Vec<[u8; 32]> = at(&segments(), 1).0;
        let before = lanes.clone();
        form.iterate(&mut lanes, 0);
        assert_eq!(lanes, before);
        check(form, 1);
    });
}

#[test]
fn ten_million_iterations() {
    let (mut lanes, ends) = at(&segments(), 10_000_000);
    let portable_is_all = Form::all() == [portable()];
    if portable_is_all || cfg!(not(target_arch = "x86_64")) {
        println!("recursive_sha256 ten million: skipped, too slow here; all_vectors runs it");
        return;
    }
    iterate(&mut lanes, 10_000_000);
    assert_eq!(lanes, ends);
}

/// Goes up to 500 million iterations, with portable code up to 10 million.
#[test]
#[ignore = "takes ten minutes of two cores: run with --release -- --ignored --nocapture"]
fn all_vectors() {
    let mut forms = Vec::new();
    on_every_form("recursive_sha256 all vectors", |form| forms.push(form));
    std::thread::scope(|scope| {
        for form in forms {
            let most = if form == portable() { 10_000_000 } else { 500_000_000 };
            scope.spawn(move || check(form, most));
        }
    });
}
