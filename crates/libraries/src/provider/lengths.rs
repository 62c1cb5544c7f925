//! Which lengths a provider's implementation works with, and how long its output is.

use super::{Provider, RawImplementation};
use crate::sizes::{FREE_OUTPUT, aad, info};
use cpb_model::{LARGEST_BYTES, Length, Lengths, Operation};

/// The lengths that the header gives such an implementation: those it states, and of
/// secrets, HMAC keys, associated data and outputs without a length all others, too.
pub(super) fn lengths(raw: &RawImplementation, operation: Operation, primitive: &str) -> Lengths {
    let some = |bytes: u32| (bytes != 0).then_some(bytes as usize);
    let derives = operation == Operation::Derive;
    let stated = |bytes: u32, is_free: bool| match (bytes as usize, is_free) {
        (bytes, true) => Length::free(bytes),
        (bytes, false) => Length::fixed(bytes),
    };
    let is_hmac = operation == Operation::Mac && primitive.starts_with("hmac-");
    let output = match (some(raw.output_bytes), operation) {
        (Some(bytes), _) => Some(Length::fixed(bytes)),
        (None, Operation::Xof | Operation::Derive) => Some(FREE_OUTPUT),
        (None, _) => None,
    };
    Lengths {
        key: stated(raw.key_bytes, derives || is_hmac),
        nonce: stated(raw.nonce_bytes, derives),
        aad: if derives { info(primitive) } else { aad(operation) },
        tag: raw.tag_bytes as usize,
        granularity: raw.granularity.max(1) as usize,
        block: some(raw.block_bytes),
        output,
    }
}

impl Provider {
    /// Bounds the free outputs by the longest of the implementation with this index;
    /// 0 is no bound.
    pub(crate) fn bound_outputs(&mut self, longest: impl Fn(u64) -> u64) {
        for (index, offer) in &mut self.offers {
            let longest = usize::try_from(longest(*index)).unwrap_or(0);
            if let Some(output) = offer.lengths.output.filter(|_| longest != 0) {
                offer.lengths.output = Some(output.up_to(longest));
            }
        }
    }
}

/// Why nobody can call an implementation of such lengths; `None` where one can.
pub(super) fn wrong_lengths(operation: Operation, lengths: &Lengths) -> Option<String> {
    let output = lengths.output.map_or(0, Length::usual);
    let stated = [
        ("key_bytes", lengths.key.usual()),
        ("nonce_bytes", lengths.nonce.usual()),
        ("tag_bytes", lengths.tag),
        ("granularity", lengths.granularity),
        ("output_bytes", output),
    ];
    if let Some((field, bytes)) = stated.into_iter().find(|(_, bytes)| *bytes > LARGEST_BYTES) {
        return Some(format!(
            "the provider states {bytes} as its {field}, more than {LARGEST_BYTES} (1 GiB)"
        ));
    }
    let says_nothing = match operation {
        Operation::Hash => output == 0,
        Operation::Mac => output == 0 && lengths.tag == 0,
        Operation::Seal | Operation::Auth => lengths.tag == 0,
        _ => false,
    };
    says_nothing.then(|| {
        let field = match operation {
            Operation::Hash | Operation::Mac => "output_bytes",
            _ => "tag_bytes",
        };
        format!("the provider states 0 as its {field}, and so no length of what it puts out")
    })
}

/// How long the output is by what the provider offers.
pub(super) struct Expected {
    pub(super) bytes: usize,
    pub(super) may_be_less: bool,
}

impl Expected {
    /// The length of an output of `length` bytes from `bytes` on, or why it is not what
    /// was offered.
    pub(super) fn length(&self, bytes: *const u8, length: u64) -> Result<usize, String> {
        let expected = self.bytes;
        let fits = |length: &usize| *length == expected || self.may_be_less && *length < expected;
        let Some(length) = usize::try_from(length).ok().filter(fits) else {
            return Err(format!(
                "the provider put out {length} bytes where its offer means {expected}"
            ));
        };
        if bytes.is_null() && length != 0 {
            return Err(format!("the provider put out {length} bytes and a null pointer to them"));
        }
        Ok(length)
    }
}
