//! Identifies an implementation of an opened library.

use cpb_model::{Offer, Operation, Subject, harmless};
use serde::{Deserialize, Serialize};

/// An implementation of the opened library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Implementation {
    pub(crate) operation: Operation,
    pub(crate) spelling: String,
    pub(crate) backend: String,
}

impl Implementation {
    pub(crate) fn of_subject(subject: &Subject) -> Self {
        Self {
            operation: subject.operation,
            spelling: subject.spelling.clone(),
            backend: subject.backend.clone(),
        }
    }

    pub(crate) fn of_offer(offer: &Offer) -> Self {
        Self {
            operation: offer.operation,
            spelling: offer.spelling.clone(),
            backend: offer.backend.clone(),
        }
    }

    /// Whether `offer` is of this implementation.
    pub(crate) fn is_of(&self, offer: &Offer) -> bool {
        offer.operation == self.operation
            // The parent holds these texts in their harmless form.
            && harmless(&offer.spelling) == self.spelling
            && harmless(&offer.backend) == self.backend
    }
}
