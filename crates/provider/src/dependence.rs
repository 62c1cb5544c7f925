//! Makes serial calls: between two calls, a word of the first one's output is read and written,
//! either into the input of the next, which must then wait for it, or elsewhere, so that it need
//! not wait.
//!
//! Both kinds differ only in where they write, so that the difference in cost is that of the
//! dependence alone.

use crate::{FeedTarget, Prepared, seeds};
use cpb_model::{CallSpec, Contract, Role};
use std::hint::black_box;

/// Tells whether a call must wait for the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// It need not wait.
    Independent,
    /// Its input contains a word of the previous output.
    Dependent,
}

impl Dependence {
    /// Both, in the order of reports.
    pub const ALL: [Self; 2] = [Self::Independent, Self::Dependent];
}

/// The reason why calls cannot depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoDependence {
    /// The operation makes it impossible.
    #[error("what {0} puts out is nothing that its next call could be given")]
    Operation(&'static str),
    /// The input was prepared before the calls.
    #[error(
        "keys are ready before the calls, and none can come of the call before; measure it \
             with --contract oneshot"
    )]
    KeyIsReady,
    /// The way the library is called makes it impossible.
    #[error(
        "fewer than 16 bytes go in, fewer than 4 come out, or the library keeps them to itself"
    )]
    OutOfReach,
    /// The output did not change with the input.
    #[error(
        "the library works on a copy of what it was given first, so that nothing can be \
             given to a later call"
    )]
    Copy,
    /// A call with changed input failed.
    #[error("a call does not take what the one before put out")]
    Refused,
}

/// Makes `call`, just prepared for `workload`, a serial call. Runs it for every case, and once more
/// for one of them, to check that a changed input changes the output.
///
/// # Errors
/// [`NoDependence`], also if independent calls are requested, which would have nothing to be
/// compared with.
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
    // Runs until a case was used twice, first unchanged and then with another input.
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
    // If the word does not change with the output, it is other memory.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;
    use crate::word::{last_word, put_first};
    use cpb_model::{Operation, Parameters};

    /// Outputs its message plus one; rotates through several cases.
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
                // The word that the check passed on has been added after the first of these.
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
