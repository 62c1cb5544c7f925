//! Orders rows.

use cpb_model::Offer;
use cpb_oldtools::slope::key_pairs;
use cpb_oldtools::slope::rows::RowLabel;
use std::collections::HashSet;

/// Moves rows with key pairs behind the others of each library, algorithm by algorithm. Operations
/// on a curve that signatures and agreements share appear once.
pub(super) fn key_pairs(selected: &mut Vec<(String, &Offer)>) {
    let libraries: Vec<String> = selected.iter().map(|(label, _)| label.clone()).collect();
    let library = |label: &String| libraries.iter().position(|it| it == label);
    selected.sort_by_cached_key(|(label, offer)| {
        let is_of_key_pairs = offer.operation.is_public_key();
        let place = is_of_key_pairs.then(|| key_pairs::place(&offer.primitive, offer.operation));
        (library(label), place)
    });
    let mut seen = HashSet::new();
    selected.retain(|(label, offer)| {
        let RowLabel { group, algorithm, mode } = RowLabel::of_offer(offer);
        !offer.operation.is_public_key() || seen.insert((label.clone(), group, algorithm, mode))
    });
}
