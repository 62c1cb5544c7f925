//! `native`: cpb's own kernels. One file per family of primitives.

mod keccak;

use crate::{Identity, Library, OpenError, PrepareError, Prepared};
use cpb_model::{Offer, Workload};
use std::path::Path;

/// The library that every other is checked against, where it has a primitive.
pub const REFERENCE_BACKEND: &str = "portable";

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
        keccak::offers()
    }

    fn prepare(
        &self,
        offer: &Offer,
        workload: &Workload,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        keccak::prepare(offer, workload).unwrap_or_else(|| {
            Err(PrepareError::NotOffered {
                library: "native".to_owned(),
                what: offer.spelling.clone(),
            })
        })
    }
}
