//! `native`: cpb's own kernels. One file per family of primitives.

mod keccak;

use crate::{Library, Offer, PrepareError, Prepared};
use cpb_model::{LibraryId, Workload};

struct Native;

pub(crate) fn open() -> Box<dyn Library> {
    Box::new(Native)
}

impl Library for Native {
    fn id(&self) -> LibraryId {
        LibraryId {
            name: "native".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            path: None,
        }
    }

    fn offers(&self) -> Vec<Offer> {
        keccak::offers()
    }

    fn prepare(
        &self,
        workload: &Workload,
        backend: &str,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        keccak::prepare(workload, backend).unwrap_or_else(|| {
            Err(PrepareError::NotOffered {
                library: "native".to_owned(),
                primitive: workload.primitive.clone(),
                backend: backend.to_owned(),
            })
        })
    }
}
