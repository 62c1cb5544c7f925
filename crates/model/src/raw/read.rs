//! Reads a round from a map of its own fields and those of its samples. Code derived for that keeps
//! every number as a value of any type first, which takes a tenth of the time to read a run.

use super::RawRound;
use crate::Samples;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

impl<'de> Deserialize<'de> for RawRound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Round)
    }
}

struct Round;

impl<'de> Visitor<'de> for Round {
    type Value = RawRound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a round of samples")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawRound, A::Error> {
        let mut fields = Fields { map, calibration: None, overhead_ticks: None, position: None };
        let samples = Samples::deserialize(MapAccessDeserializer::new(&mut fields))?;
        let missing = A::Error::missing_field;
        Ok(RawRound {
            calibration: fields.calibration.ok_or_else(|| missing("calibration"))?,
            overhead_ticks: fields.overhead_ticks.ok_or_else(|| missing("overhead_ticks"))?,
            position: fields.position.flatten(),
            samples,
        })
    }
}

/// The map without the round's own fields, which it keeps.
struct Fields<A> {
    map: A,
    calibration: Option<usize>,
    overhead_ticks: Option<f64>,
    position: Option<Option<u8>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for &mut Fields<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Fields { map, calibration, overhead_ticks, position } = &mut **self;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "calibration" => keep(map, "calibration", calibration)?,
                "overhead_ticks" => keep(map, "overhead_ticks", overhead_ticks)?,
                "position" => keep(map, "position", position)?,
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Keeps the next value of `map`, which may be there once.
fn keep<'de, A: MapAccess<'de>, T: Deserialize<'de>>(
    map: &mut A,
    name: &'static str,
    place: &mut Option<T>,
) -> Result<(), A::Error> {
    match place.replace(map.next_value()?) {
        Some(_) => Err(A::Error::duplicate_field(name)),
        None => Ok(()),
    }
}
