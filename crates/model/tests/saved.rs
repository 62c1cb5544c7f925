//! Runs that earlier versions saved are read, and lose nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what helpers of tests may do as tests")]

use cpb_model::{FromOutside, Run};
use serde_json::Value;
use std::path::Path;

/// Every saved run, with the name of its file: what commands wrote of each shape before the
/// next one.
fn saved() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saved");
    let mut all: Vec<(String, Value)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                serde_json::from_str(&text).unwrap(),
            )
        })
        .collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

/// Whether all that `before` has is in `after`, which may have more.
fn keeps(before: &Value, after: &Value) -> Result<(), String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().try_for_each(|(name, value)| {
                let found = after.get(name).ok_or_else(|| format!("{name} is gone"))?;
                keeps(value, found).map_err(|wrong| format!("{name}: {wrong}"))
            })
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).try_for_each(|(before, after)| keeps(before, after))
        }
        _ if before == after => Ok(()),
        _ => Err(format!("{after} was {before}")),
    }
}

#[test]
fn every_saved_run_is_read_and_keeps_all_it_has() {
    let saved = saved();
    assert_eq!(saved.len(), 12, "a new shape is a new file and counted here; none goes");
    for (name, before) in saved {
        let run: FromOutside<Run> = serde_json::from_value(before.clone()).unwrap();
        let after = serde_json::to_value(run.0).unwrap();
        keeps(&before, &after).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    }
}
