//! Asks workers about costs of calls besides cycles, from the parent's side.

use crate::failures::wrong_answer;
use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::workers::process::{Worker, wanted};
use crate::workers::protocol::{
    FirstUse, FirstUsed, Give, GivenCall, Judge, Reply, Request, TraceCall,
};
use crate::workers::time_limits::Bounds;
use cpb_model::{CallSpec, Failure, Offer};

impl Worker {
    /// Returns how much of the stack a call writes to; `None` if that cannot be known.
    pub(crate) fn paint(&mut self, call: TraceCall) -> Result<Option<u64>, Failure> {
        wanted!(self, self.ask(&Request::Paint(call)), Reply::Painted(written) => written)
    }

    /// Returns the inputs of a call's first case, with its offer.
    pub(crate) fn give(
        &mut self,
        implementation: Implementation,
        workload: CallSpec,
    ) -> Result<(Offer, GivenCall), Failure> {
        let reply = self.ask(&Request::Give(Give { implementation, workload }));
        wanted!(self, reply, Reply::Given { offer, given } => (*offer, given))
    }

    /// Checks the output of a first use.
    ///
    /// # Errors
    /// Why it is wrong, or why that cannot be determined.
    pub(crate) fn judge(
        &mut self,
        implementation: Implementation,
        workload: CallSpec,
        given: GivenCall,
        output: Vec<u8>,
    ) -> Result<(), Failure> {
        let judge = Judge { implementation, workload, given, output };
        match self.ask(&Request::Judge(Box::new(judge)))? {
            Reply::Judged(None) => Ok(()),
            Reply::Judged(Some(reason)) => Err(wrong_answer(format!("wrong answer: {reason}"))),
            other => Err(self.refusal(other)),
        }
    }

    /// Makes a first use of `library`, in a worker that does nothing else.
    pub(crate) fn use_first(
        library: &LibrarySpec,
        job: FirstUse,
        bounds: Bounds,
    ) -> Result<FirstUsed, Failure> {
        let mut worker = Self::spawn(library, bounds)?;
        let reply = worker.ask(&Request::FirstUse(Box::new(job)));
        wanted!(worker, reply, Reply::FirstUsed(used) => used)
    }
}
