//! Calls made one by one: between two of them a word of what the one put out is read and
//! written, where the next finds it in what it is given, so that it has to wait for it, or
//! beside that, so that it need not.
//!
//! Both kinds do the same but for the place that is written to. What they cost more or less
//! is the dependence alone.

use crate::{Prepared, seeds};
use cpb_model::{CallSpec, Contract, Role};
use std::hint::black_box;

/// What goes from call to call: of what is put out so much that a load of it finds it in the
/// store buffer, however the library wrote it.
pub type Word = u32;

/// How often it is written, by one store: so that the library's loads of up to so many bytes
/// find it there, too.
const TIMES: usize = 4;
const FED_BYTES: usize = TIMES * size_of::<Word>();

/// Where a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedTarget {
    /// Over the first bytes of the role; [`Role::Message`] is whatever stands in the message's
    /// place.
    Input(Role),
    /// Where no call looks.
    Beside,
}

/// Room for what no call looks at.
pub type Beside = [u8; FED_BYTES];

/// Whether a call has to wait for the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// It need not.
    Independent,
    /// It is given a word of what that put out.
    Dependent,
}

impl Dependence {
    /// Both, as they are told.
    pub const ALL: [Self; 2] = [Self::Independent, Self::Dependent];
}

/// Why calls cannot depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoDependence {
    /// By what is done.
    #[error("what {0} puts out is nothing that its next call could be given")]
    Operation(&'static str),
    /// What a call would be given was made ready before.
    #[error(
        "keys are ready before the calls, and none can come of the call before; measure it \
             with --contract oneshot"
    )]
    KeyIsReady,
    /// By how the library is called.
    #[error(
        "fewer than 16 bytes go in, fewer than 4 come out, or the library keeps them to itself"
    )]
    OutOfReach,
    /// A call was given other bytes, and put out the same.
    #[error(
        "the library works on a copy of what it was given first, so that nothing can be \
             given to a later call"
    )]
    Copy,
    /// A call that was given them failed.
    #[error("a call does not take what the one before put out")]
    Refused,
}

/// Has `call`, just made ready for `workload`, make its calls one by one. Runs it for every
/// case, and for one twice, to see that what a call is given changes what it puts out.
///
/// # Errors
/// [`NoDependence`], also where independent calls are asked for: they would stand alone.
pub fn one_by_one(
    mut call: Box<dyn Prepared>,
    workload: &CallSpec,
    dependence: Dependence,
) -> Result<Box<dyn Prepared>, NoDependence> {
    let row = workload.operation.row();
    let role = row.feeds.ok_or(NoDependence::Operation(row.name))?;
    let is_key = matches!(role, Role::Key | Role::SecretKey | Role::PublicKey);
    if is_key && workload.contract != Contract::Oneshot {
        return Err(NoDependence::KeyIsReady);
    }
    let has_cases = workload.operation.is_public_key();
    let cases = if has_cases { seeds::cases(&workload.primitive, workload.operation) } else { 1 };
    let input = FeedTarget::Input(if role == row.message { Role::Message } else { role });
    // Until a case has come round again, once as it was and once with other bytes.
    call.run(2);
    let before = call.output().map_err(|_| NoDependence::Refused)?;
    call.run(cases as u64 - 1);
    let word = call.last_word().ok_or(NoDependence::OutOfReach)?;
    if !call.feed(input, word) {
        return Err(NoDependence::OutOfReach);
    }
    call.run(1);
    let after = call.output().map_err(|_| NoDependence::Refused)?;
    if before == after {
        return Err(NoDependence::Copy);
    }
    // What does not change with what is put out is another memory.
    if call.last_word() == Some(word) {
        return Err(NoDependence::OutOfReach);
    }
    let place = match dependence {
        Dependence::Independent => FeedTarget::Beside,
        Dependence::Dependent => input,
    };
    Ok(Box::new(SerialCalls { call, place }))
}

struct SerialCalls {
    call: Box<dyn Prepared>,
    place: FeedTarget,
}

impl Prepared for SerialCalls {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            self.call.run(1);
            let word = self.call.last_word().unwrap_or_default();
            black_box(self.call.feed(self.place, word));
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.call.output()
    }
}

/// The last word of `bytes`, where there are so many.
#[must_use]
pub fn last_word(bytes: &[u8]) -> Option<Word> {
    bytes.last_chunk().map(|last| Word::from_ne_bytes(*last))
}

/// Puts a word, some times over, in the place of the first of `bytes`; says whether they are
/// so many.
#[inline(always)]
pub fn put_first(bytes: &mut [u8], word: Word) -> bool {
    let Some(first) = bytes.first_chunk_mut::<FED_BYTES>() else { return false };
    let [a, b, c, d] = word.to_ne_bytes();
    *first = [a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d];
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Operation, Parameters};

    /// Puts out the message it was given, plus one; of several cases in turn.
    struct Plus {
        messages: Vec<Vec<u8>>,
        next: usize,
        output: Vec<u8>,
        copies: bool,
    }

    impl Prepared for Plus {
        fn run(&mut self, calls: u64) {
            for _ in 0..calls {
                let first = if self.copies { 0 } else { self.messages[self.next][0] };
                self.output = vec![first.wrapping_add(1); self.output.len()];
                self.next = (self.next + 1) % self.messages.len();
            }
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(self.output.clone())
        }

        fn last_word(&self) -> Option<Word> {
            last_word(&self.output)
        }

        fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
            match place {
                FeedTarget::Input(Role::Message) => put_first(&mut self.messages[self.next], word),
                FeedTarget::Input(_) => false,
                FeedTarget::Beside => true,
            }
        }
    }

    fn made(
        plus: Plus,
        operation: Operation,
        dependence: Dependence,
    ) -> Result<Box<dyn Prepared>, NoDependence> {
        let workload = CallSpec {
            primitive: "ed25519".to_owned(),
            operation,
            contract: Contract::Keyed,
            parameters: Parameters::default(),
        };
        one_by_one(Box::new(plus), &workload, dependence)
    }

    fn plus(cases: usize, bytes: usize) -> Plus {
        Plus { messages: vec![vec![0; bytes]; cases], next: 0, output: vec![0; 8], copies: false }
    }

    #[test]
    fn dependent_calls_hand_on_what_they_put_out_and_others_do_not() {
        let several = seeds::cases("ed25519", Operation::Sign);
        assert!(several > 2);
        for (cases, operation) in [(1, Operation::Hash), (several, Operation::Sign)] {
            let first = |dependence| {
                let mut call = made(plus(cases, 16), operation, dependence).unwrap();
                // What the check has handed on is behind the first of these.
                call.run(2);
                let before = call.output().unwrap()[0];
                call.run(5);
                (before, call.output().unwrap()[0])
            };
            let (before, after) = first(Dependence::Dependent);
            assert_eq!(after, before + 5, "{cases}");
            let (before, after) = first(Dependence::Independent);
            assert!(before <= 3 && after <= 3, "nothing was handed on: {before}, {after}");
        }
    }

    #[test]
    fn why_there_is_no_dependence_is_said() {
        use Operation::{Agree, Hash, Open};
        let reason = |plus, operation| made(plus, operation, Dependence::Dependent).err();
        assert_eq!(reason(plus(1, 16), Open), Some(NoDependence::Operation("open")));
        assert_eq!(reason(plus(1, 16), Agree), Some(NoDependence::KeyIsReady));
        assert_eq!(reason(plus(1, 15), Hash), Some(NoDependence::OutOfReach));
        let short = Plus { output: vec![0; 3], ..plus(1, 16) };
        assert_eq!(reason(short, Hash), Some(NoDependence::OutOfReach));
        let copying = Plus { copies: true, ..plus(1, 16) };
        assert_eq!(reason(copying, Hash), Some(NoDependence::Copy));
    }
}
