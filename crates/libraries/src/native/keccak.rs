//! SHA-3 and SHAKE.

use crate::{Inputs, PrepareError, Prepared};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use cpb_model::{Lengths, Offer, Operation, RowName, Workload};
use std::hint::black_box;

/// Name, operation, bytes a permutation takes in, digest length.
const PRIMITIVES: [(&str, Operation, usize, Option<usize>); 6] = [
    ("sha3-224", Operation::Hash, 144, Some(28)),
    ("sha3-256", Operation::Hash, 136, Some(32)),
    ("sha3-384", Operation::Hash, 104, Some(48)),
    ("sha3-512", Operation::Hash, 72, Some(64)),
    ("shake128", Operation::Xof, 168, None),
    ("shake256", Operation::Xof, 136, None),
];

pub(super) fn offers() -> Vec<Offer> {
    let fastest = Backend::fastest().name();
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, operation, rate, output)| {
            Backend::NAMES.iter().map(move |&backend| Offer {
                primitive: name.to_owned(),
                operation,
                spelling: name.to_owned(),
                backend: backend.to_owned(),
                default_backend: backend == fastest,
                row: Some(RowName {
                    group: "hash".to_owned(),
                    algorithm: name.to_ascii_uppercase(),
                    mode: String::new(),
                }),
                lengths: Lengths {
                    granularity: 1,
                    block: Some(rate),
                    output,
                    ..Lengths::default()
                },
                unavailable: Backend::by_name(backend).err().map(|reason| reason.to_string()),
            })
        })
        .collect()
}

/// `None` where the primitive is not of this family.
pub(super) fn prepare(
    offer: &Offer,
    workload: &Workload,
) -> Option<Result<Box<dyn Prepared>, PrepareError>> {
    PRIMITIVES.iter().find(|(name, ..)| *name == offer.spelling)?;
    let backend = match Backend::by_name(&offer.backend) {
        Ok(backend) => backend,
        Err(reason) => return Some(Err(PrepareError::Unavailable(reason.to_string()))),
    };
    let inputs = Inputs::new(offer, workload);
    // A hash has no key, and its state lives on the stack: the contracts differ
    // in nothing.
    macro_rules! digest {
        ($hash:ty) => {
            boxed(inputs, move |message, output| {
                output.copy_from_slice(&<$hash>::digest_with(backend, message));
            })
        };
    }
    macro_rules! xof {
        ($xof:ty) => {
            boxed(inputs, move |message, output| {
                <$xof>::xof_with(backend, message, output);
            })
        };
    }
    Some(Ok(match offer.spelling.as_str() {
        "sha3-224" => digest!(Sha3_224),
        "sha3-256" => digest!(Sha3_256),
        "sha3-384" => digest!(Sha3_384),
        "sha3-512" => digest!(Sha3_512),
        "shake128" => xof!(Shake128),
        _ => xof!(Shake256),
    }))
}

/// One call: the message goes in, the output is overwritten.
struct Call<F> {
    inputs: Inputs,
    output: Vec<u8>,
    ran: bool,
    call: F,
}

fn boxed<F>(inputs: Inputs, call: F) -> Box<dyn Prepared>
where
    F: Fn(&[u8], &mut [u8]) + 'static,
{
    let output = vec![0; inputs.output_bytes];
    Box::new(Call { inputs, output, ran: false, call })
}

impl<F: Fn(&[u8], &mut [u8])> Prepared for Call<F> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            (self.call)(black_box(self.inputs.message.bytes()), black_box(&mut self.output));
        }
        self.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(if self.ran { self.output.clone() } else { Vec::new() })
    }
}
