//! SHA-3 and SHAKE.

use crate::catalogue::{self, Output};
use crate::{Buffer, Offer, PrepareError, Prepared};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use cpb_model::Workload;
use std::hint::black_box;

const PRIMITIVES: [&str; 6] =
    ["sha3-224", "sha3-256", "sha3-384", "sha3-512", "shake128", "shake256"];

pub(super) fn offers() -> Vec<Offer> {
    let fastest = Backend::fastest().name();
    let primitives = PRIMITIVES.iter().filter_map(|name| catalogue::find(name));
    primitives
        .flat_map(|primitive| {
            Backend::NAMES.iter().map(move |&backend| Offer {
                primitive,
                backend,
                is_default: backend == fastest,
                unavailable: Backend::by_name(backend).err().map(|reason| reason.to_string()),
            })
        })
        .collect()
}

/// `None` where the primitive is not of this family.
pub(super) fn prepare(
    workload: &Workload,
    backend: &str,
) -> Option<Result<Box<dyn Prepared>, PrepareError>> {
    let primitive = catalogue::find(&workload.primitive)?;
    if !PRIMITIVES.contains(&primitive.name) {
        return None;
    }
    let backend = match Backend::by_name(backend) {
        Ok(backend) => backend,
        Err(reason) => return Some(Err(PrepareError::Unavailable(reason.to_string()))),
    };
    let output_bytes = match primitive.output {
        Output::Fixed(bytes) => bytes,
        Output::Free { default } => workload.parameters.output_bytes.unwrap_or(default),
    };
    let message =
        Buffer::with_pattern(workload.parameters.message_bytes, workload.parameters.alignment);
    macro_rules! digest {
        ($hash:ty) => {
            boxed(message, output_bytes, move |message, output| {
                output.copy_from_slice(&<$hash>::digest_with(backend, message));
            })
        };
    }
    macro_rules! xof {
        ($xof:ty) => {
            boxed(message, output_bytes, move |message, output| {
                <$xof>::xof_with(backend, message, output);
            })
        };
    }
    Some(Ok(match primitive.name {
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
    message: Buffer,
    output: Vec<u8>,
    written: usize,
    call: F,
}

fn boxed<F>(message: Buffer, output_bytes: usize, call: F) -> Box<dyn Prepared>
where
    F: Fn(&[u8], &mut [u8]) + 'static,
{
    Box::new(Call { message, output: vec![0; output_bytes], written: 0, call })
}

impl<F: Fn(&[u8], &mut [u8])> Prepared for Call<F> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            (self.call)(black_box(self.message.bytes()), black_box(&mut self.output));
        }
        if calls != 0 {
            self.written = self.output.len();
        }
    }

    fn output(&self) -> &[u8] {
        &self.output[..self.written]
    }
}
