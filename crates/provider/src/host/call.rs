//! Wraps calls that a provider prepared, with the memory that they use.

use super::functions::Functions;
use super::lengths::Expected;
use crate::abi::{self, c_text};
use crate::inputs::Case;
use crate::word::last_word;
use crate::{FeedTarget, Inputs, Prepared, Word};
use cpb_model::{Contract, OperationRow, Role};
use std::ffi::{c_char, c_void};

/// The size of the buffer for a provider's reasons.
pub(super) const REASON_BYTES: usize = 512;

/// A workload as the provider sees it, with everything it points to, which does not move as long as
/// this lives.
pub(super) struct Memory {
    /// A single workload; not in a box, because moving a box asserts unique access to its content.
    pub(super) workload: Vec<abi::Workload>,
    inputs: Inputs,
    _cases: Vec<abi::Case>,
    _buffers: Vec<Vec<abi::Buffer>>,
}

impl Memory {
    pub(super) fn new(operation: &OperationRow, contract: Contract, mut inputs: Inputs) -> Self {
        let mut start = inputs.destination.pointer();
        let outputs: Vec<abi::Buffer> = inputs
            .outputs
            .iter()
            .map(|&(role, length)| {
                let bytes = start;
                start = start.wrapping_add(length);
                abi::Buffer { role: role as u32, reserved: 0, bytes, length: length as u64 }
            })
            .collect();
        let mut buffers: Vec<Vec<abi::Buffer>> =
            inputs.cases.iter_mut().map(|case| given(operation, case)).collect();
        let cases: Vec<abi::Case> = buffers
            .iter()
            .map(|inputs| abi::Case {
                inputs: inputs.as_ptr(),
                input_count: inputs.len() as u64,
                outputs: outputs.as_ptr(),
                output_count: outputs.len() as u64,
            })
            .collect();
        buffers.push(outputs);
        let workload = vec![abi::Workload {
            contract: abi::number_of(contract),
            reserved: 0,
            iterations: inputs.iterations,
            cases: cases.as_ptr(),
            case_count: cases.len() as u64,
        }];
        Self { workload, inputs, _cases: cases, _buffers: buffers }
    }
}

fn given(operation: &OperationRow, case: &mut Case) -> Vec<abi::Buffer> {
    let buffer = |role: &Role| {
        let (bytes, length) = case.place(operation, *role);
        abi::Buffer { role: *role as u32, reserved: 0, bytes, length: length as u64 }
    };
    operation.takes.iter().map(buffer).collect()
}

/// A call that a provider prepared.
pub(super) struct ProviderCall {
    pub(super) functions: Functions,
    pub(super) handle: *mut c_void,
    pub(super) contract: Contract,
    pub(super) made: u64,
    /// The memory that the handle may point to.
    pub(super) memory: Memory,
}

impl Prepared for ProviderCall {
    fn run(&mut self, calls: u64) {
        // SAFETY: the handle came from `prepare` and was not released.
        unsafe { (self.functions.run)(self.handle, calls) };
        self.made += calls;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        if self.made == 0 {
            return Ok(Vec::new());
        }
        let outputs = &self.memory.inputs.outputs;
        let nothing = |&(role, _): &(Role, usize)| abi::Buffer {
            role: role as u32,
            reserved: 0,
            bytes: std::ptr::null_mut(),
            length: 0,
        };
        let mut found: Vec<abi::Buffer> = outputs.iter().map(nothing).collect();
        let mut reason = [0; REASON_BYTES];
        // SAFETY: the handle is live; outputs and reason have the room stated.
        let status = unsafe {
            (self.functions.output)(
                self.handle,
                found.as_mut_ptr(),
                found.len() as u64,
                reason.as_mut_ptr(),
                REASON_BYTES as u64,
            )
        };
        if status != 0 {
            return Err(reason_text(&mut reason));
        }
        let mut output = Vec::with_capacity(self.memory.inputs.result_bytes);
        for (index, (found, &(role, bytes))) in found.iter().zip(outputs).enumerate() {
            let is_last = index + 1 == outputs.len();
            let least = match self.contract {
                // Calls as in bench-slopes have no comparable output.
                Contract::Compat => 0,
                _ if is_last => bytes.saturating_sub(self.memory.inputs.shorter_by),
                _ => bytes,
            };
            let expected = Expected { role, bytes, least };
            let length = expected.length(found)?;
            if length != 0 {
                // SAFETY: the provider states that this many bytes stand there until
                // the next call; they are as many as it offers, and not at null.
                output.extend(unsafe { std::slice::from_raw_parts(found.bytes, length) });
            }
        }
        Ok(output)
    }

    fn object_bytes(&self) -> u64 {
        // SAFETY: the handle is live, and of this provider.
        unsafe { self.functions.shim.object_bytes(self.handle) }
    }

    fn last_word(&self) -> Option<Word> {
        let Inputs { destination, result_bytes, .. } = &self.memory.inputs;
        last_word(&destination.bytes()[..*result_bytes])
    }

    fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
        let cases = &mut self.memory.inputs.cases;
        let next = if cases.len() == 1 { 0 } else { self.made as usize % cases.len() };
        cases[next].feed(place, word)
    }
}

impl Drop for ProviderCall {
    fn drop(&mut self) {
        // SAFETY: the handle came from `prepare` and is released once.
        unsafe { (self.functions.release)(self.handle) };
    }
}

/// Returns the reason that a provider wrote.
pub(super) fn reason_text(reason: &mut [c_char; REASON_BYTES]) -> String {
    // Whatever the provider wrote, the text ends within the buffer.
    reason[REASON_BYTES - 1] = 0;
    // SAFETY: it ends in a zero by now.
    let text = unsafe { c_text(reason.as_ptr()) };
    text.filter(|text| !text.is_empty()).unwrap_or("no reason given".to_owned())
}
