//! Makes text from outside harmless: from files, stores and providers. Whatever would act on a
//! terminal or disguise itself becomes a visible escape where it is read. Records keep that form,
//! so that code that prints them need not think of it.

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// Invisible characters besides Unicode's controls: categories Cf (bidi controls, zero width,
/// tags), Zl and Zp (separators) of Unicode 16.
const INVISIBLE: [(char, char); 19] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e007f}'),
];

/// Whether `character` is visible as itself, moves nothing and hides nothing.
pub fn is_harmless(character: char) -> bool {
    let within = |&(first, last): &(char, char)| (first..=last).contains(&character);
    !character.is_control() && (character < '\u{ad}' || !INVISIBLE.iter().any(within))
}

/// Finds the first character that is neither harmless nor a line feed.
pub fn find_harmful(text: &str) -> Option<usize> {
    text.find(|character| character != '\n' && !is_harmless(character))
}

/// Replaces characters that are not harmless by escapes: `\n`, `\t`, `\u{1b}`. Idempotent, since
/// harmless text stays as it is.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => visible.extend(character.escape_default()),
            character if is_harmless(character) => visible.push(character),
            character => visible.extend(character.escape_unicode()),
        }
    }
    Cow::Owned(visible)
}

/// A value read from outside, in which every text is [`harmless`].
#[derive(Debug, Clone, PartialEq)]
pub struct FromOutside<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromOutside<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Outside(deserializer)).map(FromOutside)
    }
}

/// Wraps a deserializer, and everything it passes on.
struct Outside<T>(T);

macro_rules! pass_on {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($name,)* Outside(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Outside<D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any(); deserialize_bool();
        deserialize_i8(); deserialize_i16(); deserialize_i32(); deserialize_i64();
        deserialize_u8(); deserialize_u16(); deserialize_u32(); deserialize_u64();
        deserialize_i128(); deserialize_u128(); deserialize_f32(); deserialize_f64();
        deserialize_char(); deserialize_str(); deserialize_string();
        deserialize_bytes(); deserialize_byte_buf(); deserialize_option(); deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq(); deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier(); deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! hand_on {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

macro_rules! wrap {
    ($($method:ident: $trait:ident;)*) => {$(
        fn $method<A: $trait<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
            self.0.$method(Outside(inner))
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Outside<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    hand_on! {
        visit_bool: bool;
        visit_i8: i8; visit_i16: i16; visit_i32: i32; visit_i64: i64; visit_i128: i128;
        visit_u8: u8; visit_u16: u16; visit_u32: u32; visit_u64: u64; visit_u128: u128;
        visit_f32: f32; visit_f64: f64;
        visit_bytes: &[u8]; visit_borrowed_bytes: &'de [u8]; visit_byte_buf: Vec<u8>;
    }

    fn visit_char<E: Error>(self, value: char) -> Result<V::Value, E> {
        match is_harmless(value) {
            true => self.0.visit_char(value),
            false => self.visit_str(value.encode_utf8(&mut [0; 4])),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        match harmless(value) {
            Cow::Borrowed(value) => self.0.visit_str(value),
            Cow::Owned(value) => self.0.visit_string(value),
        }
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<V::Value, E> {
        match harmless(value) {
            Cow::Borrowed(value) => self.0.visit_borrowed_str(value),
            Cow::Owned(value) => self.0.visit_string(value),
        }
    }

    fn visit_string<E: Error>(self, value: String) -> Result<V::Value, E> {
        match harmless(&value) {
            Cow::Borrowed(_) => self.0.visit_string(value),
            Cow::Owned(value) => self.0.visit_string(value),
        }
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    wrap! {
        visit_some: Deserializer; visit_newtype_struct: Deserializer;
        visit_seq: SeqAccess; visit_map: MapAccess; visit_enum: EnumAccess;
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Outside<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Outside(inner))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Outside<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Outside(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Outside<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(Outside(seed))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Outside(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Outside<A> {
    type Error = A::Error;
    type Variant = Outside<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(Outside(seed)).map(|(value, variant)| (value, Outside(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Outside<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Outside(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, v: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(length, Outside(v))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Outside(visitor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, MapDeserializer};
    use std::collections::BTreeMap;

    #[test]
    fn what_acts_or_hides_is_shown() {
        for (text, visible) in [
            ("größer · 长 ✓", "größer · 长 ✓"),
            ("a\u{1b}[2J", "a\\u{1b}[2J"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\u{202e}gpj\u{2066}", "\\u{202e}gpj\\u{2066}"),
            ("\u{9b}31m\u{7f}\0", "\\u{9b}31m\\u{7f}\\u{0}"),
            ("a\u{200b}\u{feff}\u{e0041}", "a\\u{200b}\\u{feff}\\u{e0041}"),
            ("a\u{2028}b\u{ad}", "a\\u{2028}b\\u{ad}"),
        ] {
            assert_eq!(harmless(text), visible);
        }
    }

    #[test]
    fn texts_are_reached_wherever_they_stand() {
        let map: BTreeMap<&str, Vec<Option<&str>>> =
            BTreeMap::from([("a\u{1b}", vec![Some("b\n"), None]), ("c", vec![])]);
        let nested = map.into_iter().map(|(key, list)| {
            let list: Vec<&str> = list.into_iter().flatten().collect();
            (key, list.into_deserializer())
        });
        let read: Result<FromOutside<BTreeMap<String, Vec<String>>>, ValueError> =
            FromOutside::deserialize(MapDeserializer::new(nested));
        let expected = BTreeMap::from([
            ("a\\u{1b}".to_owned(), vec!["b\\n".to_owned()]),
            ("c".to_owned(), vec![]),
        ]);
        assert_eq!(read.unwrap().0, expected);
    }

    proptest! {
        #[test]
        fn twice_is_once_and_nothing_harmful_is_left(text in any::<String>()) {
            let once = harmless(&text).into_owned();
            prop_assert!(once.chars().all(is_harmless));
            prop_assert_eq!(harmless(&once), once.as_str());
        }
    }
}
