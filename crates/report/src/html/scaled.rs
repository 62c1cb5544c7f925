//! Converts rows of concurrent calls to JSON, for the chart of how they scale.

use cpb_figures::scaling::{BottleneckShare, Scaled};
use cpb_model::Record;
use serde_json::{Value, json};

/// Converts a row; `data.rs` describes the shape.
pub(super) fn scaled(row: &Scaled) -> Value {
    let first = row.first();
    let crowd = |record: &Record| {
        let (setup, found) = (&record.setup, record.concurrent.as_ref());
        json!({
            "processes": setup.processes,
            "threads": setup.threads,
            "others": setup.others,
            "calls_per_second": found.and_then(|it| it.calls_per_second),
            "efficiency": found.and_then(|it| it.efficiency),
        })
    };
    let verdict = row.verdict.as_ref().map(|verdict| {
        let cause =
            |cause: &BottleneckShare| json!({ "what": cause.what.name(), "share": cause.share });
        json!({
            "stops_at": verdict.stops_at,
            "told_by": verdict.told_by.name(),
            "causes": verdict.causes.iter().map(cause).collect::<Vec<_>>(),
        })
    });
    json!({
        "subject": first.subject,
        "contract": first.workload.contract,
        "parameters": first.parameters(),
        "shares_keys": first.setup.shares_keys,
        "beside": row.beside(),
        "failure": row.failure(),
        "verdict": verdict,
        "crowds": row.records.iter().map(crowd).collect::<Vec<_>>(),
    })
}
