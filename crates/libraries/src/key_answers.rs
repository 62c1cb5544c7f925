//! Lists known answers of public-key operations, by canonical name and operation.

use crate::known_answers::from_hexadecimal;
use cpb_model::{Operation, Parameters, Role};
use cpb_provider::seeds::RoleValues;

/// The output of one call with given inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAnswer {
    /// The inputs, by role.
    pub given: RoleValues,
    /// The output; empty for a verification.
    pub output: Vec<u8>,
}

impl KeyAnswer {
    /// Returns the parameters of this answer.
    pub fn parameters(&self) -> Parameters {
        let message_bytes = self.given.get(&Role::Message).map_or(0, Vec::len);
        Parameters::of_message(message_bytes)
    }
}

/// Returns the known answers of a primitive's operation; `vectors/README.md` states their sources.
pub fn of(primitive: &str, operation: Operation) -> Vec<KeyAnswer> {
    ANSWERS.lines().skip(1).filter_map(|line| answer(line, primitive, operation)).collect()
}

/// Parses a line; `None` if it is of another operation.
fn answer(line: &str, primitive: &str, operation: Operation) -> Option<KeyAnswer> {
    let rest = line.strip_prefix(primitive)?.strip_prefix(',')?;
    let rest = rest.strip_prefix(operation.name())?.strip_prefix(',')?;
    let (given, output) = rest.split_once(',')?;
    let part = |part: &str| {
        let (name, digits) = part.split_once('=')?;
        let role = Role::ALL.into_iter().find(|role| role.name().replace(' ', "-") == name)?;
        Some((role, from_hexadecimal(digits)?))
    };
    let given = given.split(';').map(part).collect::<Option<RoleValues>>()?;
    Some(KeyAnswer { given, output: from_hexadecimal(output)? })
}

const ANSWERS: &str = include_str!("../../../vectors/keys/answers.csv");

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_provider::scheme;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_is_read_and_is_of_the_catalogues_lengths() {
        let kinds: BTreeSet<(&str, Operation)> = ANSWERS
            .lines()
            .skip(1)
            .map(|line| {
                let mut fields = line.split(',');
                let (primitive, name) = (fields.next().unwrap(), fields.next().unwrap());
                (primitive, Operation::of_name(name).unwrap())
            })
            .collect();
        let mut read = 0;
        for (primitive, operation) in kinds {
            let lengths = scheme::of(primitive).unwrap().lengths(operation);
            for answer in of(primitive, operation) {
                read += 1;
                let others = |role: &Role| *role != Role::Message;
                for (role, bytes) in answer.given.iter().filter(|(role, _)| others(role)) {
                    let length = lengths.of(*role).unwrap();
                    assert!(length.contains(bytes.len()), "{primitive} {role:?}: {}", bytes.len());
                }
                let gives = operation.row().gives.iter().filter_map(|role| lengths.of(*role));
                let expected: usize = gives.map(cpb_model::LengthRange::default_length).sum();
                assert_eq!(answer.output.len(), expected, "{primitive}");
            }
        }
        assert_eq!(read, ANSWERS.lines().count() - 1);
    }
}
