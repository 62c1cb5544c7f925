//! Groups what belongs together.

use std::collections::HashMap;
use std::hash::Hash;

/// Returns the items with equal keys together, each in their order, and the groups in the order of
/// their first items.
pub fn group_by<T, K: Eq + Hash>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut places = HashMap::new();
    for item in items {
        let place = *places.entry(key(&item)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::group_by;

    #[test]
    fn groups_are_in_the_order_of_their_first_items() {
        let words = ["one", "three", "two", "seven", "six", "four"];
        let groups = group_by(words, |word| word.len());
        assert_eq!(groups, [vec!["one", "two", "six"], vec!["three", "seven"], vec!["four"]]);
    }
}
