//! Limits the length of replies, because a library may write to the worker's pipe.

use super::protocol::Request;
use cpb_model::CallSpec;

/// The base limit, and the limit per requested sample or digest: a sample is three numbers of up to
/// 20 digits, and somewhat more are taken than requested.
const LONGEST_REPLY: usize = 1 << 20;
const LONGEST_SAMPLE: usize = 256;
/// The JSON text of a byte of a case: up to three digits and a comma.
const LONGEST_BYTE: usize = 4;
/// The limit for lists of unknown length: a library's offers, or what threads did.
const LONGEST_LIST: usize = 1 << 24;

/// The number of times that the message may appear in a case and an output, whose text may be
/// longer.
const MESSAGES: usize = 4;

/// Returns the message length of a call whose inputs are reported, or which is made.
fn message_bytes(request: &Request) -> usize {
    match request {
        Request::Give(give) => give.workload.parameters.message_bytes,
        Request::FirstUse(first) => first.workload.parameters.message_bytes,
        _ => 0,
    }
}

/// Returns the limit of the reply to `request`, in bytes.
pub(super) fn longest_reply(request: &Request) -> usize {
    match request {
        Request::Open(_) | Request::StartThreads(_) => LONGEST_LIST,
        Request::Calibrate(_)
        | Request::Accept(_)
        | Request::Watch(_)
        | Request::PrepareThreads(_)
        | Request::Trace(_)
        | Request::Paint(_)
        | Request::Judge(_)
        | Request::Call => LONGEST_REPLY,
        // Messages of any length, and what is derived from them.
        Request::Give(_) | Request::FirstUse(_) => {
            LONGEST_LIST + LONGEST_BYTE * MESSAGES * message_bytes(request)
        }
        Request::Threads(threads) => LONGEST_REPLY + threads.count * LONGEST_REPLY,
        Request::Check(check) => {
            let longest = |workload| longest_checked(workload, check.case_bytes);
            LONGEST_REPLY + check.workloads.iter().map(longest).sum::<usize>()
        }
        Request::Job(job) => {
            let samples = job.quota.map_or(job.samples.into(), |quota| quota.timed);
            let samples = usize::try_from(samples).unwrap_or(usize::MAX);
            let each = samples.saturating_mul(LONGEST_SAMPLE).saturating_add(LONGEST_REPLY);
            each.saturating_mul(job.workloads.len().max(1))
        }
    }
}

/// Returns the limit for a checked call: a digest, and with key pairs a case of this size besides
/// its message.
fn longest_checked(workload: &CallSpec, case_bytes: usize) -> usize {
    if workload.operation.is_public_key() {
        LONGEST_REPLY + LONGEST_BYTE * (case_bytes + workload.parameters.message_bytes)
    } else {
        LONGEST_SAMPLE
    }
}
