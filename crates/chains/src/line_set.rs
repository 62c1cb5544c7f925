//! Stores a set of line numbers in little memory.

/// Line numbers, with one bit for each line up to the highest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineSet {
    words: Vec<u64>,
    count: u64,
}

impl LineSet {
    /// Adds a line.
    pub fn insert(&mut self, line: u64) {
        let (word, bit) = ((line / 64) as usize, 1 << (line % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.count += u64::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    /// Returns how many there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over all lines, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let set = move |bit: &u64| word >> bit & 1 == 1;
            (0..64).filter(set).map(move |bit| index as u64 * 64 + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(lines in prop::collection::vec(1_u64..2000, 0..200)) {
            let mut set = LineSet::default();
            lines.iter().for_each(|&line| set.insert(line));
            let naive: BTreeSet<u64> = lines.into_iter().collect();
            prop_assert_eq!(set.len(), naive.len() as u64);
            prop_assert_eq!(set.is_empty(), naive.is_empty());
            prop_assert!(set.iter().eq(naive));
        }
    }
}
