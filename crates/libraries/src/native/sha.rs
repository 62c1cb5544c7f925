//! SHA-1 and SHA-2, and what all that is made of them has in common.

use super::{Made, not_offered};
use crate::{Inputs, PrepareError};
use cpb_kernels::hash::Hash;
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use cpb_provider::call;

/// The canonical names of the hashes.
pub(super) const NAMES: [&str; 7] =
    ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256"];

/// Calls a function that is generic over the hash with the one of that name;
/// `None` where there is none.
macro_rules! with_hash {
    ($name:expr, $function:ident($($argument:expr),*)) => {{
        use cpb_kernels::{sha1, sha256, sha512};
        match $name {
            "sha1" => Some($function::<sha1::Sha1>($($argument),*)),
            "sha224" => Some($function::<sha256::Sha224>($($argument),*)),
            "sha256" => Some($function::<sha256::Sha256>($($argument),*)),
            "sha384" => Some($function::<sha512::Sha384>($($argument),*)),
            "sha512" => Some($function::<sha512::Sha512>($($argument),*)),
            "sha512-224" => Some($function::<sha512::Sha512_224>($($argument),*)),
            "sha512-256" => Some($function::<sha512::Sha512_256>($($argument),*)),
            _ => None,
        }
    }};
}
pub(super) use with_hash;

pub(super) fn offers() -> Vec<Offer> {
    NAMES.iter().filter_map(|name| with_hash!(*name, hashes(name))).flatten().collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> Made {
    with_hash!(offer.spelling.as_str(), ready_hash(offer, inputs))
        .ok_or_else(|| not_offered(offer))?
}

fn hashes<H: Hash>(name: &str) -> Vec<Offer> {
    let lengths = Lengths {
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(Length::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    offers_of::<H>(name, Operation::Hash, Some("hash"), lengths)
}

/// The offers of one primitive, one for each backend of the hash it is made of;
/// `group` is that of its rows.
pub(super) fn offers_of<H: Hash>(
    name: &str,
    operation: Operation,
    group: Option<&str>,
    lengths: Lengths,
) -> Vec<Offer> {
    let fastest = H::name(H::fastest());
    let offer = |&backend: &&str| Offer {
        primitive: name.to_owned(),
        operation,
        spelling: name.to_owned(),
        backend: backend.to_owned(),
        default_backend: backend == fastest,
        row: group.map(|group| RowName {
            group: group.to_owned(),
            algorithm: name.to_ascii_uppercase(),
            mode: String::new(),
        }),
        lengths,
        unavailable: H::backend(backend).err().map(|reason| reason.to_string()),
    };
    H::BACKENDS.iter().map(offer).collect()
}

/// The backend an offer names.
pub(super) fn backend<H: Hash>(offer: &Offer) -> Result<H::Backend, PrepareError> {
    H::backend(&offer.backend).map_err(|reason| PrepareError::Unavailable(reason.to_string()))
}

/// A hash has no key, and its state lives on the stack: the contracts differ in
/// nothing.
fn ready_hash<H: Hash + 'static>(offer: &Offer, inputs: Inputs) -> Made {
    let backend = backend::<H>(offer)?;
    Ok(call(inputs, move |case, output| {
        output.copy_from_slice(H::hash(backend, case.message.bytes()).as_ref());
        Ok(())
    }))
}
