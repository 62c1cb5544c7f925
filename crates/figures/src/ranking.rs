//! Ranks rows of equal work, or of equal operations by any primitive, and finds which may be the
//! fastest. Tables and the page share this ranking.

use crate::Unit;
use cpb_model::{Axis, Figure, Record, Setup, Workload};
use std::collections::HashMap;
use std::hash::Hash;

cpb_model::named! {
    /// Names a row's rank among rows of equal work.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Standing {
        /// It is the only row of its work.
        Alone = "alone",
        /// It is the fastest: its interval lies below all others.
        Best = "best",
        /// Its interval overlaps that of the fastest row, so either may be the fastest.
        Tied = "tied",
        /// It cannot be ranked: it has no interval, or only an upper bound above the fastest row's
        /// cost.
        Unknown = "unknown",
        /// Another is faster, or it has no figure.
        Behind = "behind",
    }
}

impl Standing {
    /// Returns the sign before a row: `★` for the fastest, `≈` for ties, `?` for rows that cannot
    /// be ranked.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Standing::Best => "★",
            Standing::Tied => "≈",
            Standing::Unknown => "?",
            Standing::Alone | Standing::Behind => "",
        }
    }
}

/// Rows that do the same work.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<'a> {
    /// The workload; if the rows are of several primitives, that of the first.
    pub workload: &'a Workload,
    /// How calls are made.
    pub setup: &'a Setup,
    /// The unit of the rows' figures.
    pub unit: Unit,
    /// The rows, fastest first, those without a figure last.
    pub rows: Vec<Ranked<'a>>,
    /// The estimate of the fastest row; that of a bound if all are bounds.
    best: Option<f64>,
}

impl Group<'_> {
    /// Describes the work; if the rows are of several primitives, that of the first.
    #[must_use]
    pub fn title(&self) -> String {
        self.setup.title(self.workload)
    }

    /// Lists how the work differs from the defaults.
    #[must_use]
    pub fn modifiers(&self) -> Vec<String> {
        [self.workload.modifiers(), self.setup.modifiers()].concat()
    }

    /// Returns the row's figure ÷ the fastest row's; for a bound, the largest possible factor.
    /// `None` if it has no figure, or is the only row.
    #[must_use]
    pub fn factor(&self, row: &Ranked) -> Option<f64> {
        if row.standing == Standing::Alone {
            return None;
        }
        Some(row.figure?.estimate / self.best?)
    }

    /// Returns the rank of each row at this message length, in the order of the rows.
    #[must_use]
    pub fn standings_at(&self, length: usize) -> Vec<Standing> {
        let figures: Vec<Option<Figure>> =
            self.rows.iter().map(|row| Unit::PerByteAt(length).of(row.record)).collect();
        standings(&figures)
    }
}

/// A row with the figure by which it is ranked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    /// Its index in the run's records.
    pub index: usize,
    pub record: &'a Record,
    /// The figure in the group's unit; `None` if it failed or lacks the length.
    pub figure: Option<Figure>,
    /// Its rank within the group.
    pub standing: Standing,
}

/// Groups the rows of a run by their work, in order of first occurrence.
#[must_use]
pub fn groups(records: &[Record]) -> Vec<Group<'_>> {
    ranked(records, Record::work, Unit::common)
}

/// Works like [`groups`], ranked at this message length. Rows without such messages, or with a cost
/// per call, are ranked as in [`groups`].
#[must_use]
pub fn groups_at(records: &[Record], length: usize) -> Vec<Group<'_>> {
    let has_length =
        |record: &&Record| record.points.iter().any(|it| it.parameters.message_bytes == length);
    let unit = |records: &[&Record]| match Unit::common(records) {
        Unit::PerByte | Unit::PerByteAt(_) if records.iter().any(has_length) => {
            Unit::PerByteAt(length)
        }
        usual => usual,
    };
    ranked(records, Record::work, unit)
}

/// Groups the rows of a run by operation across primitives, such as all AEADs that seal, ranked at
/// this message length, or by the call if there are no messages.
#[must_use]
pub fn across(records: &[Record], length: usize) -> Vec<Group<'_>> {
    let unit = |records: &[&Record]| match records.iter().any(|it| it.subject.axis() == Axis::Bytes)
    {
        true => Unit::PerByteAt(length),
        false => Unit::common(records),
    };
    ranked(records, |record| (record.workload.of_any_primitive(), &record.setup), unit)
}

/// Groups the rows of a run by `key`, in order of first occurrence.
fn ranked<'a, K: Eq + Hash>(
    records: &'a [Record],
    key: impl Fn(&'a Record) -> K,
    unit: impl Fn(&[&Record]) -> Unit,
) -> Vec<Group<'a>> {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut places = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        let place = *places.entry(key(record)).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[place].push(index);
    }
    members.iter().filter_map(|members| group(records, members, &unit)).collect()
}

fn group<'a>(
    all: &'a [Record],
    members: &[usize],
    unit: impl Fn(&[&Record]) -> Unit,
) -> Option<Group<'a>> {
    let records: Vec<&Record> = members.iter().map(|&index| &all[index]).collect();
    let first = *records.first()?;
    let unit = unit(&records);
    let figures: Vec<Option<Figure>> = records.iter().map(|record| unit.of(record)).collect();
    let ranked = members.iter().zip(&records).zip(figures.iter().zip(standings(&figures)));
    let mut rows: Vec<Ranked> = ranked
        .map(|((&index, &record), (&figure, standing))| Ranked { index, record, figure, standing })
        .collect();
    let cost = |row: &Ranked| row.figure.map_or(f64::INFINITY, |figure| figure.estimate);
    rows.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    // Rows are in this order, so the first is the fastest.
    let mut figures = rows.iter().filter_map(|row| row.figure);
    let least = figures.clone().find(|figure| !figure.upper_bound).or_else(|| figures.next());
    let best = least.map(|figure| figure.estimate);
    Some(Group { workload: &first.workload, setup: &first.setup, unit, rows, best })
}

/// Ranks `figures` of one unit; less is better. An upper bound, or a figure without an interval,
/// may be arbitrarily low: it is tied if it is itself as low as the fastest, and otherwise unknown.
/// A failed row has no figure and is behind.
fn standings(figures: &[Option<Figure>]) -> Vec<Standing> {
    let known = |figure: Figure| figure.interval.filter(|_| !figure.upper_bound);
    let high = |figure: Figure| match known(figure) {
        Some(interval) => interval.high,
        None if figure.upper_bound => figure.estimate,
        None => f64::INFINITY,
    };
    let least = figures.iter().flatten().copied().map(high).fold(f64::INFINITY, f64::min);
    let is_candidate = |figure: &Figure| match known(*figure) {
        Some(interval) => interval.low <= least,
        None => least.is_finite() && figure.estimate <= least,
    };
    let candidates = figures.iter().flatten().filter(|figure| is_candidate(figure)).count();
    let standing = |figure: &Option<Figure>| match figure {
        _ if figures.len() == 1 => Standing::Alone,
        None => Standing::Behind,
        Some(figure) => match (is_candidate(figure), known(*figure)) {
            (true, Some(_)) if candidates == 1 => Standing::Best,
            (true, _) => Standing::Tied,
            (false, Some(_)) => Standing::Behind,
            (false, None) => Standing::Unknown,
        },
    };
    figures.iter().map(standing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{failed, figure, record, run};
    use cpb_model::{Contract, Interval, Method};

    #[test]
    fn groups_keep_their_order_and_rank_the_fastest_first() {
        let run = run(vec![
            record("sha256", "a", 5.0),
            record("md5", "a", 1.0),
            failed("sha256", "b", "SIGSEGV"),
            record("sha256", "c", 4.0),
        ]);
        let groups = groups(&run.records);
        let names: Vec<&str> =
            groups.iter().map(|group| group.workload.primitive.as_str()).collect();
        assert_eq!(names, ["sha256", "md5"]);
        let order: Vec<usize> = groups[0].rows.iter().map(|row| row.index).collect();
        assert_eq!(order, [3, 0, 2]);
        assert_eq!(groups[0].unit, Unit::PerByte);
        assert_eq!(groups[0].rows[2].figure, None);
        assert_eq!(groups[1].rows[0].standing, Standing::Alone);
    }

    #[test]
    fn other_contracts_and_associated_data_are_other_work() {
        let mut oneshot = record("gcm", "a", 9.0);
        oneshot.workload.contract = Contract::Oneshot;
        let mut longer = record("gcm", "a", 5.0);
        longer.workload.aad = 13;
        // A failed row has the workload that it would have measured.
        let mut broken = failed("gcm", "b", "SIGSEGV");
        broken.workload.aad = 13;
        let run = run(vec![record("gcm", "a", 4.0), oneshot, longer, broken]);
        let groups = groups(&run.records);
        let rows = |group: &Group| group.rows.iter().map(|row| row.index).collect::<Vec<_>>();
        assert_eq!(groups.iter().map(rows).collect::<Vec<_>>(), [vec![0], vec![1], vec![2, 3]]);
        let work = |group: &Group| (group.workload.aad, group.workload.contract);
        assert_eq!((work(&groups[2]).0, work(&groups[1]).1), (13, Contract::Oneshot));
    }

    #[test]
    fn rows_are_ranked_together_where_no_field_of_their_workloads_differs() {
        use crate::testing::FIELDS;
        for (field, change) in FIELDS.iter().enumerate() {
            let mut other = record("sha256", "b", 4.0);
            change(&mut other.workload);
            let records = [record("sha256", "a", 5.0), other, record("sha256", "c", 6.0)];
            let rows = |groups: Vec<Group>| -> Vec<Vec<usize>> {
                let rows = |group: &Group| group.rows.iter().map(|row| row.index).collect();
                groups.iter().map(rows).collect()
            };
            assert_eq!(rows(groups(&records)), [vec![0, 2], vec![1]], "field {field}");
            // Across primitives, only the primitive's name is ignored.
            let expected = if field == 0 { vec![vec![1, 0, 2]] } else { vec![vec![0, 2], vec![1]] };
            assert_eq!(rows(across(&records, 1024)), expected, "field {field}");
        }
    }

    #[test]
    fn rows_are_ranked_together_where_no_field_of_their_setups_differs() {
        for (field, change) in crate::testing::SETUPS.iter().enumerate() {
            let mut other = record("sha256", "b", 4.0);
            change(&mut other.setup);
            let records = [record("sha256", "a", 5.0), other, record("md5", "c", 6.0)];
            let sizes =
                |groups: Vec<Group>| groups.iter().map(|it| it.rows.len()).collect::<Vec<_>>();
            assert_eq!(sizes(groups(&records)), [1, 1, 1], "field {field}");
            assert_eq!(sizes(across(&records, 1024)), [2, 1], "field {field}");
        }
    }

    #[test]
    fn primitives_are_ranked_by_what_one_length_costs() {
        let missing = failed("sha3-256", "b", "SIGSEGV");
        let records = [record("sha256", "a", 5.0), record("blake3", "a", 1.0), missing];
        let groups = across(&records, 1024);
        assert_eq!((groups.len(), groups[0].unit), (1, Unit::PerByteAt(1024)));
        let standings: Vec<_> =
            groups[0].rows.iter().map(|row| (row.index, row.standing)).collect();
        let [best, behind] = [Standing::Best, Standing::Behind];
        assert_eq!(standings, [(1, best), (0, behind), (2, behind)]);
        assert_eq!(across(&records, 1000)[0].rows[0].figure, None, "a length nobody measured");
    }

    #[test]
    fn rows_are_ranked_by_a_length_where_they_have_it() {
        // The second is cheaper per byte, but dearer at 64 bytes.
        let mut slow_start = record("sha256", "b", 4.0);
        slow_start.points[0].cycles_per_call = figure(9000.0);
        let records = [record("sha256", "a", 5.0), slow_start];
        let order = |groups: &[Group]| -> Vec<usize> {
            groups[0].rows.iter().map(|row| row.index).collect()
        };
        assert_eq!(order(&groups(&records)), [1, 0]);
        let at = groups_at(&records, 64);
        assert_eq!((order(&at), at[0].unit), (vec![0, 1], Unit::PerByteAt(64)));
        let other = groups_at(&records, 1000);
        assert_eq!((order(&other), other[0].unit), (vec![1, 0], Unit::PerByte));
    }

    #[test]
    fn factors_are_over_the_fastest_that_is_no_bound() {
        use crate::testing::bounded;
        let run = run(vec![
            record("md5", "a", 5.0),
            bounded("md5", "b", 2.0),
            record("md5", "c", 4.0),
            failed("md5", "d", "SIGILL"),
            record("sha1", "a", 1.0),
        ]);
        let groups = groups(&run.records);
        let factors: Vec<Option<f64>> =
            groups[0].rows.iter().map(|row| groups[0].factor(row)).collect();
        assert_eq!(factors, [Some(0.5), Some(1.0), Some(1.25), None]);
        assert_eq!(groups[1].factor(&groups[1].rows[0]), None);
        let at = groups[0].standings_at(1024);
        assert_eq!(at.len(), 4);
        assert_eq!((at[2], at[3]), (Standing::Behind, Standing::Behind));
    }

    #[test]
    fn a_group_has_one_unit() {
        let trials = Record { line: None, method: Method::Trials, ..record("sha256", "b", 4.0) };
        let run = run(vec![record("sha256", "a", 5.0), trials]);
        assert_eq!(groups(&run.records)[0].unit, Unit::PerByteAt(16_384));
    }

    #[test]
    fn only_what_is_certainly_fastest_is_best() {
        use Standing::{Alone, Behind, Best, Tied, Unknown};
        let sure = |low: f64, high: f64| {
            Some(Figure::new((low + high) / 2.0, Some(Interval { low, high, confidence: 0.95 })))
        };
        let bound = |high: f64| Some(Figure::at_most(high));
        assert_eq!(standings(&[sure(2.0, 2.1), sure(2.2, 2.3)]), [Best, Behind]);
        let (a, b) = (sure(2.0, 2.3), sure(2.2, 2.5));
        assert_eq!(standings(&[a, b, sure(3.0, 4.0)]), [Tied, Tied, Behind]);
        // A bound says nothing, unless the bound itself is as low as the fastest.
        assert_eq!(standings(&[sure(2.0, 2.1), bound(240.0)]), [Best, Unknown]);
        assert_eq!(standings(&[sure(2.0, 2.1), bound(2.05)]), [Tied, Tied]);
        assert_eq!(standings(&[sure(2.0, 2.1), bound(1.0)]), [Behind, Tied]);
        assert_eq!(standings(&[a, b, bound(9.0)]), [Tied, Tied, Unknown]);
        assert_eq!(standings(&[None, bound(1.0), bound(3.0)]), [Behind, Tied, Unknown]);
        // The same holds for a figure without an interval.
        let open = |estimate| Some(Figure::new(estimate, None));
        assert_eq!(standings(&[sure(2.0, 2.1), open(5.0)]), [Best, Unknown]);
        assert_eq!(standings(&[sure(2.0, 2.1), open(1.0)]), [Tied, Tied]);
        assert_eq!(standings(&[open(2.0), open(1.0)]), [Unknown, Unknown]);
        assert_eq!(standings(&[None, sure(2.0, 2.1)]), [Behind, Best]);
        assert_eq!((standings(&[sure(2.0, 2.1)]), standings(&[])), (vec![Alone], vec![]));
    }
}
