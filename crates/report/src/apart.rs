//! Makes labels distinct, however many there are.

use std::collections::{HashMap, HashSet};

/// Returns the labels that belong to different values.
pub(crate) fn ambiguous<T: PartialEq>(
    labels: &[String],
    said: impl IntoIterator<Item = T>,
) -> HashSet<&str> {
    let said: Vec<T> = said.into_iter().collect();
    let mut first = HashMap::new();
    let mut ambiguous = HashSet::new();
    for (place, (label, own)) in labels.iter().zip(&said).enumerate() {
        if said[*first.entry(label.as_str()).or_insert(place)] != *own {
            ambiguous.insert(label.as_str());
        }
    }
    ambiguous
}

/// Numbers the second and later occurrences of a label.
pub(crate) fn number(labels: &mut [String]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for label in labels {
        let count = counts.entry(label.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *label = format!("{label} #{count}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn only_labels_that_say_different_things_are_ambiguous() {
        let labels = texts(&["a", "b", "a", "b", "c"]);
        assert_eq!(ambiguous(&labels, [1, 2, 3, 2, 1]), HashSet::from(["a"]));
    }

    #[test]
    fn the_third_is_number_three() {
        let mut labels = texts(&["a", "b", "a", "a"]);
        number(&mut labels);
        assert_eq!(labels, ["a", "b", "a #2", "a #3"]);
    }
}
