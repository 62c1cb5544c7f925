//! `cpb gate` as JSON.

use crate::verdict::Verdict;
use serde_json::json;

pub(crate) fn text(verdict: &Verdict) -> String {
    let rows = verdict.rows.iter().map(|row| {
        let worst = row.worst.as_ref();
        let compared = worst.and_then(|worst| worst.comparison);
        json!({
            "name": row.name,
            "status": row.status.name(),
            "reason": row.reason,
            "measurements": row.measurements,
            "beside_baseline": row.beside,
            "length": worst.map(|worst| worst.length),
            "cycles_then": worst.map(|worst| worst.cycles[0].estimate),
            "cycles_then_upper_bound": worst.map(|worst| worst.cycles[0].upper_bound),
            "cycles_now": worst.map(|worst| worst.cycles[1].estimate),
            "cycles_now_upper_bound": worst.map(|worst| worst.cycles[1].upper_bound),
            "ratio": compared.map(|it| it.ratio),
            "low": compared.map(|it| it.interval.low),
            "high": compared.map(|it| it.interval.high),
        })
    });
    let value = json!({
        "schema": cpb_model::SCHEMA,
        "kind": "gate",
        "baseline": verdict.baseline,
        "tolerance": verdict.tolerance,
        "rows": rows.collect::<Vec<_>>(),
        "run": verdict.run,
    });
    format!("{value:#}\n")
}
