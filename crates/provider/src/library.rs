//! The trait by which code offers implementations, and what goes wrong with it.

use crate::dependence::{FeedTarget, Word};
use crate::first_use::Given;
use crate::{Inputs, NoMemory, Sizes, artefacts, attempts};
use cpb_model::{CallSpec, Contract, DoesNotFit, Offer, Operation, Parameters};

/// Why a library cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It is not installed, or cpb was built without its shim.
    #[error("{library} is not available: {reason}; {remedy}")]
    Missing {
        /// The library.
        library: String,
        /// What was tried, in the loader's words.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// The file cannot be loaded.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The file.
        path: String,
        /// The loader's words.
        reason: String,
    },
    /// The file was loaded, and is not what it should be.
    #[error("{path} is no {library} library: it lacks the symbol {symbol}")]
    WrongLibrary {
        /// The file.
        path: String,
        /// The library it should be.
        library: String,
        /// The first symbol that was not found.
        symbol: String,
    },
    /// A provider of another version of the interface.
    #[error("{path} speaks version {found} of cpb_provider.h, cpb speaks {expected}; rebuild it")]
    OtherAbi {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// The library says that it cannot be used.
    #[error("{library} refuses to start: {reason}")]
    Refused {
        /// The library.
        library: String,
        /// Its words.
        reason: String,
    },
}

/// Why a workload could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The library does not implement it.
    #[error("{library} has no {what}")]
    NotOffered {
        /// The library.
        library: String,
        /// The implementation, or the contract it lacks.
        what: String,
    },
    /// It has it, but it cannot run here, or refuses; the library's own words.
    #[error("{0}")]
    Unavailable(String),
    /// It does not work with such lengths.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// The inputs do not fit into memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

/// A call that is ready to run: contexts, buffers and, under the contract
/// keyed, keys are in place.
pub trait Prepared {
    /// Makes the call `calls` times.
    fn run(&mut self, calls: u64);
    /// What the last call put out: digest, tag, ciphertext followed by tag,
    /// plaintext, derived key. Empty before the first call.
    ///
    /// # Errors
    /// Why the call failed, in the library's words.
    fn output(&self) -> Result<Vec<u8>, String>;
    /// How many attempts the call takes for each of its cases, from the first: where calls
    /// draw until something fits, and what they put out tells how often. Runs each case
    /// once, and must come before any other call.
    fn attempts(&mut self) -> Option<Vec<u32>> {
        None
    }
    /// Bytes of the library's objects that stand in memory of who calls it, where that is known; those
    /// that it asked memory for itself are not among them.
    fn object_bytes(&self) -> u64 {
        0
    }
    /// The last word of what the last call put out, as it lies in memory; `None` where it is
    /// shorter, or out of reach.
    fn last_word(&self) -> Option<Word> {
        None
    }
    /// Writes a word into what the next call is given, or beside it; says whether it could.
    /// Whether the library looks there again is another question.
    fn feed(&mut self, _place: FeedTarget, _word: Word) -> bool {
        false
    }
}

/// What an opened library says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// Its version as its own programs print it, for bench-slopes' first line:
    /// `OpenSSL 3.0.22 …`.
    pub banner: String,
    /// The file it was loaded from; absent where it is part of cpb.
    pub path: Option<String>,
    /// The code path it took, such as its view of the CPU's capabilities.
    pub code_path: Option<String>,
}

/// A call that is ready, or why it is not.
pub type PrepareResult = Result<Box<dyn Prepared>, PrepareError>;

/// A source of implementations. One thread at a time uses it; what it makes ready is used
/// by the thread that had it made.
pub trait Library: Send {
    /// What it says of itself.
    fn identity(&self) -> Identity;
    /// Everything it has, in the order of its bench-slopes rows where it has
    /// such, and what it would have on another machine.
    fn offers(&self) -> &[Offer];
    /// The offer of the same implementation for another operation, where it has that.
    fn counterpart(&self, offer: &Offer, operation: Operation) -> Option<&Offer> {
        let is_it = |other: &&Offer| other.operation == operation && other.is_of_the_same_as(offer);
        self.offers().iter().find(is_it)
    }
    /// Makes `offer`, one of [`Library::offers`], ready to run under `contract`.
    /// [`Inputs`] have lengths of the offer and no others, so that nothing is left to
    /// check of them.
    ///
    /// # Errors
    /// [`PrepareError`], where it has none or it cannot run here.
    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult;
    /// Whether it was held to published answers before, by whoever built it.
    fn is_proved(&self, _offer: &Offer) -> bool {
        false
    }
    /// Has the calls of `offer` that are made ready under `contract` from now on use the same
    /// key objects, whichever thread makes them; says whether it can.
    fn share_keys(&mut self, _offer: &Offer, _contract: Contract) -> bool {
        false
    }
    /// Makes `offer`, one of [`Library::offers`], ready to run `workload`.
    ///
    /// # Errors
    /// [`PrepareError`], where it has none, it does not work with such lengths, or it
    /// cannot run here.
    fn prepare(&self, offer: &Offer, workload: &CallSpec) -> PrepareResult {
        prepare(self, offer, workload)
    }
}

/// What [`Library::prepare`] does.
///
/// # Errors
/// As [`Library::prepare`].
pub fn prepare(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> PrepareResult {
    prepare_cases(library, offer, workload, usize::MAX)
}

/// The same with the first so many cases of an operation that works with key pairs, where
/// it does not matter how long a call takes.
///
/// # Errors
/// As [`Library::prepare`].
pub fn prepare_cases(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> PrepareResult {
    let inputs = inputs_of_cases(library, offer, workload, cases)?;
    let masks = attempts::masks(offer, &inputs);
    let call = library.ready(offer, workload.contract, inputs)?;
    Ok(if masks.is_empty() { call } else { attempts::counting(call, masks) })
}

/// The inputs of a workload: with what other operations of the same library put out, for an
/// operation that undoes another or works with key pairs.
///
/// # Errors
/// As [`Library::prepare`].
pub fn inputs_of(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> Result<Inputs, PrepareError> {
    inputs_of_cases(library, offer, workload, usize::MAX)
}

/// The same with the first so many cases of an operation that works with key pairs.
///
/// # Errors
/// As [`Library::prepare`].
pub fn inputs_of_cases(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
    cases: usize,
) -> Result<Inputs, PrepareError> {
    if let Some(reason) = &offer.unavailable {
        return Err(PrepareError::Unavailable(reason.clone()));
    }
    if offer.operation.is_public_key() {
        return artefacts::inputs(library, offer, workload, cases);
    }
    let artefact = artefact_of(library, offer, workload)?;
    Given { case: None, artefact }.inputs(offer, workload)
}

/// What the operation that `offer` undoes puts out; `None` where it undoes none.
pub(crate) fn artefact_of(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> Result<Option<Vec<u8>>, PrepareError> {
    // What bench-slopes times is given whatever there is.
    let inverse = offer.operation.inverse().filter(|_| workload.contract != Contract::Compat);
    let Some(inverse) = inverse else { return Ok(None) };
    let result_bytes = Sizes::of(offer, workload)?.result;
    artefact(library, offer, inverse, workload, result_bytes).map(Some)
}

/// What `inverse`, of the same library, puts out where it is given `message_bytes`.
fn artefact(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    inverse: Operation,
    workload: &CallSpec,
    message_bytes: usize,
) -> Result<Vec<u8>, PrepareError> {
    let maker = library.counterpart(offer, inverse).ok_or_else(|| {
        let (inverse, operation) = (inverse.name(), offer.operation.name());
        PrepareError::Unavailable(format!(
            "{} has no {inverse}, and so nothing to {operation}",
            offer.spelling
        ))
    })?;
    let workload = CallSpec {
        operation: inverse,
        contract: Contract::Keyed,
        parameters: Parameters { message_bytes, output_bytes: None, ..workload.parameters },
        ..workload.clone()
    };
    let mut call = library.ready(maker, Contract::Keyed, Inputs::new(maker, &workload)?)?;
    call.run(1);
    call.output().map_err(PrepareError::Unavailable)
}
