//! Offers base16 and base64.

use super::{Offers, Ready, backend, offers_of};
use cpb_kernels::{base16, base64};
use cpb_model::{Lengths, Operation};
use cpb_provider::call;

/// Makes the offers of a function of a codec. There is no key, so all contracts are the same.
macro_rules! offers {
    ($codec:ident::$function:ident, $operation:expr, $granularity:expr, $block:expr) => {{
        let ready: Ready = |offer, _, inputs| {
            let backend = backend(offer)?;
            Ok(call(inputs, move |case, output| {
                match $codec::$function(backend, case.message.bytes(), output) {
                    Ok(written) if written == output.len() => Ok(()),
                    Ok(written) => Err(format!("{written} bytes came out")),
                    Err(error) => Err(error.to_string()),
                }
            }))
        };
        let (name, operation) = (stringify!($codec), $operation);
        let (granularity, block) = ($granularity, Some($block));
        let lengths = Lengths { granularity, block, ..Lengths::default() };
        let row = Some(["codec", name, operation.name()]);
        offers_of::<$codec::Backend>(name, operation, row, lengths, ready)
    }};
}

/// Lists them with the granularity of lengths, and bytes per step.
pub(super) fn offers() -> Offers {
    [
        offers!(base16::encode_to_slice, Operation::Encode, 1, 32),
        offers!(base16::decode_to_slice, Operation::Decode, 2, 128),
        offers!(base64::encode_to_slice, Operation::Encode, 1, 48),
        offers!(base64::decode_to_slice, Operation::Decode, 4, 64),
    ]
    .concat()
}
