//! `native`: offers cpb's own kernels, with one file per family of primitives.

mod chacha20_poly1305;
mod codec;
mod hmac;
mod kdf;
mod keccak;
mod sha;

use cpb_kernels::Backend;
use cpb_model::{BenchSlopesRow, Contract, Lengths, Offer, Operation};
use cpb_provider::{Identity, Inputs, Library, OpenError, PrepareError, PrepareResult};
use std::path::Path;

/// The backend against which every other library is checked, if it has the primitive.
pub const REFERENCE_BACKEND: &str = "portable";

/// The name of cpb's own kernels.
pub const NAME: &str = "native";

/// The way to prepare an offer.
type Ready = fn(&Offer, Contract, Inputs) -> PrepareResult;

/// Offers, each with the way to prepare it.
type Offers = Vec<(Offer, Ready)>;

/// The offers of every family, in the order of lists.
const FAMILIES: [fn() -> Offers; 6] = [
    sha::offers,
    keccak::offers,
    hmac::offers,
    kdf::offers,
    chacha20_poly1305::offers,
    codec::offers,
];

struct Native {
    offers: Vec<Offer>,
    /// How each is prepared.
    ready: Vec<Ready>,
}

pub(crate) fn open(
    path: Option<&Path>,
    _wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    match path {
        None => {
            let (offers, ready) = FAMILIES.iter().flat_map(|offers| offers()).unzip();
            Ok(Box::new(Native { offers, ready }))
        }
        Some(path) => Err(OpenError::Load {
            path: path.display().to_string(),
            reason: "native is part of cpb and has no file".to_owned(),
        }),
    }
}

impl Native {
    /// Returns the way to prepare exactly this offer under this contract.
    fn find(&self, offer: &Offer, contract: Contract) -> Result<Ready, PrepareError> {
        let place = self.offers.iter().position(|it| it == offer);
        let place = place.ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        match &offer.unavailable {
            Some(reason) => Err(PrepareError::Unavailable(reason.clone())),
            None => Ok(self.ready[place]),
        }
    }
}

impl Library for Native {
    fn identity(&self) -> Identity {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Identity { banner: format!("cpb {version}"), version, ..Identity::default() }
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        self.find(offer, contract)?(offer, contract, inputs)
    }

    /// bench-slopes does not time these kernels; for rows that it has, they are keyed.
    fn contract(&self, offer: &Offer, asked: Contract) -> Result<Contract, PrepareError> {
        self.find(offer, asked)?;
        Ok(if asked == Contract::Compat { Contract::Keyed } else { asked })
    }
}

/// Returns the offers of one primitive, one per backend, each with `ready`. `row` holds group,
/// algorithm and mode of its rows, if it has any; rows have the algorithm in upper case.
fn offers_of<B: Backend>(
    name: &str,
    operation: Operation,
    row: Option<[&str; 3]>,
    lengths: Lengths,
    ready: Ready,
) -> Offers {
    let fastest = B::fastest().name();
    let offer = |backend: &str| Offer {
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
    B::NAMES.iter().map(|backend| (offer(backend), ready)).collect()
}

/// Returns the backend that an offer names.
fn backend<B: Backend>(offer: &Offer) -> Result<B, PrepareError> {
    B::by_name(&offer.backend).map_err(|reason| PrepareError::Unavailable(reason.to_string()))
}

fn not_offered(what: String) -> PrepareError {
    PrepareError::NotOffered { library: NAME.to_owned(), what }
}
