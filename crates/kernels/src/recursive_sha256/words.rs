//! Converts lanes to words, so that bytes are swapped only before the first
//! iteration and after the last.

/// Reads eight big-endian words (FIPS 180-4 section 3.1).
#[inline]
pub(super) fn to_words(lane: &[u8; 32]) -> [u32; 8] {
    let (words, _) = lane.as_chunks();
    std::array::from_fn(|i| u32::from_be_bytes(words[i]))
}

/// Returns the big-endian bytes of eight words.
#[inline]
pub(super) fn from_words(words: [u32; 8]) -> [u8; 32] {
    let mut lane = [0; 32];
    for (bytes, word) in lane.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_be_bytes();
    }
    lane
}

/// Returns word i of every lane, for i = 0 to 7.
#[inline]
#[cfg(target_arch = "x86_64")]
pub(super) fn transpose<const N: usize>(lanes: &[[u8; 32]; N]) -> [[u32; N]; 8] {
    let mut words = [[0; N]; 8];
    for (l, lane) in lanes.iter().enumerate() {
        for (row, word) in words.iter_mut().zip(to_words(lane)) {
            row[l] = word;
        }
    }
    words
}

/// Writes the lanes whose word i is `words[i]`.
#[inline]
#[cfg(target_arch = "x86_64")]
pub(super) fn transpose_back<const N: usize>(words: &[[u32; N]; 8]) -> [[u8; 32]; N] {
    std::array::from_fn(|l| from_words(std::array::from_fn(|i| words[i][l])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_big_endian_and_come_back() {
        let lane = std::array::from_fn(|i| i as u8);
        let words = to_words(&lane);
        assert_eq!(words[0], 0x0001_0203);
        assert_eq!(words[7], 0x1c1d_1e1f);
        assert_eq!(from_words(words), lane);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn transposed_lanes_come_back() {
        let lanes: [[u8; 32]; 5] =
            std::array::from_fn(|l| std::array::from_fn(|i| (40 * l + i) as u8));
        let words = transpose(&lanes);
        assert_eq!(words[3][2], to_words(&lanes[2])[3]);
        assert_eq!(transpose_back(&words), lanes);
    }
}
