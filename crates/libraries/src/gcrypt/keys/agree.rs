//! What two key pairs agree on: libgcrypt takes the peer's point for something encrypted,
//! and decodes and checks it in the call.

use super::sexp::{peer, secret_key};
use super::{Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use cpb_provider::Case;
use std::ptr;

pub(super) fn prepare(asked: Asked) -> Made {
    let algorithm = asked.algorithm;
    let secret = |case: &Case| secret_key(algorithm, case.bytes(Role::SecretKey), None);
    let secrets = asked.expressions(secret)?;
    let peers = asked.expressions(|case| Some(peer(case.bytes(Role::PublicKey))))?;
    let (keys, secret_bytes) = (asked.keys, asked.inputs.result_bytes);
    asked.turns(Agreement { keys, secrets, peers, secret_bytes, last: None })
}

struct Agreement {
    keys: Keys,
    /// As expressions, by case.
    secrets: Vec<Vec<u8>>,
    peers: Vec<Vec<u8>>,
    /// Of what is agreed on.
    secret_bytes: usize,
    last: Option<Context>,
}

/// The secret key, and the peer's.
type Pair = [Context; 2];

impl Task for Agreement {
    type Ready = Pair;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Pair, Failure> {
        let Turn { number, .. } = turn;
        Ok([self.keys.read(&self.secrets[number])?, self.keys.read(&self.peers[number])?])
    }

    #[inline(always)]
    fn run(&mut self, [secret, peer]: &Pair, _: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        let mut handle = ptr::null_mut();
        // SAFETY: both expressions are live, and there is room for a handle, which is ours to
        // release.
        self.last = unsafe {
            check((self.keys.decrypt)(&raw mut handle, peer.pointer(), secret.pointer()))?;
            Owned::new(handle, self.keys.release)
        };
        Ok(0)
    }

    /// The x coordinate of an uncompressed point.
    fn encoded(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        let bytes = self.secret_bytes;
        let last = self.last.as_ref();
        let point = last.and_then(|last| self.keys.number(last, c"value", 1 + 2 * bytes));
        let point = point.ok_or_else(|| "what was agreed on is no point".to_owned())?;
        Ok(point[1..=bytes].to_vec())
    }
}
