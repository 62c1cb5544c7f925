//! Verifies answers before timing, so that a wrong answer never gets a figure.
//!
//! The worker checks known answers and returns outputs; the parent compares the outputs of several
//! libraries ([`judge`]).

use crate::failures::wrong_answer;
use crate::selftest;
use cpb_kernels::base16::encode as hexadecimal;
use cpb_libraries::acceptance::{self, ProofError};
use cpb_libraries::key_answers::{self, KeyAnswer};
use cpb_libraries::known_answers::{self, KnownAnswer};
use cpb_libraries::{Library, NATIVE, PrepareError, Prepared, REFERENCE_BACKEND, codec, prepare};
use cpb_model::{
    CallSpec, Contract, Failure, Offer, Operation, OperationRow, Proof, Role, Verification,
};
use std::collections::{BTreeMap, BTreeSet};

/// The error for a wrong answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongAnswer {
    #[error("wrong answer for {message_bytes} bytes: {got} where {expected} is right")]
    Differs { message_bytes: usize, got: String, expected: String },
    #[error("no answer for {message_bytes} bytes: {reason}")]
    Failed { message_bytes: usize, reason: String },
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Checks an implementation against the primitive's known answers, for lengths that it accepts. It
/// may reject the empty message if it answers another correctly.
pub(crate) fn known_answers(library: &dyn Library, offer: &Offer) -> Result<(), WrongAnswer> {
    if offer.operation.is_public_key() {
        let answers = key_answers::of(&offer.primitive, offer.operation);
        return answers.into_iter().try_for_each(|answer| key_answer(library, offer, answer));
    }
    let lengths = &offer.lengths;
    let answers = known_answers::of(&offer.primitive, offer.operation)
        .into_iter()
        .filter(|answer| lengths.output.is_none_or(|length| length.contains(answer.output.len())))
        .filter(|answer| answer.message_bytes.is_multiple_of(lengths.granularity.max(1)));
    let (mut refusal, mut has_answered) = (None, false);
    for answer in answers {
        match known_answer(library, offer, &answer) {
            Ok(()) => has_answered = true,
            Err(refused @ WrongAnswer::Prepare(_)) if answer.message_bytes == 0 => {
                refusal = Some(refused);
            }
            wrong => return wrong,
        }
    }
    refusal.filter(|_| !has_answered).map_or(Ok(()), Err)
}

/// Checks an output against what is known without another library: the self-test's answer, or the
/// message that was decrypted.
pub(crate) fn against_oracle(workload: &CallSpec, output: &[u8]) -> Result<(), WrongAnswer> {
    let message_bytes = workload.parameters.message_bytes;
    if let Some(expected) = selftest::expected_output(workload) {
        return compare(message_bytes, output, &expected);
    }
    let bytes = match workload.operation.row() {
        OperationRow { message: Role::Text, .. } => codec::decoded_len(workload),
        OperationRow { proof: Proof::InverseOf(_), .. } => message_bytes,
        _ => return Ok(()),
    };
    let pattern = |bytes| (0..bytes).map(|index| (index % 251) as u8);
    if output.len() == bytes && pattern(bytes).eq(output.iter().copied()) {
        return Ok(());
    }
    // The message may be long, so only the part that is shown is generated.
    let expected = shortened(&pattern(bytes.min(SHOWN + 1)).collect::<Vec<_>>(), bytes);
    Err(WrongAnswer::Differs { message_bytes, got: shortened(output, output.len()), expected })
}

/// The minimum of bytes that [`looks_random`] checks.
const RANDOM_BYTES: usize = 2048;
/// Shorter outputs may be equal by chance.
const NEVER_ALIKE: usize = 16;
/// The largest accepted deviation in standard deviations; chance exceeds it once in 500 million
/// times.
const DEVIATIONS: f64 = 6.0;

/// Makes calls, and reports what chance cannot explain in their outputs: two equal ones, or far too
/// many or too few ones among the bits (the monobit test of NIST SP 800-22 section 2.1).
pub(crate) fn looks_random(prepared: &mut dyn Prepared) -> Result<(), String> {
    let (mut outputs, mut ones, mut bytes) = (BTreeSet::new(), 0, 0);
    while bytes < RANDOM_BYTES {
        prepared.run(1);
        let output = prepared.output()?;
        if output.is_empty() {
            return Err("wrong answer: it put out nothing".to_owned());
        }
        bytes += output.len();
        ones += output.iter().map(|byte| byte.count_ones()).sum::<u32>();
        let is_long = output.len() >= NEVER_ALIKE;
        if !outputs.insert(output) && is_long {
            return Err("wrong answer: two calls put out the same".to_owned());
        }
    }
    let bits = 8.0 * bytes as f64;
    // A bit has a variance of one quarter.
    if (f64::from(ones) - bits / 2.0).abs() > DEVIATIONS * bits.sqrt() / 2.0 {
        return Err(format!("wrong answer: {ones} of {bits} bits are ones"));
    }
    Ok(())
}

/// Returns a digest that represents an output, in hexadecimal.
pub(crate) fn digest(output: &[u8]) -> String {
    hexadecimal(&cpb_kernels::sha3::Sha3_256::digest(output))
}

/// Checks one known answer with keys, if the library accepts its lengths.
fn key_answer(library: &dyn Library, offer: &Offer, answer: KeyAnswer) -> Result<(), WrongAnswer> {
    let workload = offer.call(Contract::Keyed, answer.parameters());
    let message_bytes = workload.parameters.message_bytes;
    match acceptance::single(library, offer, &workload, answer.given) {
        Ok(output) => compare(message_bytes, &output, &answer.output),
        Err(ProofError::Prepare(PrepareError::DoesNotFit(_))) => Ok(()),
        Err(ProofError::Prepare(reason)) => Err(reason.into()),
        Err(ProofError::Wrong(reason)) => Err(WrongAnswer::Failed { message_bytes, reason }),
    }
}

fn known_answer(
    library: &dyn Library,
    offer: &Offer,
    answer: &KnownAnswer,
) -> Result<(), WrongAnswer> {
    let message_bytes = answer.message_bytes;
    let workload = offer.call(Contract::Keyed, answer.parameters());
    let mut prepared = prepare(library, offer, &workload)?;
    prepared.run(1);
    let output =
        prepared.output().map_err(|reason| WrongAnswer::Failed { message_bytes, reason })?;
    compare(message_bytes, &output, &answer.output)
}

fn compare(message_bytes: usize, got: &[u8], expected: &[u8]) -> Result<(), WrongAnswer> {
    if got == expected {
        return Ok(());
    }
    let (got, expected) = (shortened(got, got.len()), shortened(expected, expected.len()));
    Err(WrongAnswer::Differs { message_bytes, got, expected })
}

/// Bytes of an answer that an error shows.
const SHOWN: usize = 8;

/// Formats the beginning `bytes` of an answer of `length` bytes.
fn shortened(bytes: &[u8], length: usize) -> String {
    match length {
        0 => "nothing".to_owned(),
        length if length > SHOWN => format!("{}… ({length} bytes)", hexadecimal(&bytes[..SHOWN])),
        _ => hexadecimal(bytes),
    }
}

/// The outputs of one implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    /// The library's name. Two builds of one library count as one vote.
    pub(crate) library: &'a str,
    pub(crate) backend: &'a str,
    /// Digests of its outputs; `None` if it had none.
    pub(crate) outputs: Option<&'a [String]>,
}

/// What shows that an output is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Each implementation gave back what was put in.
    RoundTrip,
    /// Each implementation was tried for what chance cannot explain.
    LooksRandom,
    /// Each implementation gave known answers; where we have a kernel, longer ones are as its are.
    KnownAnswers,
    /// Others put out the same.
    Agreement,
}

impl Evidence {
    pub(crate) fn of(primitive: &str, operation: Operation) -> Self {
        match operation.row().proof {
            Proof::InverseOf(_) => Self::RoundTrip,
            Proof::LooksRandom => Self::LooksRandom,
            _ if has_known_answers(primitive, operation) => Self::KnownAnswers,
            _ => Self::Agreement,
        }
    }

    /// Whether outputs of this library may be evidence for others.
    pub(crate) fn asks(self, library: &str) -> bool {
        match self {
            Self::RoundTrip | Self::LooksRandom => false,
            Self::KnownAnswers => library == NATIVE,
            Self::Agreement => true,
        }
    }

    /// Whether the output of this implementation is evidence for others.
    pub(crate) fn includes(self, library: &str, backend: &str) -> bool {
        self.asks(library) && (self == Self::Agreement || backend == REFERENCE_BACKEND)
    }
}

/// Judges each of `answers`, which are of equal calls.
pub(crate) fn judge(
    evidence: Evidence,
    answers: &[Answer<'_>],
) -> Vec<Result<Verification, Failure>> {
    let is_evidence = |answer: &&Answer<'_>| evidence.includes(answer.library, answer.backend);
    let reference = answers.iter().find(is_evidence).and_then(|answer| answer.outputs);
    let opinions = opinions(answers);
    let judgement = |answer: &Answer<'_>| {
        let outputs = answer.outputs.ok_or_else(|| wrong("it put out nothing"))?;
        if selftest::NAME == answer.library {
            return Ok(Verification::KnownAnswer);
        }
        let with = format!("{NATIVE} {REFERENCE_BACKEND}");
        match (evidence, reference) {
            (Evidence::RoundTrip, _) => Ok(Verification::RoundTrip),
            (Evidence::LooksRandom, _) => Ok(Verification::LooksRandom),
            (Evidence::KnownAnswers, Some(reference)) if outputs != reference => {
                Err(wrong(&format!("its output is not that of {with}")))
            }
            (Evidence::KnownAnswers, Some(_)) if !is_evidence(&answer) => {
                Ok(Verification::Reference { with })
            }
            (Evidence::KnownAnswers, _) => Ok(Verification::KnownAnswer),
            (Evidence::Agreement, _) => agreement(answer, outputs, &opinions),
        }
    };
    answers.iter().map(judgement).collect()
}

/// Whether an implementation with an output has passed [`known_answers()`]. Every operation of our
/// own kernels has some, except inverses.
fn has_known_answers(primitive: &str, operation: Operation) -> bool {
    if operation.is_public_key() {
        return !key_answers::of(primitive, operation).is_empty();
    }
    !known_answers::of(primitive, operation).is_empty()
}

/// Groups the libraries by their outputs.
fn opinions<'a>(answers: &[Answer<'a>]) -> BTreeMap<&'a [String], BTreeSet<&'a str>> {
    let mut opinions: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for answer in answers {
        if let Some(outputs) = answer.outputs {
            opinions.entry(outputs).or_default().insert(answer.library);
        }
    }
    opinions
}

fn agreement(
    answer: &Answer<'_>,
    outputs: &[String],
    opinions: &BTreeMap<&[String], BTreeSet<&str>>,
) -> Result<Verification, Failure> {
    let others = |libraries: &BTreeSet<&str>| -> Vec<String> {
        libraries.iter().filter(|&&l| l != answer.library).map(|&l| l.to_owned()).collect()
    };
    let same = opinions.get(outputs).map(others).unwrap_or_default();
    let against = opinions.iter().filter(|(other, _)| **other != outputs);
    let most_against = against.max_by_key(|(_, libraries)| libraries.len());
    match most_against {
        Some((_, libraries)) if libraries.len() > same.len() + 1 && libraries.len() > 1 => {
            Err(wrong(&format!("{} agree on another output", others(libraries).join(" and "))))
        }
        _ if !same.is_empty() => Ok(Verification::Agreement { with: same }),
        Some((_, libraries)) => Ok(Verification::Unverified {
            reason: format!("{} put out something else", others(libraries).join(" and ")),
        }),
        None => Ok(Verification::Unverified {
            reason: "no other library has it, and there is no known answer".to_owned(),
        }),
    }
}

pub(super) fn wrong(reason: &str) -> Failure {
    wrong_answer(format!("wrong answer: {reason}"))
}

#[cfg(test)]
mod tests;
