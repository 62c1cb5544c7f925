//! Offers SHAKE; SHA-3 is among the hashes.

use super::{Offers, Ready, backend, offers_of};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Shake128, Shake256};
use cpb_model::{Lengths, Operation};
use cpb_provider::call;
use cpb_provider::sizes::FREE_OUTPUT;

/// Makes the way to prepare a function. There is no key, and the state is on the stack, so all
/// contracts are the same.
macro_rules! ready {
    ($xof:ty) => {
        |offer, _, inputs| {
            let backend = backend(offer)?;
            Ok(call(inputs, move |case, output| {
                <$xof>::xof_with(backend, case.message.bytes(), output);
                Ok(())
            }))
        }
    };
}

/// Name, bytes per permutation, and how it is prepared.
const PRIMITIVES: [(&str, usize, Ready); 2] = [
    ("shake128", Shake128::RATE, ready!(Shake128)),
    ("shake256", Shake256::RATE, ready!(Shake256)),
];

pub(super) fn offers() -> Offers {
    let offers = |(name, rate, ready)| {
        let (granularity, output) = (1, Some(FREE_OUTPUT));
        let lengths = Lengths { granularity, block: Some(rate), output, ..Lengths::default() };
        offers_of::<Backend>(name, Operation::Xof, Some(["hash", name, ""]), lengths, ready)
    };
    PRIMITIVES.into_iter().flat_map(offers).collect()
}
