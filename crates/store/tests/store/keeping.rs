//! What is saved comes back.

use crate::sample::run;
use cpb_store::{Name, Store, StoreError};
use tempfile::TempDir;

fn store() -> (TempDir, Store) {
    let folder = TempDir::new().expect("a folder of our own");
    let store = Store::open_or_create(&folder.path().join("a/b/runs.sqlite")).expect("it is made");
    (folder, store)
}

#[test]
fn a_run_comes_back_to_the_last_bit() {
    let (_folder, mut store) = store();
    let saved = run(1);
    let number = store.save(&saved).unwrap();
    let loaded = store.load(number).unwrap();
    assert_eq!(loaded, saved);
    assert!(!loaded.records[1].points[0].raw.is_empty());
    assert!(matches!(store.load(99), Err(StoreError::NoRun { number: 99 })));
}

#[test]
fn the_same_run_is_kept_once() {
    let (_folder, mut store) = store();
    let with_id = run(1);
    let mut without_id = run(2);
    without_id.id.clear();
    for run in [with_id, without_id] {
        let number = store.save(&run).unwrap();
        let mut bare = run.clone();
        bare.forget_raw();
        for again in [run, bare] {
            let refused = store.save(&again);
            assert!(matches!(refused, Err(StoreError::Present { number: n }) if n == number));
        }
        assert!(!store.load(number).unwrap().id.is_empty());
    }
    assert_eq!(store.runs().unwrap().len(), 2);
}

#[test]
fn runs_are_found_by_number_label_id_and_age() {
    let (_folder, mut store) = store();
    // The second to be saved is the oldest.
    let numbers: Vec<i64> = [2, 1, 3].map(|n| store.save(&run(n)).unwrap()).to_vec();
    store.label(numbers[0], "base", false).unwrap();
    let find = |text: &str| store.find(Name::parse(text)).unwrap();
    assert_eq!(find("latest"), Some(numbers[2]));
    assert_eq!(find("latest~2"), Some(numbers[1]));
    assert_eq!(find("base"), Some(numbers[0]));
    assert_eq!(find(&run(1).id), Some(numbers[1]));
    assert_eq!(find(&format!("#{}", numbers[1])), Some(numbers[1]));
    for nothing in ["latest~3", "99", "Base", "latest~", "latest~x", "#", "99999999999999999999"] {
        assert_eq!(find(nothing), None, "{nothing}");
    }
}

#[test]
fn a_label_is_one_run_s() {
    let (_folder, mut store) = store();
    let (a, b) = (store.save(&run(1)).unwrap(), store.save(&run(2)).unwrap());
    store.label(a, "base", false).unwrap();
    store.label(a, "base", false).unwrap();
    let taken = store.label(b, "base", false);
    assert!(matches!(taken, Err(StoreError::LabelTaken { number, .. }) if number == a));
    store.label(b, "base", true).unwrap();
    let labels = |store: &Store| -> Vec<Option<String>> {
        store.runs().unwrap().into_iter().map(|run| run.label).collect()
    };
    assert_eq!(labels(&store), [None, Some("base".to_owned())]);
    store.unlabel(b).unwrap();
    assert_eq!(labels(&store), [None, None]);
    // A label that moves from a run to one that is not there stays.
    store.label(a, "base", false).unwrap();
    assert!(matches!(store.label(99, "base", true), Err(StoreError::NoRun { .. })));
    assert_eq!(labels(&store), [Some("base".to_owned()), None]);
    assert!(matches!(store.label(a, "17", false), Err(StoreError::WrongLabel { .. })));
    assert!(matches!(store.unlabel(99), Err(StoreError::NoRun { .. })));
}

#[test]
fn a_history_has_the_figures_of_every_run() {
    let (_folder, mut store) = store();
    for number in [1, 2, 3] {
        store.save(&run(number)).unwrap();
    }
    let series = store.series().unwrap();
    let described: Vec<(&str, &str, &str)> = series
        .iter()
        .map(|s| (s.primitive.as_str(), s.workload.as_str(), s.unit.as_str()))
        .collect();
    assert_eq!(described, [("sha256", "1024 to 16384 B", "c/B"), ("sha3-256", "4096 B", "c/B")]);
    let lines = store.history(&series[0]).unwrap();
    let estimates: Vec<f64> = lines.iter().map(|reading| reading.figure.estimate).collect();
    assert_eq!(estimates, [1, 2, 3].map(|n| 2.0 * (1.0 + f64::from(n) / 100.0)));
    assert_eq!(lines[0].library_version, "3.0.2");
    assert!(lines.iter().all(|r| r.figure.interval.is_some_and(|it| it.low < it.high)));
    let trials = store.history(&series[1]).unwrap();
    assert_eq!((trials.len(), trials[0].figure.interval), (3, None));
    let point = &run(1).records[1].points[1];
    assert_eq!(trials[0].figure.estimate, point.cycles_per_call.estimate / 4096.0);
    let entries = store.runs().unwrap();
    assert_eq!((entries[0].records, entries[0].failures), (3, 1));
    assert_eq!(entries[0].command, ["/a/cpb", "run"]);
}

#[test]
fn deleted_runs_leave_nothing_and_their_numbers_never_come_back() {
    let (folder, mut store) = store();
    let numbers: Vec<i64> = (0..40).map(|n| store.save(&run(n)).unwrap()).collect();
    let kept = numbers[0];
    let mut some_and_one_too_many = numbers[1..].to_vec();
    some_and_one_too_many.push(99);
    assert!(matches!(store.delete(&some_and_one_too_many), Err(StoreError::NoRun { number: 99 })));
    assert_eq!(store.runs().unwrap().len(), 40);
    store.delete(&numbers[1..]).unwrap();
    assert_eq!(store.load(kept).unwrap(), run(0));
    assert_eq!(store.save(&run(100)).unwrap(), numbers[39] + 1);
    store.delete(&[kept, numbers[39] + 1]).unwrap();
    assert_eq!((store.runs().unwrap().len(), store.series().unwrap().len()), (0, 0));
    drop(store);
    let file = folder.path().join("a/b/runs.sqlite");
    assert!(file.metadata().unwrap().len() < 100_000, "the space is given back");
}

#[test]
fn several_writers_lose_nothing() {
    const WRITERS: u32 = 4;
    const RUNS: u32 = 8;
    let folder = TempDir::new().expect("a folder of our own");
    // They all make the file, too.
    let path = folder.path().join("runs.sqlite");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = &path;
            scope.spawn(move || {
                for number in 0..RUNS {
                    let mut store = Store::open_or_create(path).unwrap();
                    store.save(&run(writer * RUNS + number)).unwrap();
                }
            });
        }
    });
    let store = Store::open(&path).unwrap();
    let mut ids: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    ids.sort();
    let wanted: Vec<String> = (0..WRITERS * RUNS).map(|number| run(number).id).collect();
    assert_eq!(ids, wanted);
}
