//! Finds a library's offers by what distinguishes them.

use crate::PrepareError;
use cpb_model::{Contract, Offer, Operation};
use std::collections::HashMap;

/// An offer, with the way to carry it out.
#[derive(Debug, Clone)]
pub(crate) struct Entry<R> {
    pub(crate) offer: Offer,
    pub(crate) recipe: R,
}

/// Every offer of a library, in listing order.
pub(crate) struct Offers<R> {
    library: &'static str,
    offers: Vec<Offer>,
    /// The way to carry out each offer.
    recipes: Vec<R>,
    /// Indices by spelling, operation and backend, which are unique in a library.
    places: HashMap<(String, Operation, String), usize>,
}

impl<R> Offers<R> {
    pub(crate) fn new(library: &'static str, entries: Vec<Entry<R>>) -> Self {
        let (offers, recipes): (Vec<_>, _) =
            entries.into_iter().map(|entry| (entry.offer, entry.recipe)).unzip();
        let places = offers.iter().enumerate().map(|(place, offer)| (key(offer), place));
        Self { library, places: places.collect(), offers, recipes }
    }

    pub(crate) fn list(&self) -> &[Offer] {
        &self.offers
    }

    /// Returns the way to carry out `offer`.
    ///
    /// # Errors
    /// [`PrepareError`], if the library does not have exactly this offer under this contract, or it
    /// cannot run here.
    pub(crate) fn find(&self, offer: &Offer, contract: Contract) -> Result<&R, PrepareError> {
        let not_offered =
            |what| PrepareError::NotOffered { library: self.library.to_owned(), what };
        let place = self.places.get(&key(offer)).filter(|place| self.offers[**place] == *offer);
        let place = place.ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        match &offer.unavailable {
            Some(reason) => Err(PrepareError::Unavailable(reason.clone())),
            None => Ok(&self.recipes[*place]),
        }
    }
}

fn key(offer: &Offer) -> (String, Operation, String) {
    (offer.spelling.clone(), offer.operation, offer.backend.clone())
}
