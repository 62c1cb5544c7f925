//! A call of a function in Rust, again and again.

use crate::{Case, Inputs, Prepared};
use std::hint::black_box;

struct Call<F> {
    inputs: Inputs,
    /// The case of the next call.
    next: usize,
    ran: bool,
    /// Of the first call that failed.
    failure: Option<String>,
    work: F,
}

/// Makes `work` ready to run: a case goes in, the output is overwritten, all of it.
pub fn call<F>(inputs: Inputs, work: F) -> Box<dyn Prepared>
where
    F: FnMut(&Case, &mut [u8]) -> Result<(), String> + 'static,
{
    Box::new(Call { inputs, next: 0, ran: false, failure: None, work })
}

/// The outcome of a call that says no more than whether it worked.
///
/// # Errors
/// Where it did not.
pub fn worked(worked: bool) -> Result<(), String> {
    if worked { Ok(()) } else { Err("the library reported an error".to_owned()) }
}

impl<F> Prepared for Call<F>
where
    F: FnMut(&Case, &mut [u8]) -> Result<(), String>,
{
    fn run(&mut self, calls: u64) {
        let Inputs { cases, destination, result_bytes, .. } = &mut self.inputs;
        let output = &mut destination.bytes_mut()[..*result_bytes];
        let mut next = self.next;
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            let outcome = (self.work)(black_box(&cases[next]), black_box(&mut *output));
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use cpb_model::Role;

    #[test]
    fn calls_take_the_cases_in_turn_and_the_first_failure_stays() {
        let case = |key: u8| {
            let mut case = Case::new(Buffer::zeroed(0).unwrap()).unwrap();
            case.put(Role::Key, vec![key]);
            case
        };
        let inputs = || Inputs {
            cases: vec![case(1), case(2), case(3)],
            destination: Buffer::zeroed(1).unwrap(),
            iterations: 1,
            output_bytes: 1,
            result_bytes: 1,
            outputs: vec![(Role::Output, 1)],
        };
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
}
