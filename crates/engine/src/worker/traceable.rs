//! Prepares and makes a call that is traced, in the worker that makes it.

use crate::failures::wrong_answer;
use crate::worker::opened::Opened;
use crate::workers::protocol::TraceCall;
use cpb_libraries::{Inputs, Prepared, between_marks, scheme};
use cpb_model::Failure;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::time::{Duration, Instant};

/// Calls made before the traced one, as timed calls have others before them. With key pairs it is
/// one of each case, within the time limit.
const CALLS: u64 = 3;
const WARM_UP: Duration = Duration::from_millis(300);
/// Additional memory that the process may allocate, in bytes.
const MEMORY: u64 = 4 << 30;

/// A call ready to be traced.
pub(crate) struct Traceable {
    call: Box<dyn Prepared>,
    /// The inputs to make its objects again, if that is traced too.
    inputs: Option<Inputs>,
}

/// Prepares everything that is traced.
pub(crate) fn ready(opened: &Opened, trace: &TraceCall) -> Result<Traceable, Failure> {
    let call = prepare(opened, trace)?;
    let inputs = trace.makes_objects.then(|| opened.inputs(&trace.implementation, &trace.workload));
    Ok(Traceable { call, inputs: inputs.transpose()? })
}

/// Prepares the call as for timing, and warms it up as timed calls are.
pub(crate) fn prepare(opened: &Opened, call: &TraceCall) -> Result<Box<dyn Prepared>, Failure> {
    if let Some(cpu) = call.cpu {
        // If pinning fails, the call is only slower.
        let _ = cpb_host::pin_to(cpu);
    }
    limit_memory();
    let mut prepared = opened.ready(&call.implementation, &call.workload)?;
    let is_public_key = call.workload.operation.is_public_key();
    let calls = if is_public_key { scheme::CASES as u64 } else { CALLS };
    let start = Instant::now();
    for _ in 0..calls {
        prepared.run(1);
        if start.elapsed() >= WARM_UP {
            break;
        }
    }
    prepared.output().map_err(wrong_answer)?;
    Ok(prepared)
}

/// Returns the system's ID of this thread.
pub(crate) fn thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Makes an empty call and then the call, each between marks; before that its objects. Returns the
/// bytes of those objects in memory of the library's caller.
pub(crate) fn call(traced: Traceable, opened: &Opened, trace: &TraceCall) -> Result<u64, Failure> {
    let Traceable { mut call, inputs } = traced;
    let mut object_bytes = 0;
    if let Some(inputs) = inputs {
        let made = opened.made_between_marks(&trace.implementation, &trace.workload, inputs)?;
        object_bytes = made.object_bytes();
    }
    between_marks(call.as_mut(), 0);
    between_marks(call.as_mut(), 1);
    call.output().map(|_| object_bytes).map_err(wrong_answer)
}

/// Limits the memory of this process, if the system allows that.
fn limit_memory() {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split_whitespace().next().and_then(|pages| pages.parse::<u64>().ok());
    if let Some(pages) = pages {
        let limit = Some(pages * rustix::param::page_size() as u64 + MEMORY);
        let _ = setrlimit(Resource::As, Rlimit { current: limit, maximum: limit });
    }
}
