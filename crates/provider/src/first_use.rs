//! Supports a single call in an otherwise unused process: its inputs are made elsewhere, and a
//! listener hears when the library is loaded.

use crate::artefacts::{self, ProofError};
use crate::inputs::Inputs;
use crate::seeds::RoleValues;
use crate::{Library, PrepareError, acceptance, scheme};
use cpb_model::{CallSpec, Offer, Proof, Role};
use std::cell::RefCell;

/// The inputs of a call beyond those that follow from its workload: outputs of other operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// For an operation with key pairs, all known values of its case.
    pub case: Option<RoleValues>,
    /// For an operation that inverts another, the output of that one.
    pub artefact: Option<Vec<u8>>,
}

impl Given {
    /// Makes these inputs with `library` for the first case of `workload`.
    ///
    /// # Errors
    /// As [`crate::prepare()`].
    pub fn by(
        library: &(impl Library + ?Sized),
        offer: &Offer,
        workload: &CallSpec,
    ) -> Result<Self, PrepareError> {
        if offer.operation.is_public_key() {
            let case = artefacts::first_case(library, offer, workload)?;
            return Ok(Self { case: Some(case), artefact: None });
        }
        let artefact = artefacts::artefact_of(library, offer, workload)?;
        Ok(Self { case: None, artefact })
    }

    /// Returns all inputs of a call that is given these.
    ///
    /// # Errors
    /// [`PrepareError`], if the offer has no such lengths, an input is unknown, or there is not
    /// enough memory.
    pub fn inputs(&self, offer: &Offer, workload: &CallSpec) -> Result<Inputs, PrepareError> {
        if let Some(case) = &self.case {
            return Inputs::of_known(offer, workload, std::slice::from_ref(case));
        }
        let mut inputs = Inputs::new(offer, workload)?;
        self.artefact.as_ref().map_or(Ok(()), |artefact| inputs.take(artefact))?;
        Ok(inputs)
    }
}

/// Checks `output`, which another process made from these inputs: it must equal the output of
/// `library`, or, if outputs vary, be accepted by it.
///
/// # Errors
/// [`ProofError`], if it is wrong, or cannot be checked.
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
    // Every operation has randomness of its own.
    case.remove(&Role::Randomness);
    let mut operations = acceptance::accepting(offer.operation).iter();
    match operations.find_map(|operation| library.counterpart(offer, *operation)) {
        Some(acceptor) => {
            acceptance::accepts(library, acceptor, workload.parameters.message_bytes, &[case])
        }
        None => Ok(()),
    }
}

/// Names the boundaries that the first use of a library passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// Its file is loaded and its functions are looked up; none was called yet.
    Loaded,
    /// It has nothing to initialise; the time up to the next boundary is not its own.
    Ready,
    /// It is initialised, and the algorithm was found in it.
    Found,
    /// The time up to the next boundary would not occur in a program that uses the library alone.
    Beside,
    /// The end of such time.
    Resumed,
}

type Told = Box<dyn FnMut(Passed)>;

thread_local! {
    static TOLD: RefCell<Option<Told>> = const { RefCell::new(None) };
}

/// Calls `told` whenever this thread passes a boundary from now on.
pub fn watch(told: impl FnMut(Passed) + 'static) {
    TOLD.set(Some(Box::new(told)));
}

/// Reports that this thread passed a boundary.
pub fn passed(place: Passed) {
    TOLD.with_borrow_mut(|told| {
        if let Some(told) = told {
            told(place);
        }
    });
}
