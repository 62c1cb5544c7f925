//! A call that is to be followed, in the worker that makes it.

use crate::worker::{Opened, wrong_answer};
use crate::workers::protocol::TraceCall;
use cpb_libraries::{Inputs, Prepared, between_marks, scheme};
use cpb_model::Failure;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::time::{Duration, Instant};

/// Calls that are made before, as those that are timed have others before them: with key pairs one of
/// each case, in so much time.
const CALLS: u64 = 3;
const WARM_UP: Duration = Duration::from_millis(300);
/// How much more memory the process may ask for.
const MEMORY: u64 = 4 << 30;

/// A call that is to be followed.
pub(crate) struct Traceable {
    call: Box<dyn Prepared>,
    /// What its objects are made of once more, where that is to be followed, too.
    inputs: Option<Inputs>,
}

/// Makes all ready that is to be followed.
pub(crate) fn ready(opened: &Opened, trace: &TraceCall) -> Result<Traceable, Failure> {
    let call = prepare(opened, trace)?;
    let inputs = trace.makes_objects.then(|| opened.inputs(&trace.implementation, &trace.workload));
    Ok(Traceable { call, inputs: inputs.transpose()? })
}

/// Makes the call ready that is timed, and runs it as that has been run when it is.
pub(crate) fn prepare(opened: &Opened, call: &TraceCall) -> Result<Box<dyn Prepared>, Failure> {
    if let Some(cpu) = call.cpu {
        // It only is slower elsewhere.
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

/// This thread, as the system numbers it.
pub(crate) fn thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// Makes the call between marks, after none; before these its objects, of which the bytes are returned
/// that stand in memory of who calls the library.
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

/// Where the system does not let it, there is none.
fn limit_memory() {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split_whitespace().next().and_then(|pages| pages.parse::<u64>().ok());
    if let Some(pages) = pages {
        let limit = Some(pages * rustix::param::page_size() as u64 + MEMORY);
        let _ = setrlimit(Resource::As, Rlimit { current: limit, maximum: limit });
    }
}
