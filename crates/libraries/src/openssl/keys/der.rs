//! Pairs of numbers in DER (RFC 3279 section 2.2.3: `SEQUENCE { r INTEGER, s INTEGER }`),
//! which libcrypto has ECDSA signatures in.

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;

/// Both numbers, each in half of `bytes`; `None` where it is no such pair.
pub(super) fn pair_of(der: &[u8], bytes: usize) -> Option<Vec<u8>> {
    let (both, []) = element(der, SEQUENCE)? else { return None };
    let (r, rest) = element(both, INTEGER)?;
    let (s, []) = element(rest, INTEGER)? else { return None };
    let mut pair = Vec::with_capacity(bytes);
    for number in [r, s] {
        let start = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
        let number = &number[start..];
        pair.extend(std::iter::repeat_n(0, (bytes / 2).checked_sub(number.len())?));
        pair.extend(number);
    }
    Some(pair)
}

/// The pair in DER of two numbers of the same length, one behind the other.
pub(super) fn of_pair(pair: &[u8]) -> Vec<u8> {
    let (r, s) = pair.split_at(pair.len() / 2);
    let both: Vec<u8> = [r, s].into_iter().flat_map(integer).collect();
    with_head(SEQUENCE, &both)
}

fn integer(number: &[u8]) -> Vec<u8> {
    // At least one byte, and a zero where the first bit would be a sign.
    let start = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
    let number = &number[start..];
    let is_positive = number.first().is_some_and(|byte| byte & 0x80 == 0);
    let content = if is_positive { number.to_vec() } else { [&[0], number].concat() };
    with_head(INTEGER, &content)
}

fn with_head(tag: u8, content: &[u8]) -> Vec<u8> {
    // No pair has 256 bytes.
    let length = content.len() as u8;
    let head: &[u8] = if length < 0x80 { &[tag, length] } else { &[tag, 0x81, length] };
    [head, content].concat()
}

/// The content of the first element, which has this tag, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (length, content) = match der {
        [found, length @ 0..=0x7f, content @ ..] if *found == tag => (*length, content),
        [found, 0x81, length, content @ ..] if *found == tag => (*length, content),
        _ => return None,
    };
    content.split_at_checked(length.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back() {
        for bytes in [4, 64, 96, 132] {
            for (first, second) in [(0, 1), (0x7f, 0x80), (0xff, 0), (1, 0xff)] {
                let mut pair = vec![7; bytes];
                (pair[0], pair[bytes / 2]) = (first, second);
                assert_eq!(pair_of(&of_pair(&pair), bytes), Some(pair));
            }
        }
        assert_eq!(of_pair(&[0x80, 0]), [0x30, 7, 2, 2, 0, 0x80, 2, 1, 0]);
    }

    #[test]
    fn what_is_no_pair_is_none() {
        let whole = of_pair(&[0x80, 1, 2, 3]);
        for end in 0..whole.len() {
            assert_eq!(pair_of(&whole[..end], 4), None);
        }
        assert_eq!(pair_of(&[&whole[..], &[0]].concat(), 4), None);
        assert_eq!(pair_of(&whole, 2), None);
    }
}
