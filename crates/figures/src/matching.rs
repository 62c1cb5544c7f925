//! Matches the records of two runs that have the same workload.

use cpb_model::{Record, Run, Setup, Subject, Workload};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Matched records of two runs, as indices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matched {
    /// Records with the same work.
    pub pairs: Vec<[usize; 2]>,
    /// Records of only one of the runs.
    pub only: [Vec<usize>; 2],
}

/// Matches those `chosen` records of each run that have the same work, library and backend. If each
/// run has a single library, its name does not matter.
#[must_use]
pub fn matched<'a>(runs: [&'a Run; 2], chosen: [&[usize]; 2]) -> Matched {
    let names = runs.map(LibraryNames::of_run);
    let is_lonely = names.iter().all(LibraryNames::is_one);
    let matching = Matching { runs, names, is_lonely };
    let [ours, theirs] = chosen;
    // Records are looked up by name and backend first. Each list is searched once for all
    // records that are alike.
    let (mut by_name, mut by_work) = (HashMap::new(), HashMap::new());
    let mut alike = HashSet::new();
    for &place in theirs.iter().rev() {
        let record = &runs[1].records[place];
        if alike.insert(kind(record)) {
            by_name.entry(matching.near(1, record)).or_insert_with(Vec::new).push(place);
            by_work.entry(record.work()).or_insert_with(Vec::new).push(place);
        }
    }
    let nearest = |record: &'a Record| {
        let best = |places| matching.nearest(record, places);
        best(by_name.get(&matching.near(0, record)))
            .or_else(|| best(by_work.get(&record.work()).filter(|_| is_lonely)))
    };
    let mut found = Matched::default();
    let mut paired = HashSet::new();
    let mut known = HashMap::new();
    for &place in ours {
        let record = &runs[0].records[place];
        match *known.entry(kind(record)).or_insert_with(|| nearest(record)) {
            Some(other) => {
                paired.insert(other);
                found.pairs.push([place, other]);
            }
            None => found.only[0].push(place),
        }
    }
    found.only[1] = theirs.iter().copied().filter(|place| !paired.contains(place)).collect();
    found
}

/// Identifies the work: the operation, and how calls are made.
type Work<'a> = (&'a Workload, &'a Setup);

struct Matching<'a> {
    runs: [&'a Run; 2],
    names: [LibraryNames<'a>; 2],
    /// Whether each run has a single library.
    is_lonely: bool,
}

impl<'a> Matching<'a> {
    fn near(&self, side: usize, record: &'a Record) -> (Work<'a>, &'a str, &'a str) {
        (record.work(), self.names[side].name(&record.subject), record.subject.backend.as_str())
    }

    /// Returns the index of the nearest of `places` in the second run; of several equally near, the
    /// last, which is a later measurement of the same.
    fn nearest(&self, record: &Record, places: Option<&Vec<usize>>) -> Option<usize> {
        let likeness =
            |place: usize| Some((self.likeness(record, &self.runs[1].records[place])?, place));
        let all = places.into_iter().flatten().rev();
        all.filter_map(|&place| likeness(place)).max_by_key(|(points, _)| *points).map(|it| it.1)
    }

    fn likeness(&self, ours: &Record, theirs: &Record) -> Option<u8> {
        let same_work = ours.work() == theirs.work();
        let same_lengths = ours.lengths == theirs.lengths;
        let (ours, theirs) = (&ours.subject, &theirs.subject);
        let same_backend = ours.backend == theirs.backend;
        let same_name = self.names[0].name(ours) == self.names[1].name(theirs);
        let comparable = same_work
            && (same_name && same_backend
                || self.is_lonely
                    && (same_backend || ours.default_backend && theirs.default_backend));
        let points = u8::from(same_name && same_backend) * 8
            + u8::from(ours.library == theirs.library) * 4
            + u8::from(ours.spelling == theirs.spelling) * 2
            + u8::from(same_lengths);
        comparable.then_some(points)
    }
}

/// Maps the labels of a run's libraries to names; if several share a label, to the first.
pub struct LibraryNames<'a> {
    by_label: HashMap<&'a str, &'a str>,
    is_one: bool,
}

impl<'a> LibraryNames<'a> {
    /// Collects the names of a run's libraries.
    #[must_use]
    pub fn of_run(run: &'a Run) -> Self {
        let mut by_label = HashMap::new();
        for library in &run.libraries {
            by_label.entry(library.label.as_str()).or_insert(library.name.as_str());
        }
        let labels: BTreeSet<&str> =
            run.records.iter().map(|record| record.subject.library.as_str()).collect();
        Self { by_label, is_one: labels.len() == 1 }
    }

    /// Whether all rows of the run are of one library.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.is_one
    }

    /// Returns the name of the library with the subject's label.
    #[must_use]
    pub fn name<'b>(&self, subject: &'b Subject) -> &'b str
    where
        'a: 'b,
    {
        let label = subject.library.as_str();
        let name = self.by_label.get(label).copied();
        name.unwrap_or_else(|| label.split(['=', ';']).next().unwrap_or_default())
    }
}

/// Returns everything that must be equal for a record to be a repetition of another.
fn kind(record: &Record) -> impl Eq + std::hash::Hash + use<'_> {
    (&record.subject, record.work(), &record.lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FIELDS, SETUPS, record, run};

    #[test]
    fn records_match_where_no_field_of_their_workloads_differs() {
        let ours = run(vec![record("sha256", "a", 4.0)]);
        let theirs = |change: fn(&mut Workload)| {
            let mut other = record("sha256", "a", 5.0);
            change(&mut other.workload);
            run(vec![other])
        };
        let found_in = |theirs: &Run| matched([&ours, theirs], [&[0], &[0]]);
        assert_eq!(found_in(&theirs(|_| ())).pairs, [[0, 0]]);
        for (field, change) in FIELDS.into_iter().enumerate() {
            let only = [vec![0], vec![0]];
            let expected = Matched { pairs: Vec::new(), only };
            assert_eq!(found_in(&theirs(change)), expected, "field {field}");
        }
        // The same work at two lengths, one record each.
        let at = |lengths: [usize; 2]| {
            run(lengths
                .map(|it| Record { lengths: vec![it], ..record("sha256", "a", 5.0) })
                .to_vec())
        };
        let found = matched([&at([64, 1024]), &at([1024, 64])], [&[0, 1], &[0, 1]]);
        assert_eq!(found.pairs, [[0, 1], [1, 0]]);
        for (field, change) in SETUPS.into_iter().enumerate() {
            let mut other = record("sha256", "a", 5.0);
            change(&mut other.setup);
            assert_eq!(found_in(&run(vec![other])).pairs.len(), 0, "field {field} of the setup");
        }
    }
}
