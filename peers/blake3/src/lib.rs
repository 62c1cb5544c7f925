//! BLAKE3 as a provider.

use provider::{Implementation, Lengths, Operation, call, provider};

provider!(c"blake3", c"1", IMPLEMENTATIONS);

static IMPLEMENTATIONS: &[Implementation] = &[Implementation {
    primitive: c"blake3",
    operation: Operation::Hash,
    lengths: Lengths::hash(32),
    prepare: |w| {
        let message = w.message;
        Ok(call(w.destination, 32, move |out| {
            out[..32].copy_from_slice(blake3::hash(message).as_bytes());
            true
        }))
    },
}];
