//! `native`: cpb's own kernels. One file per family of primitives.

mod chacha20_poly1305;
mod codec;
mod hmac;
mod kdf;
mod keccak;
mod sha;

use crate::{Identity, Inputs, Library, Made, OpenError, PrepareError};
use cpb_model::{Contract, Offer, Workload};
use std::path::Path;

/// The library that every other is checked against, where it has a primitive.
pub const REFERENCE_BACKEND: &str = "portable";

/// A family of primitives.
struct Family {
    offers: fn() -> Vec<Offer>,
    /// Makes one of them ready.
    ready: fn(&Offer, Contract, Inputs) -> Made,
}

/// Every family, in the order in which it is listed.
const FAMILIES: &[Family] = &[
    Family { offers: sha::offers, ready: sha::ready },
    Family { offers: keccak::offers, ready: keccak::ready },
    Family { offers: hmac::offers, ready: hmac::ready },
    Family { offers: kdf::offers, ready: kdf::ready },
    Family { offers: chacha20_poly1305::offers, ready: chacha20_poly1305::ready },
    Family { offers: codec::offers, ready: codec::ready },
];

struct Native;

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    match path {
        None => Ok(Box::new(Native)),
        Some(path) => Err(OpenError::Load {
            path: path.display().to_string(),
            reason: "native is part of cpb and has no file".to_owned(),
        }),
    }
}

impl Library for Native {
    fn identity(&self) -> Identity {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Identity { banner: format!("cpb {version}"), version, ..Identity::default() }
    }

    fn offers(&self) -> Vec<Offer> {
        FAMILIES.iter().flat_map(|family| (family.offers)()).collect()
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> Made {
        let has_it = |family: &&Family| (family.offers)().contains(offer);
        let family = FAMILIES.iter().find(has_it).ok_or_else(|| not_offered(offer))?;
        (family.ready)(offer, contract, inputs)
    }

    /// bench-slopes has none of these rows: under compat they are keyed.
    fn prepare(&self, offer: &Offer, workload: &Workload) -> Made {
        let contract = match workload.contract {
            Contract::Compat => Contract::Keyed,
            contract => contract,
        };
        crate::prepare(self, offer, &Workload { contract, ..workload.clone() })
    }
}

fn not_offered(offer: &Offer) -> PrepareError {
    let (library, what) = ("native".to_owned(), offer.spelling.clone());
    PrepareError::NotOffered { library, what }
}
