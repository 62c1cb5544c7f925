//! A call, again and again: keyed or from the beginning each time, what became of it, and
//! what it put out.

use crate::{Made, PrepareError, Prepared};
use cpb_model::Contract;
use cpb_provider::Case;
use cpb_provider::dependence::{Place, Word, last_word};

/// One call to a library, on memory of its own.
///
/// Implementations are called in a timed loop: what they can find out beforehand, they do.
pub(crate) trait Call {
    /// What is made ready once under the contract keyed, and for each call under oneshot:
    /// a context of the library's. It never outlives the call.
    type Context;
    /// Why a call failed, as cheap as a number.
    type Failure;

    /// Makes a context, keys it, and begins a message.
    fn begin(&self) -> Result<Self::Context, Self::Failure>;
    /// Begins another message with a context that was used.
    fn restart(&mut self, context: &Self::Context) -> Result<(), Self::Failure>;
    /// The message, and what comes out.
    fn process(&mut self, context: &Self::Context) -> Result<(), Self::Failure>;
    /// All of it, with a context of its own.
    #[inline(always)]
    fn oneshot(&mut self) -> Result<(), Self::Failure> {
        let context = self.begin()?;
        self.process(&context)
    }
    /// What the last call put out.
    fn output(&self) -> &[u8];
    /// The same in the encoding of the catalogue, where the library has another.
    fn encoded(&self) -> Result<Vec<u8>, String> {
        Ok(self.output().to_vec())
    }
    /// What the next call is given, where that can be another than the call before was.
    fn next_case(&mut self) -> Option<&mut Case> {
        None
    }
}

/// What a library says of failures.
pub(crate) trait ErrorText<F> {
    /// A failure in the library's words, asked for once and soon after it.
    fn words(&self, failure: F) -> String;
    /// Why something does not work at all, with the remedy where there is one.
    fn refusal(&self, failure: F) -> String {
        self.words(failure)
    }
    /// Whether a policy forbids some of what can be begun only when it is done.
    fn forbids_late(&self) -> bool {
        false
    }
}

/// Makes `call` to `library` ready to run as `contract` wants it: under compat as keyed, since
/// bench-slopes keys its contexts once.
///
/// # Errors
/// [`PrepareError::Unavailable`], where the library makes no context.
pub(crate) fn ready<L, C>(library: L, mut call: C, contract: Contract) -> Made
where
    L: ErrorText<C::Failure> + 'static,
    C: Call + 'static,
{
    let unavailable = |failure| PrepareError::Unavailable(library.refusal(failure));
    if library.forbids_late() {
        call.oneshot().map_err(unavailable)?;
    }
    let context = call.begin().map_err(unavailable)?;
    let context = match contract {
        Contract::Keyed | Contract::Compat => Some(context),
        // It was made only to learn that it can be.
        Contract::Oneshot => None,
    };
    Ok(Box::new(Repeated { context, call, library, ran: false, failure: None }))
}

struct Repeated<L, C: Call> {
    /// Of all calls; absent where each makes its own. It goes before the call whose
    /// memory it may point into.
    context: Option<C::Context>,
    call: C,
    library: L,
    ran: bool,
    /// Of the first call that failed.
    failure: Option<String>,
}

impl<L: ErrorText<C::Failure>, C: Call> Prepared for Repeated<L, C> {
    fn run(&mut self, calls: u64) {
        let Self { context, call, .. } = self;
        let outcome = match context {
            Some(context) => repeat(calls, || {
                call.restart(context)?;
                call.process(context)
            }),
            None => repeat(calls, || call.oneshot()),
        };
        self.ran |= calls != 0;
        if let Err(failure) = outcome {
            let words = self.library.words(failure);
            self.failure.get_or_insert(words);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        match &self.failure {
            Some(words) => Err(words.clone()),
            None if self.ran => self.call.encoded(),
            None => Ok(Vec::new()),
        }
    }

    fn last_word(&self) -> Option<Word> {
        last_word(self.call.output())
    }

    fn feed(&mut self, place: Place, word: Word) -> bool {
        self.call.next_case().is_some_and(|case| case.feed(place, word))
    }
}

/// Makes all `calls`, and returns the first failure: what failed takes its time, too.
#[inline(always)]
fn repeat<F>(calls: u64, mut call: impl FnMut() -> Result<(), F>) -> Result<(), F> {
    let mut first = Ok(());
    for _ in 0..calls {
        let outcome = call();
        if first.is_ok() {
            first = outcome;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// Fails in the calls of these numbers; the context is how many were made before it.
    struct Counting {
        fails: &'static [u8],
        made: Rc<Cell<u8>>,
        restarts: u8,
        output: [u8; 2],
    }

    impl Call for Counting {
        type Context = u8;
        type Failure = u8;

        fn begin(&self) -> Result<u8, u8> {
            let before = self.made.replace(self.made.get() + 1);
            if self.fails.contains(&0) { Err(0) } else { Ok(before) }
        }

        fn restart(&mut self, _: &u8) -> Result<(), u8> {
            self.restarts += 1;
            Ok(())
        }

        fn process(&mut self, context: &u8) -> Result<(), u8> {
            self.output = [*context, self.restarts];
            match self.restarts {
                number if self.fails.contains(&number) => Err(number),
                _ => Ok(()),
            }
        }

        fn output(&self) -> &[u8] {
            &self.output
        }
    }

    struct Numbers;

    impl ErrorText<u8> for Numbers {
        fn words(&self, failure: u8) -> String {
            format!("call {failure}")
        }
    }

    fn counting(fails: &'static [u8]) -> (Counting, Rc<Cell<u8>>) {
        let made = Rc::new(Cell::new(0));
        (Counting { fails, made: made.clone(), restarts: 0, output: [0; 2] }, made)
    }

    #[test]
    fn keyed_makes_one_context_and_oneshot_one_for_each_call() {
        for (contract, contexts, output) in [
            (Contract::Keyed, 1, [0, 3]),
            (Contract::Compat, 1, [0, 3]),
            (Contract::Oneshot, 4, [3, 0]),
        ] {
            let (call, made) = counting(&[]);
            let mut prepared = ready(Numbers, call, contract).unwrap();
            prepared.run(0);
            assert_eq!(prepared.output(), Ok(Vec::new()), "{contract:?}");
            prepared.run(3);
            assert_eq!(prepared.output(), Ok(output.to_vec()), "{contract:?}");
            assert_eq!(made.get(), contexts, "{contract:?}");
        }
    }

    #[test]
    fn the_first_failure_is_remembered() {
        let mut prepared = ready(Numbers, counting(&[2, 3, 5]).0, Contract::Keyed).unwrap();
        prepared.run(1);
        assert!(prepared.output().is_ok());
        prepared.run(3);
        assert_eq!(prepared.output(), Err("call 2".to_owned()));
        prepared.run(1);
        assert_eq!(prepared.output(), Err("call 2".to_owned()));
    }

    #[test]
    fn what_cannot_begin_is_unavailable() {
        let refused = ready(Numbers, counting(&[0]).0, Contract::Oneshot).err();
        assert_eq!(refused, Some(PrepareError::Unavailable("call 0".to_owned())));
    }
}
