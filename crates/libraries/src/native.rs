//! `native`: offers cpb's own kernels, with one file per family of primitives.

mod chacha20_poly1305;
mod codec;
mod hmac;
mod kdf;
mod keccak;
mod sha;

use crate::runtime::{Entry, Offers};
use crate::{Identity, Inputs, Library, OpenError, PrepareError, PrepareResult};
use cpb_kernels::Backend;
use cpb_model::{BenchSlopesRow, CallSpec, Contract, Lengths, Offer, Operation};
use std::path::Path;

/// The backend against which every other library is checked, if it has the primitive.
pub const REFERENCE_BACKEND: &str = "portable";

const NAME: &str = "native";

/// Prepares an offer of a family.
type Ready = fn(&Offer, Contract, Inputs) -> PrepareResult;

/// A family of primitives.
struct Family {
    offers: fn() -> Vec<Offer>,
    ready: Ready,
}

/// Every family, in the order of lists.
const FAMILIES: &[Family] = &[
    Family { offers: sha::offers, ready: sha::ready },
    Family { offers: keccak::offers, ready: keccak::ready },
    Family { offers: hmac::offers, ready: hmac::ready },
    Family { offers: kdf::offers, ready: kdf::ready },
    Family { offers: chacha20_poly1305::offers, ready: chacha20_poly1305::ready },
    Family { offers: codec::offers, ready: codec::ready },
];

struct Native {
    offers: Offers<Ready>,
}

pub(crate) fn open(
    path: Option<&Path>,
    _wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    match path {
        None => {
            let entries = FAMILIES.iter().flat_map(|family| {
                let entry = |offer| Entry { offer, recipe: family.ready };
                (family.offers)().into_iter().map(entry)
            });
            Ok(Box::new(Native { offers: Offers::new(NAME, entries.collect()) }))
        }
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

    fn offers(&self) -> &[Offer] {
        self.offers.list()
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        self.offers.find(offer, contract)?(offer, contract, inputs)
    }

    /// bench-slopes does not time these kernels; for rows that it has, they are keyed.
    fn prepare(&self, offer: &Offer, workload: &CallSpec) -> PrepareResult {
        self.offers.find(offer, workload.contract)?;
        let contract = match workload.contract {
            Contract::Compat => Contract::Keyed,
            contract => contract,
        };
        crate::prepare(self, offer, &CallSpec { contract, ..workload.clone() })
    }
}

/// Returns the offers of one primitive, one per backend. `row` holds group, algorithm and mode of its
/// rows, if it has any; rows have the algorithm in upper case.
fn offers_of<B: Backend>(
    name: &str,
    operation: Operation,
    row: Option<[&str; 3]>,
    lengths: Lengths,
) -> Vec<Offer> {
    let fastest = B::fastest().name();
    let offer = |&backend: &&str| Offer {
        backend: backend.to_owned(),
        default_backend: backend == fastest,
        row: row.map(|[group, algorithm, mode]| BenchSlopesRow {
            group: group.to_owned(),
            algorithm: algorithm.to_ascii_uppercase(),
            mode: mode.to_owned(),
        }),
        unavailable: B::by_name(backend).err().map(|reason| reason.to_string()),
        ..Offer::new(name, operation, lengths)
    };
    B::NAMES.iter().map(offer).collect()
}

/// Returns the backend that an offer names.
fn backend<B: Backend>(offer: &Offer) -> Result<B, PrepareError> {
    B::by_name(&offer.backend).map_err(|reason| PrepareError::Unavailable(reason.to_string()))
}

fn not_offered(offer: &Offer) -> PrepareError {
    let (library, what) = (NAME.to_owned(), offer.spelling.clone());
    PrepareError::NotOffered { library, what }
}
