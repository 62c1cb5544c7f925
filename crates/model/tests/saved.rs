//! Tests that runs saved by earlier versions are read without loss.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what helpers of tests may do as tests")]

use cpb_model::{FromOutside, Run};
use serde_json::Value;
use std::path::Path;

/// Returns every saved run, with its file name: each file has the form of the last version
/// before a change.
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

/// Checks that `after` has everything in `before`; it may have more.
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

/// Removes from `run` the rows that had their own form before version 4, and returns them.
fn earlier(run: &mut Value, name: &str) -> Vec<Value> {
    let rows = run.as_object_mut().unwrap().remove(name);
    rows.map(|rows| rows.as_array().unwrap().clone()).unwrap_or_default()
}

/// Returns `value` without the fields that are elsewhere in a record.
fn without(value: &Value, names: &[&str]) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().retain(|name, _| !names.contains(&name.as_str()));
    value
}

/// Checks that `record` has the cost of a call, or none if it was unknown.
fn costs(record: &Value, cycles: Option<&Value>) {
    let points = record["points"].as_array().unwrap();
    assert_eq!(points.first().map(|point| &point["cycles_per_call"]), cycles);
}

/// Checks that `record` has everything of a row of `recursive`.
fn is_throughput(row: &Value, record: &Value) -> Result<(), String> {
    let moved = ["subject", "method", "verification", "failure"];
    for name in moved.into_iter().filter(|name| row.get(name).is_some()) {
        keeps(&row[name], &record[name]).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    let count = |value: &Value| value.as_u64().unwrap();
    let (setup, found) = (&record["setup"], &record["concurrent"]);
    for name in ["threads", "lanes"] {
        assert_eq!(setup.get(name).map_or(1, count), count(&row[name]), "{name}");
    }
    for name in
        ["loops", "cpus", "iterations"].into_iter().filter(|it| row[it] != serde_json::json!([]))
    {
        keeps(&row[name], &found[name]).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    assert_eq!(found.get("calls_per_second"), row.get("hashes_per_second"));
    costs(record, row.get("cycles_per_hash"));
    if let Some(point) = record["points"].get(0) {
        assert_eq!(&point["between_rounds"], &row["between_repetitions"]);
    }
    let calls = [&row["iterations"], &row["lanes"], &row["threads"]].map(|it| count(it) as f64);
    let [runs, rounds] = [&row["repetitions"], &found["rounds"]].map(|it| it.as_array().unwrap());
    assert_eq!(runs.len(), rounds.len());
    for (run, round) in runs.iter().zip(rounds) {
        let [seconds, rate] = [&run["seconds"], &round["calls_per_second"]];
        let ratio = seconds.as_f64().unwrap() * rate.as_f64().unwrap();
        assert!((ratio / calls.iter().product::<f64>() - 1.0).abs() < 1e-12, "{run}");
        assert_eq!(round.get("cycles_per_call").unwrap_or(&Value::Null), &run["cycles_per_hash"]);
        let mut rest = without(run, &["seconds", "cycles_per_hash"]);
        rest.as_object_mut().unwrap().retain(|_, value| *value != 0 && !value.is_null());
        keeps(&rest, round)?;
    }
    Ok(())
}

/// Checks that `record` has everything of one size of a row of `scale`.
fn is_crowd(row: &Value, crowd: &Value, record: &Value) -> Result<(), String> {
    for name in ["subject", "contract", "verification"].iter().filter(|it| row.get(it).is_some()) {
        keeps(&row[name], &record[name]).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    let count =
        |value: &Value, name: &str, usual| value.get(name).map_or(usual, |it| it.as_u64().unwrap());
    let setup = record.get("setup").cloned().unwrap_or_else(|| serde_json::json!({}));
    for (name, usual) in [("processes", 1), ("threads", 1), ("others", 0)] {
        assert_eq!(count(&setup, name, usual), count(crowd, name, usual), "{name}");
    }
    assert_eq!(setup.get("shares_keys"), row.get("shares_keys"));
    let has_others = setup.get("others").is_some();
    assert_eq!(setup.get("beside"), row.get("beside").filter(|_| has_others));
    assert_eq!(record["lengths"][0], row["parameters"]["message_bytes"]);
    assert_eq!(record.get("failure"), crowd.get("failure"));
    costs(record, crowd.get("cycles_per_call"));
    let elsewhere = ["processes", "threads", "others", "cycles_per_call", "failure"];
    let mut rest = without(crowd, &elsewhere);
    rest.as_object_mut().unwrap().retain(|name, value| name != "quiet_rounds" || *value != 0);
    keeps(&rest, &record["concurrent"])
}

#[test]
fn every_saved_run_is_read_and_keeps_all_it_has() {
    let saved = saved();
    assert_eq!(saved.len(), 20, "a new shape is a new file and counted here; none goes");
    let mut counts = [0; 2];
    for (name, mut before) in saved {
        let mut newer = before.clone();
        newer["schema"] = (cpb_model::SCHEMA + 1).into();
        let newer: FromOutside<Run> = serde_json::from_value(newer).unwrap();
        assert_ne!(newer.0.schema, cpb_model::SCHEMA, "{name} of a newer version is not of this");
        let run: FromOutside<Run> = serde_json::from_value(before.clone()).unwrap();
        let mut after = serde_json::to_value(run.0).unwrap();
        let (throughput, scaling) =
            (earlier(&mut before, "throughput"), earlier(&mut before, "scaling"));
        if !(throughput.is_empty() && scaling.is_empty()) {
            assert_eq!(after["schema"], cpb_model::SCHEMA, "{name} is of this shape now");
            before["schema"] = after["schema"].clone();
        }
        let records = after["records"].as_array_mut().unwrap();
        let mut others = records.split_off(before["records"].as_array().unwrap().len()).into_iter();
        let mut next = || others.next().unwrap_or_else(|| panic!("{name} lost a row"));
        let wrong = |wrong: String| panic!("{name}: {wrong}");
        for row in &throughput {
            is_throughput(row, &next()).unwrap_or_else(wrong);
            counts[0] += 1;
        }
        for row in &scaling {
            if row.get("failure").is_some() {
                let record = next();
                assert_eq!(
                    (&record["failure"], &record["subject"]),
                    (&row["failure"], &row["subject"])
                );
            }
            for crowd in row["crowds"].as_array().unwrap() {
                is_crowd(row, crowd, &next()).unwrap_or_else(wrong);
                counts[1] += 1;
            }
        }
        assert_eq!(others.next(), None, "{name}");
        keeps(&before, &after).unwrap_or_else(wrong);
    }
    assert!(counts.iter().all(|&count| count > 3), "{counts:?}");
}
