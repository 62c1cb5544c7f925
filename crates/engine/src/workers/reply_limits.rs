//! How long a reply may be: a library may write where its worker does.

use super::protocol::Request;
use cpb_model::CallSpec;

/// A reply is not longer than this, and as much again for every sample and
/// digest that was asked for: a sample is three numbers of up to 20 digits, and
/// some more of them are taken than were asked for.
const LONGEST_REPLY: usize = 1 << 20;
const LONGEST_SAMPLE: usize = 256;
/// A byte of a case: up to three digits and a comma.
const LONGEST_BYTE: usize = 4;
/// Of a library's offers, or of what threads did, which nobody counts beforehand.
const LONGEST_LIST: usize = 1 << 24;

/// Of a message, so much again may stand in a case and in an output, whose text may be longer.
const MESSAGES: usize = 4;

/// How long the message is of a call that is given, or made.
fn message_bytes(request: &Request) -> usize {
    match request {
        Request::Give(give) => give.workload.parameters.message_bytes,
        Request::FirstUse(first) => first.workload.parameters.message_bytes,
        _ => 0,
    }
}

/// Bytes that the reply to `request` has at most.
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
        // Messages of any length, and what stands for them.
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

/// Of a workload that is checked: a digest, and with key pairs a case of it, which has so
/// many bytes beside its message.
fn longest_checked(workload: &CallSpec, case_bytes: usize) -> usize {
    if workload.operation.is_public_key() {
        LONGEST_REPLY + LONGEST_BYTE * (case_bytes + workload.parameters.message_bytes)
    } else {
        LONGEST_SAMPLE
    }
}
