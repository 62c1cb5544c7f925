//! Tests that files that are foreign, newer or damaged are rejected and not
//! changed.

use crate::sample::run;
use cpb_store::{Store, StoreError, StoreLocation};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder of our own");
    let path = folder.path().join("runs.sqlite");
    (folder, path)
}

pub(crate) fn place(path: &Path) -> StoreLocation {
    StoreLocation::File(path.to_owned())
}

/// Opening must fail, name the store and a remedy, and leave its `contents` as they are.
pub(crate) fn opening_fails<C: PartialEq>(
    place: &StoreLocation,
    name: &str,
    contents: impl Fn() -> C,
) -> StoreError {
    let before = contents();
    let [error, _] = [Store::open, Store::open_or_create].map(|open| {
        let error = open(place).err().expect("it is refused");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("--store"), "{text}");
        assert!(contents() == before, "{text}");
        error
    });
    error
}

fn refused(path: &Path) -> StoreError {
    let contents = || std::fs::read(path).expect("it is there");
    opening_fails(&place(path), path.to_str().expect("UTF-8"), contents)
}

#[test]
fn files_of_other_programs_are_left_alone() {
    let (_folder, path) = folder();
    for content in ["hello", &"long text ".repeat(2000)] {
        std::fs::write(&path, content).unwrap();
        assert!(matches!(refused(&path), StoreError::Foreign { .. }));
    }
    std::fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE notes (text)").unwrap();
    drop(other);
    assert!(matches!(refused(&path), StoreError::Foreign { .. }));
    let other = Connection::open(&path).unwrap();
    other.execute_batch("DROP TABLE notes; PRAGMA application_id = 7").unwrap();
    drop(other);
    assert!(matches!(refused(&path), StoreError::Foreign { .. }));
}

#[test]
fn a_folder_is_no_store_and_an_empty_file_becomes_one() {
    let (folder, path) = folder();
    let error = Store::open(&place(folder.path())).err().unwrap().to_string();
    assert!(error.contains("folder"), "{error}");
    assert!(matches!(Store::open(&place(&path)), Err(StoreError::Missing { .. })));
    assert!(!path.exists());
    std::fs::write(&path, "").unwrap();
    assert_eq!(Store::open_or_create(&place(&path)).unwrap().save(&run(1)).unwrap(), 1);
}

#[test]
fn a_newer_store_is_left_to_a_newer_program() {
    let (_folder, path) = folder();
    Store::open_or_create(&place(&path)).unwrap().save(&run(1)).unwrap();
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    assert!(matches!(refused(&path), StoreError::Newer { schema: 99, known: 5, .. }));
}

#[test]
fn damage_is_told_or_hits_nothing() {
    const RUNS: u32 = 20;
    let (folder, path) = folder();
    let mut store = Store::open_or_create(&place(&path)).unwrap();
    for number in 0..RUNS {
        store.save(&run(number)).unwrap();
    }
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.sqlite");
    let mut told = 0;
    for start in (100..whole.len()).step_by(whole.len() / 40) {
        let mut content = whole.clone();
        let end = (start + 2000).min(content.len());
        content[start..end].fill(0xa5);
        std::fs::write(&damaged, &content).unwrap();
        match read_whole(&damaged) {
            // The damage hit unused bytes.
            Ok(readings) => assert_eq!(readings, 2 * RUNS as usize),
            Err(error) => {
                assert!(is_told(&error), "{error}");
                told += 1;
            }
        }
    }
    assert!(told >= 10, "{told} of 40");
    for length in [whole.len() / 2, 4096, 600] {
        std::fs::write(&damaged, &whole[..length]).unwrap();
        assert!(read_whole(&damaged).is_err_and(|error| is_told(&error)), "cut to {length}");
    }
}

fn is_told(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged { .. } | StoreError::Foreign { .. })
}

/// Reads everything, which must be what was saved; returns the number of readings.
fn read_whole(path: &Path) -> Result<usize, StoreError> {
    let store = Store::open(&place(path))?;
    for (number, entry) in (0..).zip(store.runs()?) {
        assert_eq!(store.load(entry.number)?, run(number));
    }
    let mut readings = 0;
    for series in store.series()? {
        readings += store.history(&series)?.len();
    }
    Ok(readings)
}
