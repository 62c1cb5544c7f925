//! Defines the trait by which code offers implementations, and its errors.

use crate::dependence::{FeedTarget, Word};
use crate::first_use::Given;
use crate::{Inputs, NoMemory, Sizes, artefacts, attempts};
use cpb_model::{CallSpec, Contract, DoesNotFit, Offer, Operation, Parameters};

/// The reason why a library cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It is not installed, or cpb was built without its shim.
    #[error("{library} is not available: {reason}; {remedy}")]
    Missing {
        /// The library's name.
        library: String,
        /// The loader's messages for each attempt.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// The file cannot be loaded.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The file's path.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The file was loaded, but is not the expected library.
    #[error("{path} is no {library} library: it lacks the symbol {symbol}")]
    WrongLibrary {
        /// The file's path.
        path: String,
        /// The expected library.
        library: String,
        /// The first symbol that was not found.
        symbol: String,
    },
    /// The provider has another version of the interface.
    #[error("{path} speaks version {found} of cpb_provider.h, cpb speaks {expected}; rebuild it")]
    OtherAbi {
        /// The file's path.
        path: String,
        /// The provider's version.
        found: u32,
        /// The version that cpb supports.
        expected: u32,
    },
    /// The library refuses to be used.
    #[error("{library} refuses to start: {reason}")]
    Refused {
        /// The library's name.
        library: String,
        /// The library's message.
        reason: String,
    },
}

/// The reason why a call could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The library does not implement it.
    #[error("{library} has no {what}")]
    NotOffered {
        /// The library's name.
        library: String,
        /// The implementation, or the contract that it lacks.
        what: String,
    },
    /// It is implemented, but cannot run here or refuses; with the library's message.
    #[error("{0}")]
    Unavailable(String),
    /// It does not accept these lengths.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// There is not enough memory for the inputs.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

/// A call that is ready to run: contexts, buffers and, under the contract keyed, keys are in place.
pub trait Prepared {
    /// Makes the call `calls` times.
    fn run(&mut self, calls: u64);
    /// Returns the output of the last call: digest, tag, ciphertext followed by tag, plaintext,
    /// derived key. Empty before the first call.
    ///
    /// # Errors
    /// The library's message, if the call failed.
    fn output(&self) -> Result<Vec<u8>, String>;
    /// Returns the attempts of each case, from the first, for calls that use rejection sampling and
    /// whose output reveals it. Runs each case once, and must be called before any other method.
    fn attempts(&mut self) -> Option<Vec<u32>> {
        None
    }
    /// Returns the bytes of the library's objects in memory of its caller, if known; memory that
    /// the library allocates itself is not included.
    fn object_bytes(&self) -> u64 {
        0
    }
    /// Returns the last word of the last call's output, as it lies in memory; `None` if that is
    /// shorter, or unreachable.
    fn last_word(&self) -> Option<Word> {
        None
    }
    /// Writes a word into the next call's input, or elsewhere; returns whether it could. Whether
    /// the library reads it again is another question.
    fn feed(&mut self, _place: FeedTarget, _word: Word) -> bool {
        false
    }
}

/// The identity that an opened library reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// The version line that its own programs print, for the first line of bench-slopes: `OpenSSL
    /// 3.0.22 …`.
    pub banner: String,
    /// The file it was loaded from; absent if it is part of cpb.
    pub path: Option<String>,
    /// The code path it chose, such as its view of the CPU's capabilities.
    pub code_path: Option<String>,
}

/// A prepared call, or the reason why there is none.
pub type PrepareResult = Result<Box<dyn Prepared>, PrepareError>;

/// A source of implementations. One thread at a time uses it; a prepared call is used by the thread
/// that had it prepared.
pub trait Library: Send {
    /// Returns its identity.
    fn identity(&self) -> Identity;
    /// Returns all its offers, in the order of its bench-slopes rows if it has any, including those
    /// for other machines.
    fn offers(&self) -> &[Offer];
    /// Returns the offer of the same implementation for another operation, if it has one.
    fn counterpart(&self, offer: &Offer, operation: Operation) -> Option<&Offer> {
        let is_it = |other: &&Offer| other.operation == operation && other.is_of_the_same_as(offer);
        self.offers().iter().find(is_it)
    }
    /// Prepares `offer`, one of [`Library::offers`], under `contract`. The lengths of the
    /// [`Inputs`] were checked against the offer.
    ///
    /// # Errors
    /// [`PrepareError`], if it lacks the offer, or cannot run it here.
    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult;
    /// Whether it was checked against published answers when it was built.
    fn is_proved(&self, _offer: &Offer) -> bool {
        false
    }
    /// Makes the calls of `offer` prepared under `contract` from now on share key objects,
    /// whichever thread makes them; returns whether it can.
    fn share_keys(&mut self, _offer: &Offer, _contract: Contract) -> bool {
        false
    }
    /// Prepares `offer`, one of [`Library::offers`], for `workload`.
    ///
    /// # Errors
    /// [`PrepareError`], if it lacks the offer, does not accept these lengths, or cannot run it
    /// here.
    fn prepare(&self, offer: &Offer, workload: &CallSpec) -> PrepareResult {
        prepare(self, offer, workload)
    }
}

/// Implements [`Library::prepare`].
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

/// Works like [`prepare`], with only the first cases of an operation with key pairs, when it does
/// not matter how long a call takes.
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

/// Makes the inputs of a call, including outputs of other operations of the same library, for an
/// operation that inverts another or uses key pairs; of the latter, with only the first cases.
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

/// Returns the output of the operation that `offer` inverts; `None` if it inverts none.
pub(crate) fn artefact_of(
    library: &(impl Library + ?Sized),
    offer: &Offer,
    workload: &CallSpec,
) -> Result<Option<Vec<u8>>, PrepareError> {
    // Calls as in bench-slopes are given arbitrary bytes.
    let inverse = offer.operation.inverse().filter(|_| workload.contract != Contract::Compat);
    let Some(inverse) = inverse else { return Ok(None) };
    let result_bytes = Sizes::of(offer, workload)?.result;
    artefact(library, offer, inverse, workload, result_bytes).map(Some)
}

/// Returns the output of `inverse`, of the same library, for a message of `message_bytes`.
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
