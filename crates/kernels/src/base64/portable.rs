//! Implements base64 in plain Rust, without tables and without branches that depend
//! on data.

use super::{NO_VALUE, PADDING, characters};

pub(super) fn encode(bytes: &[u8], out: &mut [u8]) {
    let (quanta, rest) = bytes.as_chunks::<3>();
    let (text, last) = out.split_at_mut(quanta.len() * 4);
    for (quantum, out) in quanta.iter().zip(text.as_chunks_mut::<4>().0) {
        *out = sextets(*quantum);
    }
    text.iter_mut().for_each(|byte| *byte = character(*byte));
    let mut quantum = [0; 3];
    quantum[..rest.len()].copy_from_slice(rest);
    for (index, (out, sextet)) in last.iter_mut().zip(sextets(quantum)).enumerate() {
        *out = if index <= rest.len() { character(sextet) } else { PADDING };
    }
}

pub(super) fn decode(text: &[u8], out: &mut [u8]) -> bool {
    let text = &text[..characters(out.len())];
    let mut all = 0;
    let mut left_over = 0;
    for (text, out) in text.chunks(64).zip(out.chunks_mut(48)) {
        let mut values = [0; 64];
        values.iter_mut().zip(text).for_each(|(value, byte)| *value = value_of(*byte));
        all |= values.iter().fold(0, |all, value| all | value);
        let (bytes, last) = out.as_chunks_mut::<3>();
        let (quanta, _) = values.as_chunks::<4>();
        bytes.iter_mut().zip(quanta).for_each(|(bytes, quantum)| *bytes = join(*quantum));
        if !last.is_empty() {
            let quantum = join(quanta[bytes.len()]);
            last.copy_from_slice(&quantum[..last.len()]);
            left_over = quantum[last.len()];
        }
    }
    all < NO_VALUE && left_over == 0
}

/// Whether the byte is of the alphabet.
pub(super) fn is_character(byte: u8) -> bool {
    value_of(byte) != NO_VALUE
}

/// Splits 24 bits into groups of 6, the most significant first.
fn sextets([a, b, c]: [u8; 3]) -> [u8; 4] {
    [a >> 2, (a << 4 | b >> 4) & 0x3f, (b << 2 | c >> 6) & 0x3f, c & 0x3f]
}

fn join([a, b, c, d]: [u8; 4]) -> [u8; 3] {
    [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]
}

/// Returns the character of a value from 0 to 63. In each range of the alphabet the
/// two differ by a constant, and each range adds a constant to that of the one
/// before.
fn character(sextet: u8) -> u8 {
    // All ones where the sextet is above the limit.
    let above = |limit: u8| (limit.wrapping_sub(sextet).cast_signed() >> 7).cast_unsigned();
    // The distances are 65 up to Z, 71 up to z, -4 up to 9, -19 for + and -16 for
    // /.
    (sextet + b'A' + (above(25) & 6))
        .wrapping_sub(above(51) & 75)
        .wrapping_sub(above(61) & 15)
        .wrapping_add(above(62) & 3)
}

/// Returns the value of a character, or [`NO_VALUE`] for a byte that is none.
fn value_of(byte: u8) -> u8 {
    // All ones where the byte is in the range.
    let within = |first: u8, last: u8| {
        let place = i16::from(byte.wrapping_sub(first));
        ((place - i16::from(last - first) - 1) >> 8) as u8
    };
    let ranges = [
        (within(b'A', b'Z'), byte.wrapping_sub(b'A')),
        (within(b'a', b'z'), byte.wrapping_sub(b'a').wrapping_add(26)),
        (within(b'0', b'9'), byte.wrapping_sub(b'0').wrapping_add(52)),
        (within(b'+', b'+'), 62),
        (within(b'/', b'/'), 63),
    ];
    let any = ranges.iter().fold(0, |any, (inside, _)| any | inside);
    ranges.iter().fold(!any & NO_VALUE, |found, (inside, value)| found | inside & value)
}

#[cfg(test)]
mod tests {
    use super::super::ALPHABET;
    use super::*;

    #[test]
    fn characters_and_values_are_the_alphabet() {
        for (sextet, byte) in ALPHABET.iter().enumerate() {
            assert_eq!(character(sextet as u8), *byte);
            assert_eq!(usize::from(value_of(*byte)), sextet);
        }
        let others = (0..=u8::MAX).filter(|byte| !ALPHABET.contains(byte));
        assert!(others.clone().all(|byte| !is_character(byte)));
        assert_eq!(others.count(), 192);
    }
}
