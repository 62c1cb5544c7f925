//! Chooses the nodes of a fleet run.

use crate::{Constraint, FleetError, Member, Node};

/// The requested nodes.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub partition: &'a str,
    /// The features that nodes must have.
    pub constraint: Option<&'a Constraint>,
    /// The number of nodes; all if absent.
    pub nodes: Option<usize>,
}

/// Chooses nodes of the partition. If a number was requested, these are available nodes, idle ones
/// first; if all were, unavailable nodes are included with the reason.
///
/// # Errors
/// [`FleetError::NoNodes`], if none or too few of them are available.
pub fn choose(wanted: &Wanted<'_>, nodes: &[Node]) -> Result<Vec<Member>, FleetError> {
    let Wanted { partition, constraint, nodes: count } = wanted;
    let means = |node: &&Node| constraint.is_none_or(|it| it.means(&node.features));
    let meant: Vec<&Node> = nodes.iter().filter(means).collect();
    if let (true, Some(constraint)) = (meant.is_empty(), constraint) {
        let mut known: Vec<&str> =
            nodes.iter().flat_map(|node| &node.features).map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        return Err(FleetError::NoNodes(format!(
            "no node of partition '{partition}' matches --constraint '{constraint}'; features \
             there: {}",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )));
    }
    let mut there: Vec<&Node> =
        meant.iter().copied().filter(|node| node.unavailable().is_none()).collect();
    if there.is_empty() {
        let words: Vec<String> = meant
            .iter()
            .filter_map(|node| Some(format!("{} ({})", node.name, node.unavailable()?)))
            .collect();
        return Err(FleetError::NoNodes(format!(
            "no node of partition '{partition}' can run anything now: {}",
            if words.is_empty() { "it has none".to_owned() } else { words.join(", ") }
        )));
    }
    let mut chosen: Vec<&Node> = match *count {
        None => meant,
        Some(count) if count <= there.len() => {
            there.sort_by_key(|node| !node.is_idle());
            there.truncate(count);
            there
        }
        Some(count) => {
            return Err(FleetError::NoNodes(format!(
                "--nodes {count} asks for more than the {} nodes of partition '{partition}' that match and are there",
                there.len()
            )));
        }
    };
    chosen.sort_by_key(|node| natural(&node.name));
    let member = |node: &Node| Member { name: node.name.clone(), absent: node.unavailable() };
    Ok(chosen.into_iter().map(member).collect())
}

/// Splits a name for natural order: `n2` before `n10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0_u64)];
    for character in name.chars() {
        let Some((word, number)) = parts.last_mut() else { break };
        match character.to_digit(10) {
            Some(digit) => *number = number.saturating_mul(10).saturating_add(digit.into()),
            None if *number == 0 => word.push(character),
            None => parts.push((character.to_string(), 0)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, state: &str, features: &str) -> Node {
        Node {
            name: name.to_owned(),
            state: state.to_owned(),
            features: features.split(',').map(str::to_owned).collect(),
            reason: "broken fan".to_owned(),
        }
    }

    fn chosen(constraint: Option<&str>, count: Option<usize>) -> Result<Vec<String>, String> {
        let nodes = [
            node("n10", "idle", "zen"),
            node("n2", "allocated", "zen"),
            node("n1", "drained", "zen"),
            node("m1", "idle~", "lake"),
            node("m2", "idle*", "lake"),
        ];
        let constraint = constraint.map(|text| Constraint::parse(text).unwrap());
        let wanted = Wanted { partition: "p", constraint: constraint.as_ref(), nodes: count };
        let shown = |it: Member| {
            let absent = it.absent.map(|words| format!(": {words}")).unwrap_or_default();
            it.name + &absent
        };
        match choose(&wanted, &nodes) {
            Ok(members) => Ok(members.into_iter().map(shown).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn all_are_named_and_so_many_are_there() {
        assert_eq!(
            chosen(None, None).unwrap(),
            ["m1", "m2: does not respond", "n1: drained: broken fan", "n2", "n10"]
        );
        assert_eq!(chosen(Some("zen"), Some(1)).unwrap(), ["n10"], "idle first");
        assert_eq!(chosen(None, Some(3)).unwrap(), ["m1", "n2", "n10"]);
    }

    #[test]
    fn too_few_are_told() {
        for (constraint, count, words) in [
            (Some("arm"), None, "features there: lake, zen"),
            (None, Some(4), "more than the 3 nodes"),
        ] {
            let error = chosen(constraint, count).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        let down = [node("n1", "down*", "")];
        let wanted = Wanted { partition: "p", constraint: None, nodes: None };
        let error = choose(&wanted, &down).unwrap_err().to_string();
        assert!(error.contains("n1 (down: broken fan)"), "{error}");
        assert!(choose(&wanted, &[]).unwrap_err().to_string().contains("it has none"));
    }
}
