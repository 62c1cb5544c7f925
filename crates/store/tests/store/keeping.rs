//! Tests that saved runs are loaded unchanged.

use crate::sample::run;
use cpb_model::Run;
use cpb_store::{Name, Store, StoreError, StoreLocation};

pub(crate) fn made(place: &StoreLocation) -> Store {
    Store::open_or_create(place).expect("it is made")
}

pub(crate) fn a_run_comes_back_to_the_last_bit(place: &StoreLocation) {
    let mut store = made(place);
    let saved = run(1);
    let number = store.save(&saved).unwrap();
    let loaded = store.load(number).unwrap();
    assert_eq!(loaded, saved);
    assert!(!loaded.records[1].points[0].raw.is_empty());
    assert!(matches!(store.load(99), Err(StoreError::NoRun { number: 99 })));
}

pub(crate) fn the_same_run_is_kept_once(place: &StoreLocation) {
    let mut store = made(place);
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

pub(crate) fn runs_are_found_by_number_label_id_and_age(place: &StoreLocation) {
    let mut store = made(place);
    // The second run to be saved is the oldest.
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

pub(crate) fn a_label_is_one_run_s(place: &StoreLocation) {
    let mut store = made(place);
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
    // A label stays if the run to move it to does not exist.
    store.label(a, "base", false).unwrap();
    assert!(matches!(store.label(99, "base", true), Err(StoreError::NoRun { .. })));
    assert_eq!(labels(&store), [Some("base".to_owned()), None]);
    assert!(matches!(store.label(a, "17", false), Err(StoreError::WrongLabel { .. })));
    assert!(matches!(store.unlabel(99), Err(StoreError::NoRun { .. })));
}

pub(crate) fn a_history_has_the_figures_of_every_run(place: &StoreLocation) {
    let mut store = made(place);
    for number in [1, 2, 3] {
        store.save(&run(number)).unwrap();
    }
    let series = store.series().unwrap();
    let described: Vec<(String, &str, &str)> = series
        .iter()
        .map(|s| (s.workload.to_string(), s.lengths.as_str(), s.unit.as_str()))
        .collect();
    let wanted = [("sha256/hash", "1024 to 16384 B"), ("sha3-256/hash", "4096 B")];
    assert_eq!(described, wanted.map(|(key, lengths)| (key.to_owned(), lengths, "c/B")));
    let lines = store.history(&series[0]).unwrap();
    let estimates: Vec<f64> = lines.iter().map(|reading| reading.figure.estimate).collect();
    assert_eq!(estimates, [1, 2, 3].map(|n| 2.0 * (1.0 + f64::from(n) / 100.0)));
    assert_eq!(lines[0].build.version, "3.0.2");
    assert!(lines.iter().all(|r| r.figure.interval.is_some_and(|it| it.low < it.high)));
    let trials = store.history(&series[1]).unwrap();
    assert_eq!((trials.len(), trials[0].figure.interval), (3, None));
    let point = &run(1).records[1].points[1];
    assert_eq!(trials[0].figure.estimate, point.cycles_per_call.estimate / 4096.0);
    let entries = store.runs().unwrap();
    let of = |names: &[&str]| store.runs_of(&names.iter().copied().collect()).unwrap();
    assert_eq!(of(&["sha3-256"]), entries);
    assert_eq!(of(&["sha256", "sha3-256"]), entries);
    assert_eq!(of(&["a", "b", "c", "d", "e", "f", "g", "h", "i"]), entries);
    assert_eq!(of(&["nothing"]), []);
    assert_eq!((entries[0].records, entries[0].failures), (3, 1));
    assert_eq!(entries[0].command, ["/a/cpb", "run"]);
}

pub(crate) fn deleted_runs_leave_nothing_and_their_numbers_never_come_back(place: &StoreLocation) {
    let mut store = made(place);
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
    if let StoreLocation::File(file) = place {
        assert!(file.metadata().unwrap().len() < 100_000, "the space is given back");
    }
}

pub(crate) fn several_writers_lose_nothing(place: &StoreLocation) {
    const WRITERS: u32 = 20;
    const RUNS: u32 = 3;
    // All threads also try to create the store.
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for number in 0..RUNS {
                    let mut store = Store::open_or_create(place).unwrap();
                    let run = run(writer * RUNS + number);
                    let saved = store.save(&run).unwrap();
                    assert_eq!(store.load(saved).unwrap(), run);
                    // Two writers may save the same run at once, but it is stored
                    // only once.
                    assert!(matches!(store.save(&run), Err(StoreError::Present { number }) if number == saved));
                }
            });
        }
    });
    let store = Store::open(place).unwrap();
    let mut ids: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    ids.sort();
    let wanted: Vec<String> = (0..WRITERS * RUNS).map(|number| run(number).id).collect();
    assert_eq!(ids, wanted);
    for series in store.series().unwrap() {
        assert_eq!(store.history(&series).unwrap().len(), (WRITERS * RUNS) as usize);
    }
}

/// Texts that would be interpreted if they were not passed as parameters.
const HOSTILE: [&str; 9] = [
    "'; DROP TABLE runs; --",
    "\" OR 1=1; --",
    "$1",
    "?1",
    "x' || (SELECT id FROM runs) || '",
    "\\'; DELETE FROM runs; --",
    "%_\u{1f980}",
    "$$; COMMIT; $$",
    "NUL\0NUL",
];

pub(crate) fn hostile_texts_are_texts(place: &StoreLocation) {
    let mut store = made(place);
    let long = "x'".repeat(200_000);
    let hostile: Vec<&str> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    for (number, text) in (0..).zip(&hostile) {
        let saved = store.save(&hostile_run(number, text)).unwrap();
        // The document has the complete text, even if lists shorten it.
        let whole = hostile_run(number, &cpb_model::harmless(text));
        assert!(store.load(saved).unwrap() == whole, "{text}");
        assert_eq!(store.find(Name::Word(text)).unwrap(), None, "{text}");
        match store.label(saved, text, true) {
            Ok(()) => assert_eq!(store.find(Name::Word(text)).unwrap(), Some(saved)),
            Err(StoreError::WrongLabel { .. }) => {}
            Err(error) => panic!("{text}: {error}"),
        }
    }
    let runs = store.runs().unwrap();
    assert_eq!(runs.len(), hostile.len());
    assert!(runs.iter().any(|run| run.label.as_deref() == Some(HOSTILE[0])));
    let mut found: Vec<String> =
        store.series().unwrap().into_iter().map(|it| it.spelling).collect();
    let mut wanted: Vec<String> =
        hostile.iter().map(|text| cpb_model::harmless(text).into_owned()).collect();
    found.sort();
    wanted.sort();
    found.dedup();
    assert_eq!(found, wanted);
    for series in store.series().unwrap() {
        assert_eq!(store.history(&series).unwrap().len(), 1);
    }
    assert_eq!(store.machines().unwrap().len(), hostile.len());
}

fn hostile_run(number: u32, text: &str) -> Run {
    let mut run = run(number);
    run.version = text.to_owned();
    run.command = vec![text.to_owned()];
    run.host.cpu = Some(text.to_owned());
    run.host.kernel = Some(text.to_owned());
    run.libraries[0].version = text.to_owned();
    for record in &mut run.records {
        record.subject.spelling = text.to_owned();
    }
    run
}

pub(crate) fn machines_are_told_apart_and_their_states_are_not(place: &StoreLocation) {
    let mut store = made(place);
    let on = |number: u32, cpu: &str, kernel: &str, boot: &str| {
        let mut run = run(number);
        run.host.cpu = Some(cpu.to_owned());
        run.host.kernel = Some(kernel.to_owned());
        run.host.boot = Some(boot.to_owned());
        run.host.allowed_cpus = vec![0, 1];
        run
    };
    let runs = [
        on(1, "A", "6.1", "x"),
        on(2, "A", "6.1", "y"),
        on(3, "B", "6.1", "z"),
        on(4, "A", "6.2", "w"),
    ];
    let numbers: Vec<i64> = runs.iter().map(|run| store.save(run).unwrap()).collect();
    let machines = store.machines().unwrap();
    let told: Vec<_> = machines
        .iter()
        .flat_map(|(machine, states)| states.iter().map(move |it| (machine.cpu.as_deref(), it)))
        .map(|(cpu, it)| (cpu.unwrap(), it.kernel.as_deref().unwrap(), it.runs, it.boots, it.cpus))
        .collect();
    assert_eq!(told, [("A", "6.1", 2, 2, 2), ("A", "6.2", 1, 1, 2), ("B", "6.1", 1, 1, 2)]);
    let state = &machines[0].1[0];
    assert_eq!((state.first, state.last), (runs[0].started as i64, runs[1].started as i64));
    let listed = store.runs().unwrap();
    let id = |index: usize| listed[index].machine_id.as_deref();
    assert_eq!((id(0), id(1), id(3)), (Some(machines[0].0.id.as_str()), id(0), id(0)));
    assert_eq!(id(2), Some(machines[1].0.id.as_str()));
    store.delete(&numbers[2..3]).unwrap();
    assert_eq!(store.machines().unwrap().len(), 1);
}
