//! Makes calls of Rust functions repeatable.

use crate::word::last_word;
use crate::{Case, FeedTarget, Inputs, PrepareError, PrepareResult, Prepared, Word};
use cpb_model::Contract;
use std::hint::black_box;

struct Call<F> {
    inputs: Inputs,
    /// The index of the next call's case.
    next: usize,
    ran: bool,
    /// The failure of the first call that failed.
    failure: Option<String>,
    work: F,
}

/// Makes `work` a call, which reads a case and must overwrite the whole output.
pub fn call<F>(inputs: Inputs, mut work: F) -> Box<dyn Prepared>
where
    F: FnMut(&Case, &mut [u8]) -> Result<(), String> + 'static,
{
    numbered(inputs, move |_, case, output| work(case, output))
}

/// Works like [`call`], for functions with keys: `key` makes the key schedule or parsed key that
/// `work` uses. Under `oneshot` every call makes it; otherwise it is made once per case, outside
/// the calls.
///
/// # Errors
/// The error of `key` for a case, if it is made here.
pub fn call_with_key<K, M, F>(
    contract: Contract,
    inputs: Inputs,
    key: M,
    mut work: F,
) -> PrepareResult
where
    K: 'static,
    M: Fn(&Case) -> Result<K, String> + 'static,
    F: FnMut(&K, &Case, &mut [u8]) -> Result<(), String> + 'static,
{
    if contract == Contract::Oneshot {
        return Ok(call(inputs, move |case, output| work(&key(case)?, case, output)));
    }
    let keys: Result<Vec<K>, String> = inputs.cases.iter().map(key).collect();
    let keys = keys.map_err(PrepareError::Unavailable)?;
    Ok(numbered(inputs, move |number, case, output| work(black_box(&keys[number]), case, output)))
}

/// Makes a call whose work is also given the index of the case.
fn numbered<F>(inputs: Inputs, work: F) -> Box<dyn Prepared>
where
    F: FnMut(usize, &Case, &mut [u8]) -> Result<(), String> + 'static,
{
    Box::new(Call { inputs, next: 0, ran: false, failure: None, work })
}

/// Turns the success flag of a call into its result.
///
/// # Errors
/// If it failed.
pub fn worked(worked: bool) -> Result<(), String> {
    if worked { Ok(()) } else { Err("the library reported an error".to_owned()) }
}

impl<F> Prepared for Call<F>
where
    F: FnMut(usize, &Case, &mut [u8]) -> Result<(), String>,
{
    fn run(&mut self, calls: u64) {
        let Inputs { cases, destination, result_bytes, .. } = &mut self.inputs;
        let output = &mut destination.bytes_mut()[..*result_bytes];
        let mut next = self.next;
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            let outcome = (self.work)(next, black_box(&cases[next]), black_box(&mut *output));
            next = if next + 1 == cases.len() { 0 } else { next + 1 };
            if let Err(reason) = outcome {
                self.failure.get_or_insert(reason);
            }
        }
        self.next = next;
        self.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        let Inputs { destination, result_bytes, .. } = &self.inputs;
        match &self.failure {
            Some(reason) => Err(reason.clone()),
            None if self.ran => Ok(destination.bytes()[..*result_bytes].to_vec()),
            None => Ok(Vec::new()),
        }
    }

    fn last_word(&self) -> Option<Word> {
        let Inputs { destination, result_bytes, .. } = &self.inputs;
        last_word(&destination.bytes()[..*result_bytes])
    }

    fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
        self.inputs.cases[self.next].feed(place, word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use cpb_model::Role;
    use std::cell::Cell;
    use std::rc::Rc;

    fn case(key: u8) -> Case {
        let mut case = Case::new(Buffer::zeroed(0).unwrap()).unwrap();
        case.put(Role::Key, vec![key]);
        case
    }

    fn inputs() -> Inputs {
        Inputs {
            cases: vec![case(1), case(2), case(3)],
            destination: Buffer::zeroed(1).unwrap(),
            iterations: 1,
            output_bytes: 1,
            result_bytes: 1,
            outputs: vec![(Role::Output, 1)],
            shorter_by: 0,
        }
    }

    #[test]
    fn calls_take_the_cases_in_turn_and_the_first_failure_stays() {
        let mut prepared = call(inputs(), |case, output| {
            output.copy_from_slice(case.bytes(Role::Key));
            Ok(())
        });
        assert_eq!(prepared.output(), Ok(Vec::new()));
        for (calls, last) in [(2, 2), (1, 3), (1, 1), (3, 1)] {
            prepared.run(calls);
            assert_eq!(prepared.output(), Ok(vec![last]));
        }
        let mut failing = call(inputs(), |case, _| match case.bytes(Role::Key)[0] {
            1 => Ok(()),
            key => Err(format!("no {key}")),
        });
        failing.run(4);
        assert_eq!(failing.output(), Err("no 2".to_owned()));
    }

    /// Returns the key used by the last call, and how many keys were made, for several numbers of
    /// calls.
    fn made(contract: Contract) -> ([u8; 4], [usize; 4]) {
        let made = Rc::new(Cell::new(0));
        let count = made.clone();
        let key = move |case: &Case| {
            count.set(count.get() + 1);
            Ok(case.bytes(Role::Key)[0])
        };
        let work = |key: &u8, case: &Case, output: &mut [u8]| {
            assert_eq!(case.bytes(Role::Key), [*key]);
            output[0] = *key;
            Ok(())
        };
        let mut prepared = call_with_key(contract, inputs(), key, work).unwrap();
        let mut counts = [0; 4];
        let outputs = std::array::from_fn(|call| {
            prepared.run(1);
            counts[call] = made.get();
            prepared.output().unwrap()[0]
        });
        (outputs, counts)
    }

    #[test]
    fn each_case_has_a_key_of_its_own_made_in_the_call_or_once_before() {
        assert_eq!(made(Contract::Keyed), ([1, 2, 3, 1], [3, 3, 3, 3]));
        assert_eq!(made(Contract::Oneshot), ([1, 2, 3, 1], [1, 2, 3, 4]));
    }

    #[test]
    fn a_key_that_is_refused_is_a_reason_not_to_prepare_or_fails_the_call() {
        let key = |case: &Case| match case.bytes(Role::Key)[0] {
            2 => Err("no such key".to_owned()),
            key => Ok(key),
        };
        let work = |_: &u8, _: &Case, _: &mut [u8]| Ok(());
        let keyed = call_with_key(Contract::Keyed, inputs(), key, work);
        let reason = PrepareError::Unavailable("no such key".to_owned());
        assert_eq!(keyed.err(), Some(reason));
        let mut oneshot = call_with_key(Contract::Oneshot, inputs(), key, work).unwrap();
        oneshot.run(1);
        assert_eq!(oneshot.output(), Ok(vec![0]));
        oneshot.run(1);
        assert_eq!(oneshot.output(), Err("no such key".to_owned()));
    }
}
