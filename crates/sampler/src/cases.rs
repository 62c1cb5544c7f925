//! Counts the calls of a workload that takes its cases in turn. For a call that draws
//! until a value fits, it returns how often each sample drew.

use cpb_libraries::{Prepared, attempts, scheme, seeds};
use cpb_model::CallSpec;

/// A call, with the number of times it was made.
pub struct CaseCursor<'a> {
    call: &'a mut dyn Prepared,
    /// The average number of attempts of a call; 0 if it does not draw.
    pub expected_attempts: f64,
    /// Whether a call is slow and its duration random, so that every call must count.
    pub is_slow: bool,
    /// The attempts of each case, if they are known.
    attempts: Vec<u64>,
    cases: u64,
    made: u64,
}

impl<'a> CaseCursor<'a> {
    pub(crate) fn new(call: &'a mut dyn Prepared) -> Self {
        Self {
            call,
            expected_attempts: 0.0,
            is_slow: false,
            attempts: Vec::new(),
            cases: 1,
            made: 0,
        }
    }

    /// Creates a cursor for a call of `workload`. If it takes cases in turn, each is run
    /// once, unless the call is slow: a library may set something up when a key is first
    /// used.
    pub fn of(call: &'a mut dyn Prepared, workload: &CallSpec) -> Self {
        let mut counted = Self::new(call);
        if !workload.operation.is_public_key() {
            return counted;
        }
        counted.cases = seeds::cases(&workload.primitive, workload.operation) as u64;
        let expected = attempts::expected(&workload.primitive, workload.operation);
        counted.expected_attempts = expected.unwrap_or(0.0);
        counted.is_slow = scheme::is_slow(&workload.primitive, workload.operation);
        if counted.is_slow {
            return counted;
        }
        match counted.call.attempts() {
            Some(attempts) => counted.attempts = attempts.into_iter().map(u64::from).collect(),
            None => counted.call.run(counted.cases),
        }
        counted
    }

    /// Skips cases until it is the turn of `case`, counted modulo their number.
    pub fn turn_to(&mut self, case: u64) {
        let behind = self.made % self.cases;
        let left_out = (case % self.cases + self.cases - behind) % self.cases;
        if left_out != 0 {
            self.run(left_out);
        }
    }

    /// Makes the call `calls` times.
    pub fn run(&mut self, calls: u64) {
        self.call.run(calls);
        self.made += calls;
    }

    /// Whether every call does the same, instead of taking cases in turn.
    pub fn is_always_the_same(&self) -> bool {
        self.cases == 1
    }

    /// Returns how many attempts the last `calls` calls took; `None` if that is unknown.
    pub fn attempts_of_last(&self, calls: u64) -> Option<u64> {
        let cases = Some(self.attempts.len() as u64).filter(|cases| *cases != 0)?;
        let turns = self.made.saturating_sub(calls)..self.made;
        Some(turns.map(|turn| self.attempts[(turn % cases) as usize]).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, Operation, Parameters};

    /// Draws as often as the number of its case.
    struct Drawing {
        runs: u64,
        cases: u32,
    }

    impl Prepared for Drawing {
        fn run(&mut self, calls: u64) {
            self.runs += calls;
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(Vec::new())
        }

        fn attempts(&mut self) -> Option<Vec<u32>> {
            self.run(self.cases.into());
            Some((1..=self.cases).collect())
        }
    }

    fn signing(primitive: &str) -> CallSpec {
        CallSpec {
            primitive: primitive.to_owned(),
            operation: Operation::Sign,
            contract: Contract::Keyed,
            parameters: Parameters::default(),
        }
    }

    #[test]
    fn attempts_are_those_of_the_cases_whose_turn_it_was() {
        let cases = seeds::cases("ml-dsa-65", Operation::Sign) as u32;
        let mut call = Drawing { runs: 0, cases };
        let mut counted = CaseCursor::of(&mut call, &signing("ml-dsa-65"));
        assert!(counted.expected_attempts > 5.0);
        // This stands for the calls of a warm-up.
        counted.run(2);
        counted.turn_to(u64::from(cases) + 3);
        // The first three cases were skipped, and case 3 draws four times.
        counted.run(1);
        assert_eq!(counted.attempts_of_last(1), Some(4));
        counted.run(2);
        assert_eq!(counted.attempts_of_last(2), Some(5 + 6));
        counted.run(u64::from(cases) - 6);
        counted.run(2);
        assert_eq!(counted.attempts_of_last(2), Some(1 + 2));
        assert_eq!(call.runs, 2 * u64::from(cases) + 2);
    }

    #[test]
    fn a_slow_call_is_not_made_before_it_is_timed() {
        let mut call = Drawing { runs: 0, cases: 64 };
        let workload = CallSpec { operation: Operation::Keygen, ..signing("rsa-4096-pkcs1") };
        let mut counted = CaseCursor::of(&mut call, &workload);
        counted.turn_to(7);
        counted.run(1);
        assert_eq!((counted.is_slow, counted.attempts_of_last(1)), (true, None));
        assert_eq!(call.runs, 1);
    }

    #[test]
    fn a_call_that_does_not_draw_has_no_attempts() {
        struct Plain;
        impl Prepared for Plain {
            fn run(&mut self, _: u64) {}

            fn output(&self) -> Result<Vec<u8>, String> {
                Ok(Vec::new())
            }
        }
        let mut plain = Plain;
        let mut counted = CaseCursor::of(&mut plain, &signing("ed25519"));
        counted.turn_to(7);
        counted.run(3);
        assert_eq!((counted.attempts_of_last(3), counted.expected_attempts), (None, 0.0));
    }
}
