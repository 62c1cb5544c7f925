//! `native`: cpb's own kernels. One file per family of primitives.

mod call;
mod chacha20_poly1305;
mod codec;
mod hmac;
mod kdf;
mod keccak;
mod sha;

use crate::{Identity, Library, OpenError, PrepareError, Prepared};
use cpb_model::{Offer, Workload};
use std::path::Path;

/// The library that every other is checked against, where it has a primitive.
pub const REFERENCE_BACKEND: &str = "portable";

/// A family of primitives.
struct Family {
    offers: fn() -> Vec<Offer>,
    /// `None` where the primitive is not of this family.
    prepare: Prepare,
}

type Prepare = fn(&Offer, &Workload) -> Option<Result<Box<dyn Prepared>, PrepareError>>;

/// Every family, in the order in which it is listed.
const FAMILIES: &[Family] = &[
    Family { offers: sha::offers, prepare: sha::prepare },
    Family { offers: keccak::offers, prepare: keccak::prepare },
    Family { offers: hmac::offers, prepare: hmac::prepare },
    Family { offers: kdf::offers, prepare: kdf::prepare },
    Family { offers: chacha20_poly1305::offers, prepare: chacha20_poly1305::prepare },
    Family { offers: codec::offers, prepare: codec::prepare },
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

    fn prepare(
        &self,
        offer: &Offer,
        workload: &Workload,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let prepared = FAMILIES.iter().find_map(|family| (family.prepare)(offer, workload));
        prepared.unwrap_or_else(|| {
            Err(PrepareError::NotOffered {
                library: "native".to_owned(),
                what: offer.spelling.clone(),
            })
        })
    }
}
