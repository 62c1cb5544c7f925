//! Pairs the rows that two libraries have in common.

use super::folders;
use crate::arguments::unknown;
use crate::cli_error::CliError;
use crate::library_set::LibrarySet;
use crate::output;
use crate::selection::Selection;
use crate::side::LibrarySide;
use cpb_engine::Row;
use cpb_model::Offer;
use std::collections::BTreeSet;

/// Common rows of two libraries, and what only one of them has.
pub(super) struct Pairs {
    /// The rows: the baseline's, followed by the candidate's.
    pub(super) rows: Vec<Row>,
    pub(super) only: [Vec<String>; 2],
    /// Whether everything selected is available.
    pub(super) complete: bool,
}

impl Pairs {
    /// Pairs the selected rows that both sides have; with `per_size`, one row per length.
    pub(super) fn of(
        libraries: &LibrarySet,
        sides: &[LibrarySide; 2],
        selection: &Selection,
        per_size: bool,
    ) -> Result<Self, CliError> {
        let labels = sides.iter().filter(|side| side.spec.index.is_some());
        let built = labels.map(|side| side.spec.label()).collect();
        let selection = &Selection { built, ..selection.clone() };
        let [baseline, candidate] = sides.each_ref().map(|side| offers(libraries, selection, side));
        let (baseline, candidate) = (baseline?, candidate?);
        let is_folder = sides.each_ref().map(|side| side.spec.index.is_some());
        let mut all_built = true;
        for (side, offers) in sides.iter().zip([&baseline, &candidate]) {
            all_built &= report_failures(side, offers);
        }
        let [baseline, candidate] = [baseline, candidate].map(|mut offers| {
            offers.retain(|offer| offer.unavailable.is_none());
            offers
        });
        let counterparts = |offer: &Offer, ours: &[Offer], others: &[Offer]| -> Vec<Offer> {
            match is_folder {
                [false, false] => counterpart(offer, others).into_iter().cloned().collect(),
                [one, other] => {
                    let found = folders::counterparts(offer, ours, others, one && other);
                    found.into_iter().cloned().collect()
                }
            }
        };
        let labels = sides.each_ref().map(|side| side.spec.label());
        let mut rows = Vec::new();
        let mut only = [Vec::new(), Vec::new()];
        for a in &baseline {
            let others = counterparts(a, &baseline, &candidate);
            if others.is_empty() {
                only[0].push(name(a));
            }
            for b in &others {
                for (ours, theirs) in selection.of_keys(a).iter().zip(&selection.of_keys(b)) {
                    for lengths in common_lengths([(ours, a), (theirs, b)], per_size) {
                        let pair = [
                            ours.row_at(&labels[0], a, lengths.clone()),
                            theirs.row_at(&labels[1], b, lengths),
                        ];
                        // A library's default lengths may make it other work.
                        if pair[0].workload == pair[1].workload {
                            rows.extend(pair);
                        } else {
                            only[0].push(pair[0].workload.title());
                            only[1].push(pair[1].workload.title());
                        }
                    }
                }
            }
        }
        let is_alone = |b: &&Offer| counterparts(b, &candidate, &baseline).is_empty();
        only[1].extend(candidate.iter().filter(is_alone).map(name));
        if rows.is_empty() {
            return Err(not_measured!(
                "{} and {} have none of the selected primitives in common at these sizes; see cpb list",
                sides[0],
                sides[1]
            ));
        }
        selection.check_lengths(&rows)?;
        Ok(Self { rows, only, complete: all_built && !libraries.lacks() })
    }
}

/// Returns the common lengths of a pair, grouped by row.
pub(super) fn common_lengths(pair: [(&Selection, &Offer); 2], per_size: bool) -> Vec<Vec<usize>> {
    let [ours, theirs] = pair.map(|(selection, offer)| selection.lengths(offer));
    let lengths: Vec<usize> = ours.into_iter().filter(|it| theirs.contains(it)).collect();
    let parts: Vec<Vec<usize>> = match per_size {
        true => lengths.into_iter().map(|length| vec![length]).collect(),
        false => vec![lengths],
    };
    parts.into_iter().filter(|lengths| !lengths.is_empty()).collect()
}

/// Returns the selected offers of `side`.
fn offers(
    libraries: &LibrarySet,
    selection: &Selection,
    side: &LibrarySide,
) -> Result<Vec<Offer>, CliError> {
    let label = side.spec.label();
    let all: Vec<&Offer> =
        libraries.offers().filter(|(l, _)| *l == label).map(|(_, o)| o).collect();
    if let Some(backend) = &side.backend {
        let known: BTreeSet<&str> = all.iter().map(|offer| offer.backend.as_str()).collect();
        if !known.contains(backend.as_str()) {
            return Err(unknown(&format!("backend of {label}"), backend, known));
        }
    }
    let is_meant = |offer: &Offer| match &side.backend {
        Some(backend) => offer.backend == *backend,
        None => offer.default_backend || side.spec.index.is_some(),
    };
    let selected = selection.select(libraries)?;
    let ours = selected.into_iter().filter(|(l, offer)| *l == label && is_meant(offer));
    // For a folder, the reason why something is missing is reported.
    let is_told = |offer: &Offer| offer.unavailable.is_none() || side.spec.index.is_some();
    Ok(ours.filter(|(_, offer)| is_told(offer)).map(|(_, offer)| offer.clone()).collect())
}

/// Reports implementations that could not be built or are wrong; returns whether there were none.
fn report_failures(side: &LibrarySide, offers: &[Offer]) -> bool {
    let failed = offers.iter().filter_map(|offer| Some((offer, offer.unavailable.as_ref()?)));
    let told = failed.map(|(offer, reason)| {
        output::complain(&format!("{side}: {} {}: {reason}", name(offer), offer.backend));
    });
    told.count() == 0
}

/// Returns the offer of `others` that does the same; of several, the one of the same name.
fn counterpart<'a>(offer: &Offer, others: &'a [Offer]) -> Option<&'a Offer> {
    let same = |other: &&Offer| other.does_the_same_as(offer);
    let namesake = others.iter().find(|other| same(other) && other.spelling == offer.spelling);
    namesake.or_else(|| others.iter().find(same))
}

pub(super) fn name(offer: &Offer) -> String {
    format!("{} {}", offer.primitive, offer.operation.name())
}
