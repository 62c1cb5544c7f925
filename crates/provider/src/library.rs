//! Defines the trait by which code offers implementations.

use crate::{FeedTarget, Inputs, PrepareError, Word};
use cpb_model::{Contract, Offer, Operation};

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
    /// Returns the contract that calls are prepared under where this one is `asked` for.
    ///
    /// # Errors
    /// [`PrepareError`], if it lacks the offer or the contract.
    fn contract(&self, _offer: &Offer, asked: Contract) -> Result<Contract, PrepareError> {
        Ok(asked)
    }
    /// Makes the calls of `offer` prepared under `contract` from now on share key objects,
    /// whichever thread makes them; returns whether it can.
    fn share_keys(&mut self, _offer: &Offer, _contract: Contract) -> bool {
        false
    }
}
