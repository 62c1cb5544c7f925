//! Files of older versions become new ones, and lose nothing.

use cpb_store::{Machine, Place, Store};
use std::io::Read;
use tempfile::TempDir;

/// Written by cpb before machines were told apart: two runs of one machine.
const VERSION_1: &[u8] = include_bytes!("files/version-1.sqlite");
/// Written by cpb while series were told apart by names and paths of libraries: runs of every kind, on two
/// machines, two of them of a library by its path.
const VERSION_3: &[u8] = include_bytes!("files/version-3.sqlite.gz");

#[test]
fn runs_of_version_1_get_their_machine() {
    let folder = TempDir::new().unwrap();
    let place = Place::File(folder.path().join("runs.sqlite"));
    std::fs::write(folder.path().join("runs.sqlite"), VERSION_1).unwrap();
    for _ in 0..2 {
        let store = Store::open(&place).unwrap();
        let runs = store.runs().unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].label.as_deref(), Some("old"));
        let host = store.load(runs[0].number).unwrap().host;
        let machine = Machine::of(&host);
        assert!(runs.iter().all(|run| run.machine_id.as_ref() == Some(&machine.id)));
        let machines = store.machines().unwrap();
        assert_eq!(machines.len(), 1);
        let (known, states) = &machines[0];
        assert_eq!((known, states.len()), (&machine, 1));
        assert_eq!((states[0].kernel.as_ref(), states[0].runs), (host.kernel.as_ref(), 2));
        assert_eq!((states[0].first, states[0].last), (runs[0].started, runs[1].started));
        for series in store.series().unwrap() {
            assert_eq!(store.history(&series).unwrap().len(), 2);
        }
    }
}

#[test]
fn a_damaged_run_of_version_1_keeps_no_other_back() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("runs.sqlite");
    std::fs::write(&path, VERSION_1).unwrap();
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute("UPDATE documents SET description = x'00' WHERE run = 1", []).unwrap();
    drop(old);
    let store = Store::open(&Place::File(path)).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!((runs[0].machine_id.is_some(), runs[1].machine_id.is_some()), (false, true));
    assert_eq!(store.machines().unwrap()[0].1[0].runs, 1);
}

#[test]
fn all_of_version_3_is_there() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("runs.sqlite");
    let mut file = Vec::new();
    flate2::read::GzDecoder::new(VERSION_3).read_to_end(&mut file).unwrap();
    std::fs::write(&path, file).unwrap();
    let store = Store::open(&Place::File(path)).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!((runs.len(), store.machines().unwrap().len()), (15, 2));
    for run in &runs {
        store.load(run.number).unwrap();
    }
    let series = store.series().unwrap();
    let readings: usize = series.iter().map(|it| store.history(it).unwrap().len()).sum();
    assert_eq!((series.len(), readings), (38, 46));
}
