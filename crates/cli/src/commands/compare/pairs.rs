//! What two libraries have in common.

use crate::arguments::unknown;
use crate::fault::Fault;
use crate::selection::Selection;
use crate::shelf::Shelf;
use crate::side::Live;
use cpb_engine::Row;
use cpb_model::Offer;
use std::collections::BTreeSet;

/// Rows of two libraries, and what only one of them has.
pub(super) struct Pairs {
    /// The baseline's, and the candidate's behind it.
    pub(super) rows: Vec<Row>,
    pub(super) only: [Vec<String>; 2],
}

impl Pairs {
    /// What both sides have of what was selected; a row for each length where it is told
    /// apart `per_size`.
    pub(super) fn of(
        shelf: &Shelf,
        sides: &[Live; 2],
        selection: &Selection,
        per_size: bool,
    ) -> Result<Self, Fault> {
        let [baseline, candidate] = sides.each_ref().map(|side| offers(shelf, selection, side));
        let (baseline, candidate) = (baseline?, candidate?);
        let labels = sides.each_ref().map(|side| side.spec.label());
        let mut rows = Vec::new();
        let mut only = [Vec::new(), Vec::new()];
        for a in &baseline {
            let Some(b) = counterpart(a, &candidate) else {
                only[0].push(name(a));
                continue;
            };
            let common: BTreeSet<usize> = selection.lengths(b).into_iter().collect();
            let lengths = selection.lengths(a).into_iter().filter(|length| common.contains(length));
            let lengths: Vec<usize> = lengths.collect();
            let parts = if per_size {
                lengths.into_iter().map(|length| vec![length]).collect()
            } else {
                vec![lengths]
            };
            for lengths in parts.into_iter().filter(|lengths| !lengths.is_empty()) {
                rows.push(selection.row_at(&labels[0], a, lengths.clone()));
                rows.push(selection.row_at(&labels[1], b, lengths));
            }
        }
        let only_candidate = candidate.iter().filter(|b| counterpart(b, &baseline).is_none());
        only[1] = only_candidate.map(name).collect();
        if rows.is_empty() {
            return Err(Fault::NotMeasured(format!(
                "{} and {} have nothing in common of what was selected, at these sizes; see cpb list",
                sides[0], sides[1]
            )));
        }
        Ok(Self { rows, only })
    }
}

/// What `side` has of what was selected.
fn offers(shelf: &Shelf, selection: &Selection, side: &Live) -> Result<Vec<Offer>, Fault> {
    let label = side.spec.label();
    let all: Vec<&Offer> = shelf.offers().filter(|(l, _)| *l == label).map(|(_, o)| o).collect();
    if let Some(backend) = &side.backend {
        let known: BTreeSet<&str> = all.iter().map(|offer| offer.backend.as_str()).collect();
        if !known.contains(backend.as_str()) {
            return Err(unknown(&format!("backend of {label}"), backend, known));
        }
    }
    let is_meant = |offer: &Offer| match &side.backend {
        Some(backend) => offer.backend == *backend,
        None => offer.default_backend,
    };
    let selected = selection.select(shelf)?;
    let ours = selected.into_iter().filter(|(l, offer)| *l == label && is_meant(offer));
    Ok(ours.filter(|(_, o)| o.unavailable.is_none()).map(|(_, offer)| offer.clone()).collect())
}

/// The offer among `others` that does the same; of several the one of the same
/// name.
fn counterpart<'a>(offer: &Offer, others: &'a [Offer]) -> Option<&'a Offer> {
    let same =
        |other: &&Offer| other.primitive == offer.primitive && other.operation == offer.operation;
    let namesake = others.iter().find(|other| same(other) && other.spelling == offer.spelling);
    namesake.or_else(|| others.iter().find(same))
}

fn name(offer: &Offer) -> String {
    format!("{} {}", offer.primitive, offer.operation.name())
}
