//! Packs raw samples, because a run keeps millions of them.

mod read;

use crate::Samples;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The samples of one round, with what is needed to turn their ticks into core cycles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RawRound {
    /// The index of the worker's calibration in [`crate::ClockSummary::calibrations`].
    pub calibration: usize,
    /// The timing overhead in ticks that was subtracted in this round: the median over the workers
    /// so far.
    pub overhead_ticks: f64,
    /// The position at which the worker placed its library; absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u8>,
    #[serde(flatten)]
    pub samples: Samples,
}

/// Stores rounds in about five bytes per sample.
///
/// In JSON this is a list of [`RawRound`]. Packed, a round is a series of variable-length integers:
/// the samples divided by their greatest common divisor (the counter's step), as differences
/// between neighbours. A round begins with its overhead; if it has probes or rejection sampling,
/// eight bytes that cannot be an overhead come first. If its library was placed, eight other such
/// bytes and the position precede everything.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawRounds {
    packed: Vec<u8>,
}

/// The prefix of a round with probes.
const PROBED: [u8; 8] = [0xff; 8];
/// The prefix of a round with probes whose calls use rejection sampling.
const DRAWN: [u8; 8] = [0xfe; 8];
/// The prefix of a round whose library was placed.
const PLACED: [u8; 8] = [0xfd; 8];

/// The error for bytes that are not packed rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the packed samples are damaged")]
pub struct NotPacked;

impl RawRounds {
    pub fn push(&mut self, round: &RawRound) {
        let mut packed = Vec::with_capacity(64 + 4 * round.samples.ticks.len());
        pack(round, &mut packed);
        // A long run has a hundred thousand of these, so none may waste memory.
        self.packed.reserve_exact(packed.len());
        self.packed.extend_from_slice(&packed);
    }

    /// Iterates over the rounds, in the order added.
    pub fn iter(&self) -> impl Iterator<Item = RawRound> {
        let mut rest = Reader(&self.packed);
        std::iter::from_fn(move || rest.round())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Returns the packed form, which [`RawRounds::from_packed`] reads.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Creates rounds from their packed form.
    ///
    /// # Errors
    /// [`NotPacked`], if it is damaged.
    pub fn from_packed(packed: Vec<u8>) -> Result<Self, NotPacked> {
        let mut rest = Reader(&packed);
        while !rest.0.is_empty() {
            rest.round().ok_or(NotPacked)?;
        }
        Ok(Self { packed })
    }
}

impl fmt::Debug for RawRounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<RawRound> for RawRounds {
    fn from_iter<I: IntoIterator<Item = RawRound>>(rounds: I) -> Self {
        let mut packed = Self::default();
        rounds.into_iter().for_each(|round| packed.push(&round));
        packed
    }
}

impl Serialize for RawRounds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for RawRounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rounds;
        impl<'de> Visitor<'de> for Rounds {
            type Value = RawRounds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of rounds")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawRounds, A::Error> {
                let mut rounds = RawRounds::default();
                while let Some(round) = list.next_element()? {
                    rounds.push(&round);
                }
                Ok(rounds)
            }
        }
        deserializer.deserialize_seq(Rounds)
    }
}

fn pack(round: &RawRound, packed: &mut Vec<u8>) {
    let samples = &round.samples;
    let Samples { ticks, before, after, probe_before, probe_after, .. } = samples;
    let lists = [ticks, before, after, probe_before, probe_after];
    let step = lists.into_iter().flatten().fold(0, |a, &b| common_divisor(a, b)).max(1);
    if let Some(position) = round.position {
        packed.extend_from_slice(&PLACED);
        packed.push(position);
    }
    let draws = samples.expected_attempts != 0.0;
    packed.extend_from_slice(if draws { &DRAWN } else { &PROBED });
    packed.extend_from_slice(&round.overhead_ticks.to_le_bytes());
    let numbers = [
        round.calibration as u64,
        samples.calls,
        samples.rejected,
        samples.busy,
        samples.watched_nanoseconds,
        samples.quiet_nanoseconds,
        samples.wanted,
        step,
    ];
    let lengths = lists.map(|list| list.len() as u64);
    numbers.into_iter().chain(lengths).for_each(|number| pack_number(number, packed));
    pack_alternating([ticks, &[]], step, packed);
    // The bracket after a sample is mostly the one before the next sample.
    pack_alternating([before, after], step, packed);
    pack_alternating([probe_before, probe_after], step, packed);
    if draws {
        packed.extend_from_slice(&samples.expected_attempts.to_le_bytes());
        pack_number(samples.attempts.len() as u64, packed);
        samples.attempts.iter().for_each(|&attempts| pack_number(attempts, packed));
    }
}

/// Packs two lists alternately, each entry as the difference from the one before.
fn pack_alternating(lists: [&[u64]; 2], step: u64, packed: &mut Vec<u8>) {
    let mut last = 0;
    for index in 0..lists[0].len().max(lists[1].len()) {
        for &number in lists.iter().filter_map(|list| list.get(index)) {
            pack_difference(number / step, last / step, packed);
            last = number;
        }
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Maps small differences of either sign to small numbers.
fn pack_difference(number: u64, to: u64, packed: &mut Vec<u8>) {
    let difference = number.wrapping_sub(to) as i64;
    pack_number(((difference << 1) ^ (difference >> 63)) as u64, packed);
}

/// Writes seven bits per byte, lowest first; the highest bit says that more follow.
fn pack_number(mut number: u64, packed: &mut Vec<u8>) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

/// Reads packed bytes; its methods return `None` at the end, or if the bytes make no sense.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn round(&mut self) -> Option<RawRound> {
        let mut overhead = self.eight()?;
        let position = if overhead == PLACED { Some(self.byte()?) } else { None };
        if position.is_some() {
            overhead = self.eight()?;
        }
        let draws = overhead == DRAWN;
        let has_probes = draws || overhead == PROBED;
        if has_probes {
            overhead = self.eight()?;
        }
        let overhead_ticks = f64::from_le_bytes(overhead);
        let calibration = usize::try_from(self.number()?).ok()?;
        let mut samples =
            Samples { calls: self.number()?, rejected: self.number()?, ..Samples::default() };
        samples.busy = self.number()?;
        samples.watched_nanoseconds = self.number()?;
        if has_probes {
            samples.quiet_nanoseconds = self.number()?;
            samples.wanted = self.number()?;
        } else {
            // In such a round this is a count of samples accepted nevertheless.
            samples.watched_nanoseconds = 0;
        }
        let step = self.number()?;
        let lengths = [self.length()?, self.length()?, self.length()?];
        let probes = if has_probes { [self.length()?, self.length()?] } else { [0, 0] };
        [samples.ticks, _] = self.alternating([lengths[0], 0], step)?;
        [samples.before, samples.after] = self.alternating([lengths[1], lengths[2]], step)?;
        [samples.probe_before, samples.probe_after] = self.alternating(probes, step)?;
        if draws {
            let expected = f64::from_le_bytes(self.eight()?);
            samples.expected_attempts = Some(expected).filter(|it| it.is_normal())?;
            let attempts = self.length()?;
            samples.attempts = (0..attempts).map(|_| self.number()).collect::<Option<_>>()?;
        }
        Some(RawRound { calibration, overhead_ticks, position, samples })
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        let (&eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(eight)
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn alternating(&mut self, [ones, others]: [usize; 2], step: u64) -> Option<[Vec<u64>; 2]> {
        let mut lists = [Vec::with_capacity(ones), Vec::with_capacity(others)];
        let mut last = 0;
        for index in 0..ones.max(others) {
            if index < ones {
                lists[0].push(self.difference(&mut last)?.checked_mul(step)?);
            }
            if index < others {
                lists[1].push(self.difference(&mut last)?.checked_mul(step)?);
            }
        }
        Some(lists)
    }

    /// Reads a number of entries; each entry takes at least one byte.
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&length| length <= self.0.len())
    }

    fn difference(&mut self, last: &mut u64) -> Option<u64> {
        let folded = self.number()?;
        let difference = (folded >> 1) ^ (folded & 1).wrapping_neg();
        *last = last.wrapping_add(difference);
        Some(*last)
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        while shift < u64::BITS {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
        None
    }
}

#[cfg(test)]
mod tests;
