//! Tests lists in parts, and whether changes are noticed.

use crate::keeping::made;
use crate::sample::run;
use cpb_model::Run;
use cpb_store::{Among, RunEntry, StoreLocation};

fn on(number: u32, cpu: &str, primitive: &str) -> Run {
    let mut run = run(number);
    run.host.cpu = Some(cpu.to_owned());
    run.records[0].subject.primitive = primitive.to_owned();
    run.records[0].workload.primitive = primitive.to_owned();
    run
}

fn numbers(runs: &[RunEntry]) -> Vec<i64> {
    runs.iter().map(|run| run.number).collect()
}

pub(crate) fn a_mark_is_another_after_every_change(place: &StoreLocation) {
    let mut store = made(place);
    let empty = store.mark().unwrap();
    assert_eq!((empty.runs, empty.newest), (0, 0));
    let mut marks = vec![empty];
    let [a, b, c] = [1, 2, 3].map(|number| {
        let saved = store.save(&run(number)).unwrap();
        marks.push(store.mark().unwrap());
        saved
    });
    store.label(a, "base", false).unwrap();
    marks.push(store.mark().unwrap());
    store.label(b, "base", true).unwrap();
    marks.push(store.mark().unwrap());
    store.unlabel(b).unwrap();
    assert_eq!(store.mark().unwrap(), marks[3], "it holds the same again");
    store.delete(&[b]).unwrap();
    marks.push(store.mark().unwrap());
    store.delete(&[c]).unwrap();
    assert_eq!(store.mark().unwrap(), marks[1], "and again");
    store.save(&run(4)).unwrap();
    marks.push(store.mark().unwrap());
    for (place, mark) in marks.iter().enumerate() {
        assert!(!marks[..place].contains(mark), "{place}: {marks:?}");
    }
}

pub(crate) fn lists_come_in_parts_and_by_what_is_asked(place: &StoreLocation) {
    let mut store = made(place);
    let runs = [on(2, "A 100 %", "x"), on(1, "B_2", "x"), on(3, "A 100 %", "y")];
    let all = runs.map(|run| store.save(&run).unwrap());
    store.label(all[1], "Base", false).unwrap();
    let everything = Among::default();
    let listed =
        |among: &Among, skipped, limit| numbers(&store.newest_runs(among, skipped, limit).unwrap());
    assert_eq!(listed(&everything, 0, 10), [all[2], all[0], all[1]]);
    assert_eq!(listed(&everything, 1, 1), [all[0]]);
    let machine = store.runs().unwrap()[0].machine_id.clone().unwrap();
    let of_machine = Among { machine: &machine, ..Among::default() };
    assert_eq!(listed(&of_machine, 0, 10), [all[1]]);
    assert_eq!(store.count_runs(&of_machine).unwrap(), 1);
    for (text, found) in [
        ("base", 1),
        ("100 %", 2),
        ("%%", 0),
        ("b_2", 1),
        ("bx2", 0),
        ("run", 3),
        ("\\", 0),
        ("'; DROP TABLE runs; --", 0),
    ] {
        let among = Among { text, ..Among::default() };
        assert_eq!(listed(&among, 0, 10).len(), found, "{text}");
        assert_eq!(store.count_runs(&among).unwrap(), found as i64, "{text}");
    }
}

pub(crate) fn the_last_runs_of_a_primitive_are_found(place: &StoreLocation) {
    let mut store = made(place);
    let runs = [on(2, "A", "x"), on(1, "B", "x"), on(3, "A", "y"), on(4, "A", "x")];
    let all = runs.map(|run| store.save(&run).unwrap());
    let of = |machine: &str, until, limit| {
        numbers(&store.last_runs_of("x", machine, until, limit).unwrap())
    };
    assert_eq!(of("", None, 10), [all[1], all[0], all[3]]);
    assert_eq!(of("", None, 2), [all[0], all[3]]);
    assert_eq!(of("", Some(all[0]), 10), [all[1], all[0]]);
    assert!(of("", Some(99), 10).is_empty());
    let machines = store.machines().unwrap();
    assert_eq!(of(&machines[0].0.id, None, 10), [all[1]]);
    let series = store.series_of("x").unwrap();
    assert!(!series.is_empty() && series.iter().all(|it| it.workload.primitive == "x"));
    let within = store.history_within(&series[0], all[1]..=all[2]).unwrap();
    assert_eq!(within.iter().map(|it| it.run).collect::<Vec<_>>(), [all[1]]);
    let mut since = store.series_since(all[2]).unwrap();
    since.sort_unstable();
    let every = store.series().unwrap();
    let of_run_4 = every.iter().filter(|it| it.workload.primitive != "y").map(|it| it.number);
    let mut of_run_4: Vec<i64> = of_run_4.collect();
    of_run_4.sort_unstable();
    assert_eq!(since, of_run_4);
}
