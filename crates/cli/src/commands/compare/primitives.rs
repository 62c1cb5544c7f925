//! Compares two primitives: each in the library that is fastest at it, or both in one.
//!
//! They do different work, which the output states. All other comparisons require equal workloads;
//! here they differ only in the primitive.

use super::Arguments;
use super::pairs::{Pairs, common_lengths};
use crate::cli_error::CliError;
use crate::comparison::Comparison;
use crate::library_set::{self, LibrarySet};
use crate::measurement_context::MeasurementContext;
use crate::progress::Bar;
use crate::selection::{Selection, is_slow};
use crate::side::LibrarySide;
use crate::{output, sampling, time_budget};
use cpb_engine::{LibrarySpec, Row, selection};
use cpb_model::{Offer, Operation, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// The precision with which all libraries are measured to find the fastest.
const PRECISION: f64 = 0.01;

/// The offers of a primitive, with the labels of their libraries.
type Offers<'a> = Vec<(String, &'a Offer)>;

impl Arguments {
    /// Measures the primitives that `words` name. If they name none, returns `instead`, the error
    /// found before, if there is one.
    pub(super) fn compare_primitives(
        &self,
        words: [&String; 2],
        instead: Option<CliError>,
        stop: &AtomicBool,
    ) -> Result<(Comparison, bool), CliError> {
        let named: Vec<LibrarySpec> = self.library.iter().map(|live| live.spec.clone()).collect();
        let libraries = LibrarySet::discover(&named, self.machine.timeout, self.max_time);
        let all: Offers<'_> = libraries.offers().collect();
        let means = |word: &&String| {
            all.iter().any(|(label, offer)| label != "selftest" && is_named(word, offer))
        };
        if let Some(fault) = instead.filter(|_| self.library.is_none()) {
            match words.map(|word| means(&word)) {
                [true, true] => {}
                [true, false] => return Err(one_primitive(words[0], words[1])),
                [false, true] => return Err(one_primitive(words[1], words[0])),
                // Sides are mostly libraries and runs.
                [false, false] => return Err(fault),
            }
        }
        if !self.threads.is_empty() {
            return Err(usage!(
                "--threads compares two libraries at one primitive, not two primitives"
            ));
        }
        if !libraries.report_missing() {
            return Err(not_measured!("the library of both primitives is missing"));
        }
        let selection = self.of_operations()?;
        let backend = self.library.as_ref().and_then(|live| live.backend.as_deref());
        let [a, b] = words.map(|word| primitive(&libraries, &all, word));
        let primitives = [a?, b?];
        if primitives[0] == primitives[1] {
            return Err(usage!(
                "both are {0}: to compare libraries at it, cpb compare LIBRARY LIBRARY {0}",
                primitives[0]
            ));
        }
        let offers = primitives.each_ref().map(|primitive| -> Offers<'_> {
            let is_wanted = |offer: &Offer| match backend {
                Some(backend) => offer.backend == backend,
                None => offer.default_backend,
            };
            let is_of = |offer: &Offer| {
                offer.primitive == *primitive && offer.unavailable.is_none() && is_wanted(offer)
            };
            let ours = all.iter().filter(|(_, offer)| is_of(offer));
            ours.map(|(label, offer)| (label.clone(), *offer)).collect()
        });
        let operations = self.operations(&primitives, &offers)?;
        let invocation = MeasurementContext::on(&self.machine)?;
        let candidates = offers.map(|offers| candidates(offers, &operations));
        let chosen = self.fastest(&libraries, &selection, &primitives, &candidates, stop)?;
        let labels = chosen.each_ref().map(|(label, _)| label.clone());
        let pairs = pairs(&selection, &primitives, &chosen, self.per_size)?;
        let side = |label: &String| {
            let spec = label.parse().map_err(|error| usage!("{error}"));
            spec.map(|spec: LibrarySpec| LibrarySide { spec, backend: backend.map(str::to_owned) })
        };
        let [a, b] = labels.each_ref().map(side);
        let sides = [a?, b?];
        let name = |side: usize| format!("{} in {}", primitives[side], sides[side]);
        let names = [name(0), name(1)];
        Ok(self.measure_side_by_side(invocation, &libraries, &sides, names, pairs, stop))
    }

    /// Returns the selection of operations, for any primitive: words after the primitives are
    /// operations.
    fn of_operations(&self) -> Result<Selection, CliError> {
        match self.selectors.iter().find(|word| !selection::is_a_word(word)) {
            Some(word) => Err(usage!(
                "behind two primitives stand operations of theirs, such as seal or sign, not '{word}'"
            )),
            None => Ok(Selection { selectors: Vec::new(), ..self.selection() }),
        }
    }

    /// Returns the requested operations that both primitives have.
    fn operations(
        &self,
        primitives: &[String; 2],
        offers: &[Offers<'_>; 2],
    ) -> Result<BTreeSet<Operation>, CliError> {
        let is_asked = |offer: &Offer| {
            let is_one = |word: &String| selection::matches(word, offer);
            match &self.selectors[..] {
                [] => !offer.operation.is_part() && (self.include_slow || !is_slow(offer)),
                words => words.iter().any(is_one),
            }
        };
        let [a, b] = offers.each_ref().map(|offers| -> BTreeSet<Operation> {
            let asked = offers.iter().filter(|(_, offer)| is_asked(offer));
            asked.map(|(_, offer)| offer.operation).collect()
        });
        let both: BTreeSet<Operation> = a.intersection(&b).copied().collect();
        if both.is_empty() {
            let [a, b] = [a, b].map(|operations| match operations.len() {
                0 => "none of what was asked for".to_owned(),
                _ => operations.into_iter().map(Operation::name).collect::<Vec<_>>().join(", "),
            });
            let both = primitives.join(" and ");
            return Err(usage!(
                "{both} have no operation in common: the first has {a}, the second {b}"
            ));
        }
        Ok(both)
    }

    /// Returns the fastest library for each side, with its offers.
    fn fastest<'a>(
        &self,
        libraries: &LibrarySet,
        selection: &Selection,
        primitives: &[String; 2],
        candidates: &[BTreeMap<String, Vec<&'a Offer>>; 2],
        stop: &AtomicBool,
    ) -> Result<[(String, Vec<&'a Offer>); 2], CliError> {
        let costs = match candidates.iter().all(|labels| labels.len() == 1) {
            true => Vec::new(),
            false => self.first_look(libraries, selection, candidates, stop)?,
        };
        let of_side = |side: usize| -> Result<(String, Vec<&'a Offer>), CliError> {
            let labels = &candidates[side];
            let cost = |label: &String| {
                let is_its = |it: &&Record| {
                    it.subject.library == *label && it.subject.primitive == primitives[side]
                };
                mean(costs.iter().filter(is_its))
            };
            let best = labels.iter().min_by(|a, b| cost(a.0).total_cmp(&cost(b.0)));
            let (label, offers) = best.ok_or_else(|| {
                not_measured!("no library here can do it with {}", primitives[side])
            })?;
            if labels.len() > 1 {
                let (primitive, count) = (&primitives[side], labels.len());
                let words = format!("{primitive}: {label} is the fastest of {count} libraries");
                output::inform(&words);
            }
            Ok((label.clone(), offers.clone()))
        };
        let [a, b] = [0, 1].map(of_side);
        Ok([a?, b?])
    }

    /// Measures the cost of the primitives in each of these libraries.
    fn first_look(
        &self,
        libraries: &LibrarySet,
        selection: &Selection,
        candidates: &[BTreeMap<String, Vec<&Offer>>; 2],
        stop: &AtomicBool,
    ) -> Result<Vec<Record>, CliError> {
        let invocation = MeasurementContext::on(&self.machine)?;
        let all = candidates.iter().flatten();
        let all = all.flat_map(|(label, offers)| offers.iter().map(move |offer| (label, *offer)));
        let row = |(label, offer): (&String, &Offer)| {
            selection.row_at(label, offer, selection.lengths(offer))
        };
        let mut rows: Vec<Row> = all.map(row).collect();
        rows.retain(|row| !row.lengths.is_empty());
        let budget = time_budget::RUN_QUICK.of(rows.len());
        let rounds = sampling::until(PRECISION, None, sampling::ROUNDS_AT_LEAST);
        let samples = sampling::samples_per_round(&rows, budget);
        let sampling = sampling::of_rows(samples, rounds, (None, budget), self.machine.timeout);
        let plan = invocation.plan(libraries, rows, sampling);
        let (run, _) = invocation.run(&plan, stop, Bar::new(), Bar::tell);
        Ok(run.records)
    }
}

/// Creates the error that `word` is a primitive, but the `other` side is not.
fn one_primitive(word: &str, other: &str) -> CliError {
    usage!(
        "'{word}' is a primitive and '{other}' is not: compare two primitives, or two libraries at \
         one, cpb compare LIBRARY LIBRARY {word}"
    )
}

/// Whether `word` names the primitive of an offer.
fn is_named(word: &str, offer: &Offer) -> bool {
    !word.contains('*') && selection::matches_name(word, offer)
}

/// Returns the primitive that `word` names.
fn primitive(libraries: &LibrarySet, all: &Offers<'_>, word: &String) -> Result<String, CliError> {
    let named = all.iter().filter(|(_, offer)| is_named(word, offer));
    let named: BTreeSet<&str> = named.map(|(_, offer)| offer.primitive.as_str()).collect();
    // A canonical name means that primitive, whatever else a library calls so.
    if let Some(own) = named.get(word.as_str()) {
        return Ok((*own).to_owned());
    }
    match Vec::from_iter(named)[..] {
        [only] => Ok(only.to_owned()),
        [] => {
            let alone = std::slice::from_ref(word);
            let found = library_set::select(libraries, alone, all.clone(), "primitive")?;
            if found.is_empty() {
                return Err(not_measured!("the library asked for does not have {word}"));
            }
            Err(usage!("'{word}' is not one primitive; cpb list {word} names those that are"))
        }
        ref several => Err(usage!("'{word}' may be {}: name one", several.join(", "))),
    }
}

/// Returns the libraries that have the most of these operations, with their offers.
fn candidates<'a>(
    offers: Offers<'a>,
    operations: &BTreeSet<Operation>,
) -> BTreeMap<String, Vec<&'a Offer>> {
    let mut libraries: BTreeMap<String, Vec<&Offer>> = BTreeMap::new();
    for (label, offer) in offers {
        let ours = libraries.entry(label).or_default();
        // A library may have an operation under several names.
        let is_new = ours.iter().all(|it| it.operation != offer.operation);
        if operations.contains(&offer.operation) && is_new {
            ours.push(offer);
        }
    }
    let most = libraries.values().map(Vec::len).max().unwrap_or(0);
    libraries.retain(|_, offers| offers.len() == most);
    libraries
}

/// Returns the geometric mean of the rows' costs; infinite if one has no figure.
fn mean<'a>(records: impl Iterator<Item = &'a Record>) -> f64 {
    let mut logarithms = Vec::new();
    for record in records {
        let costs = record.points.iter().map(|point| point.cycles_per_call.estimate.ln());
        logarithms.extend(costs);
        if record.points.is_empty() {
            return f64::INFINITY;
        }
    }
    logarithms.iter().sum::<f64>() / logarithms.len() as f64
}

/// Pairs rows whose workloads differ only in the primitive.
fn pairs(
    selection: &Selection,
    primitives: &[String; 2],
    chosen: &[(String, Vec<&Offer>); 2],
    per_size: bool,
) -> Result<Pairs, CliError> {
    let [(label_a, ours), (label_b, theirs)] = chosen;
    let mut rows = Vec::new();
    for a in ours {
        let Some(b) = theirs.iter().find(|b| b.operation == a.operation) else { continue };
        for lengths in common_lengths([(selection, a), (selection, b)], per_size) {
            let pair = [
                selection.row_at(label_a, a, lengths.clone()),
                selection.row_at(label_b, b, lengths),
            ];
            let [first, second] = pair.each_ref().map(|row| row.workload.of_any_primitive());
            if first == second {
                rows.extend(pair);
            }
        }
    }
    if rows.is_empty() {
        return Err(not_measured!(
            "{label_a} and {label_b} have no operation of {} and {} in common at these lengths",
            primitives[0],
            primitives[1]
        ));
    }
    selection.check_lengths(&rows)?;
    Ok(Pairs { rows, only: [Vec::new(), Vec::new()], complete: true })
}
