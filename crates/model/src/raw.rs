//! Raw samples, packed: a run has millions, and keeps them all.

use crate::Samples;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The samples of one round, with what makes core cycles of their ticks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawRound {
    /// Which of [`crate::ClockSummary::calibrations`] is the worker's.
    pub calibration: usize,
    /// Ticks that timing nothing takes, as this round was summarised with:
    /// the median over the workers until then.
    pub overhead_ticks: f64,
    /// The samples.
    #[serde(flatten)]
    pub samples: Samples,
}

/// Rounds in about three bytes a sample.
///
/// In JSON they are a list of [`RawRound`]. Packed, each round is its numbers
/// as variable-length integers: the samples divided by their greatest common
/// divisor (the counter's step), as differences to their neighbours.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawRounds {
    packed: Vec<u8>,
}

/// Bytes that are no packed rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPacked;

impl fmt::Display for NotPacked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the packed samples are damaged")
    }
}

impl std::error::Error for NotPacked {}

impl RawRounds {
    /// Adds a round.
    pub fn push(&mut self, round: &RawRound) {
        let mut packed = Vec::with_capacity(64 + 4 * round.samples.ticks.len());
        pack(round, &mut packed);
        // A long run has a hundred thousand of these: no room to spare in each.
        self.packed.reserve_exact(packed.len());
        self.packed.extend_from_slice(&packed);
    }

    /// The rounds, in the order added.
    pub fn iter(&self) -> impl Iterator<Item = RawRound> {
        let mut rest = Reader(&self.packed);
        std::iter::from_fn(move || rest.round())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// The packed form, which [`RawRounds::from_packed`] takes back.
    #[must_use]
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Rounds from their packed form.
    ///
    /// # Errors
    /// When that is damaged.
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
    let Samples { ticks, before, after, .. } = samples;
    let step = ticks.iter().chain(before).chain(after).fold(0, |a, &b| common_divisor(a, b)).max(1);
    packed.extend_from_slice(&round.overhead_ticks.to_le_bytes());
    for number in [
        round.calibration as u64,
        samples.calls,
        samples.rejected,
        samples.busy,
        samples.busy_accepted,
        step,
        ticks.len() as u64,
        before.len() as u64,
        after.len() as u64,
    ] {
        pack_number(number, packed);
    }
    let mut last = 0;
    let mut difference = |number: u64, to: u64| pack_difference(number / step, to / step, packed);
    for &number in ticks {
        difference(number, last);
        last = number;
    }
    // The bracket after a sample is mostly the one before the next.
    last = 0;
    for index in 0..before.len().max(after.len()) {
        for &number in [before.get(index), after.get(index)].into_iter().flatten() {
            difference(number, last);
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

/// Small differences of either sign become small numbers.
fn pack_difference(number: u64, to: u64, packed: &mut Vec<u8>) {
    let difference = number.wrapping_sub(to) as i64;
    pack_number(((difference << 1) ^ (difference >> 63)) as u64, packed);
}

/// Seven bits a byte, lowest first; the highest bit says that more follow.
fn pack_number(mut number: u64, packed: &mut Vec<u8>) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

/// What is left to unpack; `None` where it ends or makes no sense.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn round(&mut self) -> Option<RawRound> {
        let (overhead, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        let overhead_ticks = f64::from_le_bytes(*overhead);
        let calibration = usize::try_from(self.number()?).ok()?;
        let mut samples = Samples {
            calls: self.number()?,
            rejected: self.number()?,
            busy: self.number()?,
            busy_accepted: self.number()?,
            ..Samples::default()
        };
        let step = self.number()?;
        let [ticks, before, after] = [self.length()?, self.length()?, self.length()?];
        let mut last = 0;
        samples.ticks.reserve_exact(ticks);
        for _ in 0..ticks {
            samples.ticks.push(self.difference(&mut last)?.checked_mul(step)?);
        }
        last = 0;
        samples.before.reserve_exact(before);
        samples.after.reserve_exact(after);
        for index in 0..before.max(after) {
            for (length, list) in [(before, &mut samples.before), (after, &mut samples.after)] {
                if index < length {
                    list.push(self.difference(&mut last)?.checked_mul(step)?);
                }
            }
        }
        Some(RawRound { calibration, overhead_ticks, samples })
    }

    /// A number of entries, each of which takes a byte at least.
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
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn ticks() -> impl Strategy<Value = Vec<u64>> {
        let near = (700_u64..900).prop_map(|steps| steps * 26);
        vec(prop_oneof![8 => near, 1 => any::<u64>(), 1 => Just(0)], 0..12)
    }

    fn round() -> impl Strategy<Value = RawRound> {
        (any::<u8>(), 0.0..1e3, any::<u64>(), ticks(), ticks(), ticks(), any::<u32>()).prop_map(
            |(calibration, overhead_ticks, calls, ticks, before, after, rejected)| RawRound {
                calibration: calibration.into(),
                overhead_ticks,
                samples: Samples {
                    calls,
                    ticks,
                    before,
                    after,
                    rejected: rejected.into(),
                    busy: 3,
                    busy_accepted: 1,
                },
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(rounds in vec(round(), 0..4)) {
            let packed: RawRounds = rounds.iter().cloned().collect();
            prop_assert_eq!(packed.iter().collect::<Vec<_>>(), rounds);
            let again = RawRounds::from_packed(packed.packed().to_vec());
            prop_assert_eq!(again.as_ref(), Ok(&packed));
        }

        #[test]
        fn damage_is_told_or_unpacks_to_something(bytes in vec(any::<u8>(), 0..64)) {
            if let Ok(rounds) = RawRounds::from_packed(bytes) {
                prop_assert_eq!(rounds.is_empty(), rounds.iter().next().is_none());
            }
        }

        #[test]
        fn a_cut_is_noticed(round in round()) {
            let packed: RawRounds = [round].into_iter().collect();
            for length in 1..packed.packed().len() {
                let cut = RawRounds::from_packed(packed.packed()[..length].to_vec());
                prop_assert_eq!(cut, Err(NotPacked));
            }
        }
    }

    #[test]
    fn samples_of_a_counter_that_moves_in_steps_take_three_bytes() {
        let near = |offset: u64| (0..100).map(|i| (800 + (i * 7 + offset) % 40) * 26).collect();
        let samples = Samples {
            calls: 12,
            ticks: near(1),
            before: near(2),
            after: near(3),
            ..Samples::default()
        };
        let packed: RawRounds =
            [RawRound { calibration: 3, overhead_ticks: 55.5, samples }].into_iter().collect();
        assert!(packed.packed().len() < 330, "{}", packed.packed().len());
    }
}
