//! Answers what is asked of an opened library.

use crate::failures::{unavailable, wrong_answer};
use crate::implementation::Implementation;
use crate::verification::answers::{self, WrongAnswer};
use crate::worker::{first_use, job};
use crate::workers::protocol::{
    Accept, AcceptanceReply, Check, Checked, Give, GivenCall, Job, Judge, KeyProof, Reply,
};
use cpb_libraries::acceptance::{self, ProofError};
use cpb_libraries::first_use::Given;
use cpb_libraries::{Inputs, Library, PrepareError, Prepared, prepare, scheme};
use cpb_model::{CallSpec, Contract, Failure, LibraryBuild, Offer, Proof};
use cpb_sampler::Hardware;

/// An opened library.
pub(crate) struct Opened {
    pub(super) id: LibraryBuild,
    pub(super) library: Box<dyn Library>,
}

impl Opened {
    fn offer(&self, implementation: &Implementation) -> Result<&Offer, Failure> {
        let Implementation { operation, spelling, .. } = implementation;
        let offers = self.library.offers();
        offers.iter().find(|offer| implementation.is_of(offer)).ok_or_else(|| {
            let what = format!("{spelling} ({})", operation.name());
            unavailable(PrepareError::NotOffered { library: self.id.label.clone(), what })
        })
    }

    fn prepare(&self, offer: &Offer, workload: &CallSpec) -> Result<Box<dyn Prepared>, Failure> {
        prepare(self.library.as_ref(), offer, workload).map_err(unavailable)
    }

    /// Makes all later calls share key objects.
    pub(crate) fn share_keys(
        &mut self,
        implementation: &Implementation,
        contract: Contract,
    ) -> Result<(), Failure> {
        let offer = self.offer(implementation)?.clone();
        if self.library.share_keys(&offer, contract) {
            return Ok(());
        }
        let (name, operation) = (&self.id.label, offer.operation.name());
        Err(unavailable(format!(
            "{name} has no keys that threads could share for {operation}, or cpb does not know \
             how; --share none gives each its own"
        )))
    }

    /// Prepares the implementation to run `workload`.
    pub(crate) fn ready(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
    ) -> Result<Box<dyn Prepared>, Failure> {
        self.prepare(self.offer(implementation)?, workload)
    }

    /// Returns the inputs of a call of `workload` with a single case.
    pub(crate) fn inputs(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
    ) -> Result<Inputs, Failure> {
        let (library, offer) = (self.library.as_ref(), self.offer(implementation)?);
        cpb_libraries::inputs_of_cases(library, offer, workload, 1).map_err(unavailable)
    }

    /// Prepares the implementation between marks.
    pub(crate) fn made_between_marks(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, Failure> {
        let offer = self.offer(implementation)?;
        let make = || self.library.ready(offer, workload.contract, inputs);
        cpb_libraries::made_between_marks(make).map_err(unavailable)
    }

    pub(super) fn check(&self, check: &Check) -> Result<Reply, Failure> {
        let offer = self.offer(&check.implementation)?;
        if let Some(reason) = &offer.unavailable {
            return Err(unavailable(reason));
        }
        answers::known_answers(self.library.as_ref(), offer).map_err(|wrong| match wrong {
            WrongAnswer::Prepare(reason) => unavailable(reason),
            wrong => wrong_answer(wrong),
        })?;
        let outputs = check.workloads.iter().map(|workload| {
            if workload.operation.is_public_key() {
                return self.prove(offer, workload);
            }
            let mut prepared = self.prepare(offer, workload)?;
            if workload.operation.row().proof == Proof::LooksRandom {
                answers::looks_random(prepared.as_mut()).map_err(wrong_answer)?;
            }
            prepared.run(1);
            let output = prepared.output().map_err(wrong_answer)?;
            answers::against_oracle(workload, &output).map_err(wrong_answer)?;
            let is_proved = self.library.is_proved(offer);
            Ok(Checked { output: answers::digest(&output), keys: None, is_proved })
        });
        Ok(Reply::Checked(outputs.collect::<Result<_, Failure>>()?))
    }

    fn prove(&self, offer: &Offer, workload: &CallSpec) -> Result<Checked, Failure> {
        let (library, cases) = (self.library.as_ref(), scheme::CASES);
        let proved = acceptance::prove(library, offer, workload, cases);
        let proved = proved.map_err(|reason| match reason {
            ProofError::Prepare(reason) => unavailable(reason),
            ProofError::Wrong(reason) => wrong_answer(format!("wrong answer: {reason}")),
        })?;
        let keys = KeyProof {
            case: proved.case,
            has_one_output: scheme::has_one_output(offer),
            is_accepted: proved.is_accepted,
        };
        let is_proved = self.library.is_proved(offer);
        Ok(Checked { output: answers::digest(&proved.output), keys: Some(keys), is_proved })
    }

    pub(super) fn accept(&self, accept: Accept) -> Result<Reply, Failure> {
        let offer = self.offer(&accept.implementation)?;
        let (library, cases) = (self.library.as_ref(), [accept.case]);
        let opinion = match acceptance::accepts(library, offer, accept.message_bytes, &cases) {
            Ok(()) => AcceptanceReply::Accepts,
            // Rejecting a key is as good as rejecting the signature.
            Err(
                ProofError::Wrong(reason) | ProofError::Prepare(PrepareError::Unavailable(reason)),
            ) => AcceptanceReply::Refuses(reason),
            Err(ProofError::Prepare(_)) => AcceptanceReply::CannotSay,
        };
        Ok(Reply::Accepted(opinion))
    }

    /// Returns the inputs of a call's first case.
    pub(super) fn give(&self, give: &Give) -> Result<Reply, Failure> {
        let offer = self.offer(&give.implementation)?;
        let given = Given::by(self.library.as_ref(), offer, &give.workload).map_err(unavailable)?;
        let Given { case, artefact } = given;
        let given = GivenCall { case, artefact };
        Ok(Reply::Given { offer: Box::new(offer.clone()), given })
    }

    pub(super) fn judge(&self, judge: &Judge) -> Result<Reply, Failure> {
        let offer = self.offer(&judge.implementation)?;
        let (library, given) = (self.library.as_ref(), first_use::given(&judge.given));
        let judged =
            cpb_libraries::first_use::judge(library, offer, &judge.workload, &given, &judge.output);
        match judged {
            Ok(()) => Ok(Reply::Judged(None)),
            Err(ProofError::Wrong(reason)) => Ok(Reply::Judged(Some(reason))),
            Err(ProofError::Prepare(reason)) => Err(unavailable(reason)),
        }
    }

    pub(super) fn measure(
        &self,
        machine: &mut Hardware,
        job: &Job,
        heartbeat: &mut dyn FnMut(),
    ) -> Result<Reply, Failure> {
        let offer = self.offer(&job.implementation)?;
        let mut prepare = |workload: &CallSpec| {
            heartbeat();
            self.prepare(offer, workload)
        };
        job::carry_out(job, machine, &mut prepare).map(Reply::Measured)
    }
}
