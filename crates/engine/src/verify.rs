//! Verification before timing: a wrong answer is never a number.

use crate::selftest;
use cpb_libraries::catalogue::{self, KnownAnswer};
use cpb_libraries::{
    Library, PrepareError, REFERENCE_BACKEND, REFERENCE_LIBRARY, reference_output,
};
use cpb_model::{Alignment, Parameters, Verification, Workload};

/// What was wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongAnswer {
    #[error("wrong answer for {message_bytes} bytes: {got} where {expected} is right")]
    Differs { message_bytes: usize, got: String, expected: String },
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Compares `output`, which `library` gave for `workload`, with the oracle,
/// and the implementation with its known answers.
pub(crate) fn verify(
    library: &dyn Library,
    backend: &str,
    workload: &Workload,
    output: &[u8],
) -> Result<Verification, WrongAnswer> {
    let known = catalogue::known_answers(&workload.primitive);
    for answer in &known {
        check_known_answer(library, backend, workload, answer)?;
    }
    if let Some(expected) = selftest::expected_output(workload) {
        compare(workload.parameters.message_bytes, output, &expected)?;
        return Ok(Verification::KnownAnswer);
    }
    let is_reference = library.id().name == REFERENCE_LIBRARY && backend == REFERENCE_BACKEND;
    let reference = if is_reference { None } else { reference_output(workload) };
    match reference {
        Some(expected) => {
            compare(workload.parameters.message_bytes, output, &expected)?;
            let with = format!("{REFERENCE_LIBRARY} {REFERENCE_BACKEND}");
            Ok(Verification::Reference { with })
        }
        None if !known.is_empty() => Ok(Verification::KnownAnswer),
        None => Ok(Verification::Unverified { reason: "no known answer".to_owned() }),
    }
}

fn check_known_answer(
    library: &dyn Library,
    backend: &str,
    workload: &Workload,
    answer: &KnownAnswer,
) -> Result<(), WrongAnswer> {
    let parameters = Parameters {
        message_bytes: answer.message_bytes,
        output_bytes: workload.parameters.output_bytes.map(|_| answer.output.len()),
        alignment: Alignment::Page,
    };
    let mut prepared = library.prepare(&Workload { parameters, ..workload.clone() }, backend)?;
    prepared.run(1);
    compare(answer.message_bytes, prepared.output(), &answer.output)
}

fn compare(message_bytes: usize, got: &[u8], expected: &[u8]) -> Result<(), WrongAnswer> {
    if got == expected {
        return Ok(());
    }
    Err(WrongAnswer::Differs {
        message_bytes,
        got: shortened_hexadecimal(got),
        expected: shortened_hexadecimal(expected),
    })
}

fn shortened_hexadecimal(bytes: &[u8]) -> String {
    const SHOWN: usize = 8;
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    match bytes.len() {
        0 => "nothing".to_owned(),
        length if length > SHOWN => format!("{digits}… ({length} bytes)"),
        _ => digits,
    }
}
