//! Implements base16 in plain Rust, without tables and without branches that depend
//! on data.

use super::NO_VALUE;

pub(super) fn encode(bytes: &[u8], out: &mut [u8]) {
    for (byte, digits) in bytes.iter().zip(out.as_chunks_mut::<2>().0) {
        *digits = [byte >> 4, byte & 0xf].map(digit);
    }
}

pub(super) fn decode(text: &[u8], out: &mut [u8]) -> bool {
    let mut all = 0;
    for (digits, byte) in text.as_chunks::<2>().0.iter().zip(out) {
        let [high, low] = digits.map(value_of);
        all |= high | low;
        *byte = high << 4 | low;
    }
    all < NO_VALUE
}

/// Whether the byte is a hexadecimal digit.
pub(super) fn is_digit(byte: u8) -> bool {
    value_of(byte) != NO_VALUE
}

/// Returns the digit of a value from 0 to 15.
fn digit(nibble: u8) -> u8 {
    // All ones where the digit is a letter.
    let letter = (9_u8.wrapping_sub(nibble).cast_signed() >> 7).cast_unsigned();
    nibble + b'0' + (letter & (b'a' - 10 - b'0'))
}

/// Returns the value of a digit of either case, or [`NO_VALUE`] for a byte that is
/// no digit.
fn value_of(byte: u8) -> u8 {
    // All ones where the place is below the length.
    let below = |place: u8, length: i16| ((i16::from(place) - length) >> 8) as u8;
    let place = byte.wrapping_sub(b'0');
    // Upper and lower case differ in this bit.
    let letter = (byte | 0x20).wrapping_sub(b'a');
    let (is_decimal, is_letter) = (below(place, 10), below(letter, 6));
    let none = !(is_decimal | is_letter) & NO_VALUE;
    none | is_decimal & place | is_letter & letter.wrapping_add(10)
}

#[cfg(test)]
mod tests {
    use super::super::ALPHABET;
    use super::*;

    #[test]
    fn digits_and_values_are_the_alphabet() {
        for (nibble, byte) in ALPHABET.iter().enumerate() {
            assert_eq!(digit(nibble as u8), *byte);
            assert_eq!(usize::from(value_of(*byte)), nibble);
            assert_eq!(usize::from(value_of(byte.to_ascii_uppercase())), nibble);
        }
        assert!((0..=u8::MAX).all(|byte| is_digit(byte) == byte.is_ascii_hexdigit()));
    }
}
