//! Traces a worker's call, from the parent's side.

use crate::implementation::Implementation;
use crate::workers::process::Worker;
use crate::workers::protocol::{Reply, Request, TraceCall};
use cpb_model::{CallSpec, Failure, FailureKind};
use cpb_trace::{Limits, NotTraced, Traced, trace};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The time limit of a call while it is not traced: it waits, or is about to end.
const BESIDE: Duration = Duration::from_secs(1);

/// The reason why there is no trace.
pub(crate) enum Untraced {
    /// The call cannot be made, or its worker failed.
    Failed(Failure),
    /// The call cannot be traced.
    NotTraced(NotTraced),
}

impl From<Failure> for Untraced {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Worker {
    /// Traces one call of `workload`, preceded by the making of its objects if `makes_objects` is
    /// set, until `stop` is set. The worker is gone after a call that was too long, or failed.
    pub(crate) fn trace(
        &mut self,
        implementation: Implementation,
        workload: CallSpec,
        makes_objects: bool,
        limits: Limits,
        stop: &AtomicBool,
    ) -> Result<Traced, Untraced> {
        // Tracer and call wait for each other all the time, which is fastest on one CPU.
        let cpu = cpb_host::allowed_cpus().last().copied();
        let call = TraceCall { implementation, workload, makes_objects, cpu };
        let thread = match self.ask(&Request::Trace(call))? {
            Reply::Traceable { thread } => thread,
            other => return Err(self.refusal(other).into()),
        };
        // A part that exceeds its time limit may take as long again at full speed.
        let parts = if makes_objects { 4 } else { 2 };
        let timeout = limits.time * parts + BESIDE;
        std::thread::scope(|scope| {
            // Only the thread that attached can do the rest.
            let (attached, is_attached) = channel();
            let tracer = scope.spawn(move || {
                if let Some(cpu) = cpu {
                    let _ = cpb_host::pin_to(cpu);
                }
                trace(thread, limits, makes_objects, &mut || {
                    let _ = attached.send(());
                })
            });
            let reply = match is_attached.recv() {
                Ok(()) => {
                    Some(self.ask_until(&Request::Call, timeout, &|| stop.load(Ordering::Relaxed)))
                }
                Err(_) => None,
            };
            let failed = |_| Err(NotTraced::Lost("the tracer failed".to_owned()));
            match (tracer.join().unwrap_or_else(failed), reply) {
                // A call that was too long is ended with its worker.
                (Ok(mut traced), Some(Ok(Reply::Called { object_bytes }))) => {
                    if let Some(objects) = &mut traced.objects {
                        objects.kept_bytes += object_bytes;
                    }
                    Ok(traced)
                }
                (Ok(traced), _) if traced.call.is_cut => Ok(traced),
                (Ok(_), Some(Ok(other))) => Err(self.refusal(other).into()),
                (_, Some(Err(failure))) if failure.kind == FailureKind::Hung => {
                    Err(Untraced::NotTraced(NotTraced::Waits(timeout)))
                }
                (Ok(_) | Err(NotTraced::Ended(_)), Some(Err(failure))) => Err(failure.into()),
                (Ok(_), None) => {
                    let reason = "it was never let go".to_owned();
                    Err(Untraced::NotTraced(NotTraced::Lost(reason)))
                }
                (Err(reason), _) => Err(Untraced::NotTraced(reason)),
            }
        })
    }
}
