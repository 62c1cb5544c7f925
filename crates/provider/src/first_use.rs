//! A single call in a process that does nothing else before: all that it is given, made elsewhere, and
//! who hears when the library is loaded.

use crate::artefacts::{self, ProofError};
use crate::inputs::Inputs;
use crate::seeds::RoleValues;
use crate::{Library, PrepareError, acceptance, scheme};
use cpb_model::{CallSpec, Offer, Proof, Role};
use std::cell::RefCell;

/// What a call is given beyond what follows from its workload: outputs of other operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Of an operation with key pairs, all that is known of its case.
    pub case: Option<RoleValues>,
    /// Of an operation that undoes another, what that put out.
    pub artefact: Option<Vec<u8>>,
}

impl Given {
    /// What `library` makes for the first case of `workload`.
    ///
    /// # Errors
    /// As [`Library::prepare`].
    pub fn by(
        library: &(impl Library + ?Sized),
        offer: &Offer,
        workload: &CallSpec,
    ) -> Result<Self, PrepareError> {
        if offer.operation.is_public_key() {
            let case = artefacts::first_case(library, offer, workload)?;
            return Ok(Self { case: Some(case), artefact: None });
        }
        let artefact = crate::library::artefact_of(library, offer, workload)?;
        Ok(Self { case: None, artefact })
    }

    /// The inputs of a call that is given this.
    ///
    /// # Errors
    /// [`PrepareError`], where the offer has no such lengths, something it takes is not known, or
    /// there is no memory.
    pub fn inputs(&self, offer: &Offer, workload: &CallSpec) -> Result<Inputs, PrepareError> {
        if let Some(case) = &self.case {
            return Inputs::of_known(offer, workload, std::slice::from_ref(case));
        }
        let mut inputs = Inputs::new(offer, workload)?;
        self.artefact.as_ref().map_or(Ok(()), |artefact| inputs.take(artefact))?;
        Ok(inputs)
    }
}

/// Whether `output`, which another process put out given this, is right: what `library` puts out itself,
/// or, where that is not always the same, what it accepts.
///
/// # Errors
/// [`ProofError`]: why it is wrong, or why that cannot be said.
pub fn judge(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    given: &Given,
    output: &[u8],
) -> Result<(), ProofError> {
    let inputs = given.inputs(offer, workload)?;
    let proof = offer.operation.row().proof;
    if proof == Proof::LooksRandom {
        let is_one = output.len() == inputs.result_bytes;
        return is_one.then_some(()).ok_or_else(|| {
            let (found, right) = (output.len(), inputs.result_bytes);
            ProofError::Wrong(format!("it put out {found} bytes where {right} are right"))
        });
    }
    if scheme::has_one_output(offer) {
        let mut call = library.ready(offer, workload.contract, inputs)?;
        call.run(1);
        let right = call.output().map_err(ProofError::Wrong)?;
        let other =
            || ProofError::Wrong("it put out something else than later calls do".to_owned());
        return (right == output).then_some(()).ok_or_else(other);
    }
    let made = artefacts::by_role(output, &inputs.outputs, inputs.shorter_by);
    let mut case = given.case.clone().unwrap_or_default();
    case.extend(made.map_err(ProofError::Wrong)?);
    // Every operation has its own.
    case.remove(&Role::Randomness);
    let mut operations = acceptance::accepting(offer.operation).iter();
    match operations.find_map(|operation| library.counterpart(offer, *operation)) {
        Some(acceptor) => {
            acceptance::accepts(library, acceptor, workload.parameters.message_bytes, &[case])
        }
        None => Ok(()),
    }
}

/// Where the first use of a library has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// Its file is loaded and its functions are looked up; none was called.
    Loaded,
    /// It has nothing to get ready, and what follows up to the next of these is not its own.
    Ready,
    /// It is ready, and the algorithm was found in it.
    Found,
    /// What follows is of no use to a program that has the library alone, up to the next of these.
    Beside,
    /// That ends.
    Resumed,
}

type Told = Box<dyn FnMut(Passed)>;

thread_local! {
    static TOLD: RefCell<Option<Told>> = const { RefCell::new(None) };
}

/// Has `told` called wherever this thread passes from now on.
pub fn watch(told: impl FnMut(Passed) + 'static) {
    TOLD.set(Some(Box::new(told)));
}

/// Says that this thread has passed there.
pub fn passed(place: Passed) {
    TOLD.with_borrow_mut(|told| {
        if let Some(told) = told {
            told(place);
        }
    });
}
