//! Key objects that calls of several threads have in common.

use super::{Asked, Half, Key, Keys};
use crate::openssl::functions::Failed;
use crate::runtime::Owned;
use cpb_model::{Contract, Operation};
use std::cell::RefCell;
use std::collections::HashMap;

/// The name of a key's type, and its bytes.
type Place = (&'static str, Vec<u8>);

/// The keys that were read so far.
#[derive(Default)]
pub(in crate::openssl) struct SharedKeys {
    read: RefCell<HashMap<Place, Owned<Key>>>,
}

/// Whether there are keys to share: each call from bytes to bytes makes its own, and so does
/// one that makes keys.
pub(in crate::openssl) fn has_keys(operation: Operation, contract: Contract) -> bool {
    operation.is_public_key() && operation != Operation::Keygen && contract != Contract::Oneshot
}

impl Asked<'_> {
    /// `half`, which is made of `bytes`; as a key that all have, where keys are shared.
    pub(super) fn in_common(
        &self,
        half: Half,
        bytes: &[u8],
        read: fn(&Keys, &Half) -> Result<Owned<Key>, Failed>,
    ) -> Half {
        let Some(shared) = self.shared else { return half };
        let place = (self.recipe.name, bytes.to_vec());
        let mut known = shared.read.borrow_mut();
        if !known.contains_key(&place) {
            // One that cannot be read is refused where every call reads its own.
            let Ok(key) = read(&self.keys, &half) else { return half };
            known.insert(place.clone(), key);
        }
        match self.keys.again(&known[&place]) {
            Ok(key) => Half::Shared(key),
            Err(Failed) => half,
        }
    }
}
