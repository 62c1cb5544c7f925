//! Judges whether a run's figures can be trusted, in one sentence with reasons.

use crate::number::{self, grouped, percent};
use crate::warning::self_test;
use cpb_figures::headline_figure;
use cpb_figures::scaling::Scaled;
use cpb_model::{Record, Run, Verification};

/// The judgement on a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trust {
    pub(super) level: Level,
    pub(super) verdict: String,
    pub(super) reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Good,
    Fair,
    Bad,
}

impl Level {
    /// Returns the name in CSS.
    pub(super) fn name(self) -> &'static str {
        match self {
            Level::Good => "good",
            Level::Fair => "caution",
            Level::Bad => "bad",
        }
    }
}

/// Counts of rows by kind.
struct Rows<'a> {
    measured: Vec<&'a Record>,
    failed: usize,
    bounds: usize,
    imprecise: usize,
    unverified: usize,
    /// Rows without any of these flags.
    sound: usize,
}

impl<'a> Rows<'a> {
    fn of(run: &'a Run) -> Self {
        let measured: Vec<&Record> = run.records.iter().filter(|r| r.failure.is_none()).collect();
        let count = |is: fn(&Record) -> bool| measured.iter().filter(|row| is(row)).count();
        Self {
            failed: run.records.len() - measured.len(),
            bounds: count(Record::is_bound),
            imprecise: count(is_imprecise),
            unverified: count(is_unverified),
            sound: count(|row| !row.is_bound() && !is_imprecise(row) && !is_unverified(row)),
            measured,
        }
    }
}

fn is_imprecise(record: &Record) -> bool {
    record.precise == Some(false) && !record.is_bound()
}

pub(super) fn is_unverified(record: &Record) -> bool {
    matches!(record.verification, None | Some(Verification::Unverified { .. }))
}

pub(super) fn trust(run: &Run) -> Trust {
    let rows = Rows::of(run);
    let scaled = Scaled::of(&run.records, &run.host);
    if !scaled.is_empty() {
        return of_many_at_once(&scaled);
    }
    let (level, verdict) = verdict(run, &rows);
    Trust { level, verdict, reasons: reasons(run, &rows) }
}

/// Judges rows of concurrent calls.
fn of_many_at_once(rows: &[Scaled]) -> Trust {
    let is_whole = |row: &&Scaled| row.records.iter().all(|record| record.failure.is_none());
    let whole = rows.iter().filter(is_whole).count();
    let level = match whole {
        0 => Level::Bad,
        all if all == rows.len() => Level::Good,
        _ => Level::Fair,
    };
    let verdict = match (whole, rows.len()) {
        (1, 1) => "The row was measured whole".to_owned(),
        (whole, all) => format!("{} of {} rows were measured whole", whole, grouped(all as u64)),
    };
    let verified =
        rows.iter().filter(|row| row.failure().is_none()).all(|row| !is_unverified(row.first()));
    let mut reasons = Vec::new();
    if verified {
        reasons.push("every result was verified before it was timed".to_owned());
    }
    let found = rows.iter().flat_map(|row| row.records).filter_map(|it| it.concurrent.as_ref());
    if let Some(rounds) = found.map(|it| it.rounds.len()).min() {
        reasons.push(format!("{rounds} rounds at least, each in fresh processes"));
    }
    Trust { level, verdict, reasons }
}

fn verdict(run: &Run, rows: &Rows) -> (Level, String) {
    let measured = rows.measured.len();
    let said = |level, words: &str| (level, words.to_owned());
    if measured == 0 {
        return said(Level::Bad, "Nothing was measured");
    }
    if self_test(run.clock.as_ref()).is_some() {
        return said(Level::Bad, "This machine could not tell cycles while it was measured");
    }
    if rows.bounds == measured {
        return said(Level::Bad, "All figures are upper bounds");
    }
    let all = match measured {
        1 => "The row".to_owned(),
        more => format!("All {} rows", grouped(more as u64)),
    };
    let quiet = run.clock.as_ref().and_then(|clock| clock.quiet).unwrap_or_default();
    match rows.sound {
        _ if quiet.assumed => said(Level::Fair, "Whether the core was quiet is assumed, not known"),
        _ if quiet.is_unproven() => said(Level::Fair, "That the core was quiet is not proven"),
        sound if sound == measured => (Level::Good, format!("{all} can be trusted")),
        0 => said(Level::Fair, "No row can be fully trusted"),
        sound => {
            let (sound, measured) = (grouped(sound as u64), grouped(measured as u64));
            (Level::Fair, format!("{sound} of {measured} rows can be fully trusted"))
        }
    }
}

fn reasons(run: &Run, rows: &Rows) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut count = |count: usize, one: &str, many: &str| match count {
        0 => {}
        1 => reasons.push(format!("1 {one}")),
        more => reasons.push(format!("{} {many}", grouped(more as u64))),
    };
    count(rows.bounds, "row is an upper bound (≤)", "rows are upper bounds (≤)");
    count(rows.imprecise, "row is less precise than asked", "rows are less precise than asked");
    count(rows.unverified, "row is unverified", "rows are unverified");
    count(rows.failed, "row failed", "rows failed");
    if rows.unverified == 0 && !rows.measured.is_empty() {
        reasons.push("every result was verified before it was timed".to_owned());
    }
    match run.clock.as_ref().and_then(|clock| clock.quiet) {
        None => reasons.push("how quiet the core was is not known".to_owned()),
        Some(quiet) if quiet.assumed => {}
        Some(quiet) => {
            reasons.push(format!("core: {}", number::quiet(quiet)));
            reasons.extend(number::why_not_certain(quiet));
        }
    }
    let mut widths: Vec<f64> = (rows.measured.iter())
        .filter_map(|row| headline_figure(row)?.1.relative_half_width())
        .collect();
    widths.sort_by(f64::total_cmp);
    if let Some(middle) = widths.get(widths.len() / 2) {
        reasons.push(format!("half of the intervals are ±{} or narrower", percent(*middle)));
    }
    if let Some(off) = off(run) {
        reasons.push(format!("loops of known cycles read right within {}", percent(off)));
    }
    reasons
}

/// Returns the largest deviation of the loops of known cycles.
fn off(run: &Run) -> Option<f64> {
    let loops = run.clock.iter().flat_map(|clock| &clock.known_loops);
    let exact = loops.filter(|known| !known.measured.upper_bound);
    exact.map(|known| known.off().abs()).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{bounded, failed, record, run};

    fn of(records: Vec<Record>) -> (Level, String, String) {
        let Trust { level, verdict, reasons } = trust(&run(records));
        (level, verdict, reasons.join("; "))
    }

    #[test]
    fn the_verdict_counts_what_can_be_trusted() {
        let sound = || record("sha256", "a", 5.0);
        let (level, verdict, reasons) = of(vec![sound(), sound()]);
        assert_eq!((level, verdict.as_str()), (Level::Good, "All 2 rows can be trusted"));
        assert!(reasons.contains("every result was verified"), "{reasons}");
        assert!(reasons.contains("±1.0 % or narrower"), "{reasons}");

        let mut imprecise = sound();
        imprecise.precise = Some(false);
        let mut unverified = sound();
        unverified.verification = None;
        let rows =
            [sound(), imprecise, unverified, bounded("md5", "a", 3.0), failed("x", "a", "!")];
        let (level, verdict, reasons) = of(rows.to_vec());
        assert_eq!((level, verdict.as_str()), (Level::Fair, "1 of 4 rows can be fully trusted"));
        for reason in [
            "1 row is an upper bound",
            "1 row is less precise",
            "1 row is unverified",
            "1 row failed",
            "how quiet the core was is not known",
        ] {
            assert!(reasons.contains(reason), "{reason}: {reasons}");
        }
        assert_eq!(of(vec![bounded("md5", "a", 3.0)]).0, Level::Bad);
        assert_eq!(of(vec![failed("x", "a", "!")]).1, "Nothing was measured");
    }
}
