//! What all prepared calls share: repeating, and remembering failures.

use super::functions::Functions;

/// Makes `call` `calls` times; whether all of them worked.
#[inline(always)]
pub(super) fn repeat(calls: u64, mut call: impl FnMut() -> bool) -> bool {
    let mut worked = true;
    for _ in 0..calls {
        worked &= call();
    }
    worked
}

/// Whether calls were made, and why one of them failed.
#[derive(Debug, Default)]
pub(super) struct History {
    ran: bool,
    failure: Option<String>,
}

impl History {
    /// Takes note of `calls` calls, after them.
    pub(super) fn note(&mut self, functions: &Functions, calls: u64, worked: bool) {
        self.ran |= calls != 0;
        if !worked {
            self.failure = Some(functions.last_error());
        }
    }

    /// `bytes` as the output of the last call, if one was made and all worked.
    pub(super) fn output(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        match (&self.failure, self.ran) {
            (Some(reason), _) => Err(reason.clone()),
            (None, true) => Ok(bytes.to_vec()),
            (None, false) => Ok(Vec::new()),
        }
    }
}
