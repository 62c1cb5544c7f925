//! Tests that the JSON that cpb writes matches `docs/schema/cpb.json` and
//! `docs/JSON.md`.

#![allow(clippy::panic, reason = "what helpers of tests may do as tests")]

mod page;
mod validation;

use crate::golden::is_recording;
use crate::program::Folder;
use cpb_model::{FromJson, Run};
use serde_json::Value;
use std::path::Path;
use validation::Schema;

const SCHEMA: &str = include_str!("../../../../docs/schema/cpb.json");
const PAGE: &str = "../../docs/JSON.md";
/// A fictitious run with every field that a run can have.
const RARE: &str = include_str!("schema/rare.json");

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Returns the output of the commands, with the definition of each.
fn documents(folder: &Folder) -> Vec<(&'static str, Value)> {
    let quick = "--library native --backend portable --sizes 64 --precision 90% --max-time 60";
    let written = |line: &str| -> Value { folder.succeeds(line).json() };
    let failed = folder.cpb("run fault-exit --library native --format json").ends(1, &[]);
    let run = written(&format!("run sha256 shake128 --raw --format json {quick}"));
    // The verdict of the gate does not matter here.
    let gate = folder.cpb("gate --baseline latest --tolerance 90% --format json");
    let mut compared = written(
        "compare native:portable native sha3-256 --sizes 64 --precision 90% --max-time 120 \
         --format json",
    );
    // A real machine gives this only with a library that is slow at one position.
    compared["workloads"][0]["layout"] =
        json(r#"{"positions": 8, "at": [{"position": 7, "factor": 1.09}]}"#);
    vec![
        ("run", failed.json()),
        ("run", run),
        ("gate", gate.json()),
        ("run", written("slope --library native --repetitions 2 --json hash sha3-256")),
        ("run", written("export latest")),
        ("run", written("bench 4 --src-lens 64 --backend portable --format json")),
        ("run", written("recursive -i 100K --lanes 1 --backend portable --format json")),
        ("comparison", compared),
    ]
}

#[test]
fn what_commands_write_is_as_the_schema_says() {
    let folder = Folder::new();
    let schema = Schema::parse(SCHEMA);
    let rare = Run::from_slice(RARE.as_bytes()).expect("a run");
    let rare = serde_json::to_value(rare).expect("JSON");
    assert_eq!(rare, json(RARE), "a run is written as it was read");
    let mut unseen = schema.fields();
    for (definition, document) in documents(&folder).into_iter().chain([("run", rare)]) {
        let findings = schema.validate(definition, &document);
        assert!(findings.wrong.is_empty(), "{definition}: {:#?}", findings.wrong);
        unseen.retain(|field| !findings.seen.contains(field));
    }
    assert!(unseen.is_empty(), "no document has {unseen:?}");
}

#[test]
fn a_document_that_is_not_as_the_schema_says_is_found_out() {
    let schema = Schema::parse(SCHEMA);
    let cases: [(&str, Value, &str); 4] = [
        ("/records/0/contract", json("\"sometimes\""), ".records[0].contract is"),
        ("/seconds", json("\"long\""), ".seconds is"),
        ("/clock/quiet", json("{}"), ".clock is"),
        ("/records/0/failure", json(r#"{"kind": "hung", "reason": "", "more": 1}"#), "more is not"),
    ];
    for (place, value, words) in cases {
        let mut document = json(RARE);
        *document.pointer_mut(place).expect("a field") = value;
        let wrong = schema.validate("run", &document).wrong;
        assert!(wrong.iter().any(|wrong| wrong.contains(words)), "{place}: {wrong:?}");
    }
}

/// `CPB_GOLDEN=record` writes the page.
#[test]
fn the_page_of_fields_is_made_of_the_schema() {
    let page = page::render(SCHEMA);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if is_recording() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let there = std::fs::read_to_string(&path).expect("the page is there");
    assert!(there == page, "docs/JSON.md is not made of docs/schema/cpb.json as it is now");
}
