//! Splits names of curves into a common title and distinct labels.

use crate::apart;

/// A name in parts; unknown parts are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name {
    pub library: String,
    /// The algorithm's name in the library or the old tool.
    pub algorithm: String,
    /// The mode, such as `CBC enc`.
    pub mode: String,
    /// The primitive's canonical name, with the operation.
    pub workload: String,
    /// Details that are shown only if names are equal without them, most important first: backend,
    /// contract and so on.
    pub details: Vec<String>,
    /// The machine it was measured on.
    pub machine: String,
    /// The file it comes from.
    pub file: String,
}

impl Name {
    /// Returns library, algorithm and mode.
    pub fn in_full(&self) -> String {
        joined([self.library.as_str(), &self.algorithm, &self.mode])
    }

    /// Returns what is measured, whatever the implementation: the workload, or else algorithm and
    /// mode.
    pub fn subject(&self) -> String {
        match self.workload.is_empty() {
            true => joined([self.algorithm.as_str(), &self.mode]),
            false => self.workload.clone(),
        }
    }

    /// Whether `pattern` occurs in it, ignoring case.
    pub fn matches(&self, pattern: &str) -> bool {
        let pattern = pattern.to_lowercase();
        let words = [&self.in_full(), &self.workload, &self.details.join(" "), &self.machine];
        words.into_iter().any(|word| word.to_lowercase().contains(&pattern))
    }
}

/// The texts of a chart.
pub(super) struct Wording {
    /// The title; empty if the names have nothing in common.
    pub(super) title: String,
    /// The subtitle; empty if the machines differ.
    pub(super) subtitle: String,
    /// A distinct label per name, in order.
    pub(super) labels: Vec<String>,
}

pub(super) fn wording(names: &[&Name]) -> Wording {
    let workload = shared(names, |name| &name.workload);
    let algorithm = shared(names, |name| &name.algorithm);
    let mode = shared(names, |name| &name.mode);
    let machine = shared(names, |name| &name.machine);
    let kept = |part: &str, is_shared: bool| match is_shared {
        true => String::new(),
        false => part.to_owned(),
    };
    let parts = names.iter().map(|name| {
        vec![
            name.library.clone(),
            kept(&name.algorithm, workload.is_some() || algorithm.is_some()),
            kept(&name.mode, workload.is_some() || mode.is_some()),
        ]
    });
    let machines = names.iter().map(|name| kept(&on(&name.machine), machine.is_some()));
    let labels = told_apart(names, parts.collect(), &machines.collect::<Vec<_>>());
    let title = match (workload, algorithm, mode) {
        (Some(workload), _, _) => workload,
        (None, Some(algorithm), mode) => joined([algorithm.as_str(), &mode.unwrap_or_default()]),
        (None, None, mode) => mode.unwrap_or_default(),
    };
    Wording { title, subtitle: machine.unwrap_or_default(), labels }
}

/// Makes labels from `parts`, adding details and then `machines` where labels are equal.
fn told_apart(names: &[&Name], mut parts: Vec<Vec<String>>, machines: &[String]) -> Vec<String> {
    let most = names.iter().map(|name| name.details.len()).max().unwrap_or(0);
    // The file comes after all details.
    for detail in 0..=most {
        let labels = labels_of(&parts, machines);
        let said: Vec<Option<&str>> = names
            .iter()
            .map(|name| match name.details.get(detail) {
                Some(detail) => Some(detail.as_str()),
                None if detail == most => Some(name.file.as_str()),
                None => None,
            })
            .collect();
        let ambiguous = apart::ambiguous(&labels, said.iter().copied());
        for ((parts, label), said) in parts.iter_mut().zip(&labels).zip(&said) {
            if ambiguous.contains(label.as_str()) {
                parts.push(said.unwrap_or_default().to_owned());
            }
        }
    }
    let mut labels = labels_of(&parts, machines);
    // The same row of the same file occurs several times.
    apart::number(&mut labels);
    labels
}

fn labels_of(parts: &[Vec<String>], machines: &[String]) -> Vec<String> {
    let labels = parts
        .iter()
        .zip(machines)
        .map(|(parts, machine)| joined(parts.iter().chain([machine]).map(String::as_str)));
    labels.collect()
}

/// Removes case and punctuation from `text`.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the part that all names have in common, ignoring case and punctuation, as the first one
/// has it.
fn shared(names: &[&Name], part: impl Fn(&Name) -> &String) -> Option<String> {
    let first = part(names.first()?);
    let same = names.iter().all(|name| plain(part(name)) == plain(first));
    (same && !first.is_empty()).then(|| first.clone())
}

fn on(machine: &str) -> String {
    if machine.is_empty() { String::new() } else { format!("on {machine}") }
}

fn joined<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(library: &str, algorithm: &str, mode: &str) -> Name {
        Name {
            library: library.to_owned(),
            algorithm: algorithm.to_owned(),
            mode: mode.to_owned(),
            machine: "zen4".to_owned(),
            ..Name::default()
        }
    }

    fn worded(names: &[Name]) -> (String, Vec<String>) {
        let wording = wording(&names.iter().collect::<Vec<_>>());
        (wording.title, wording.labels)
    }

    #[test]
    fn what_is_shared_makes_the_title() {
        let (title, labels) =
            worded(&[name("openssl", "SHA256", ""), name("botan", "SHA-256", "")]);
        assert_eq!(title, "SHA256");
        assert_eq!(labels, ["openssl", "botan"]);
        let names = [name("nettle", "aes128", "CBC enc"), name("nettle", "aes128", "CBC dec")];
        let (title, labels) = worded(&names);
        assert_eq!(title, "aes128");
        assert_eq!(labels, ["nettle CBC enc", "nettle CBC dec"]);
        let (title, labels) = worded(&[name("a", "x", ""), name("b", "y", "")]);
        assert_eq!(title, "");
        assert_eq!(labels, ["a x", "b y"]);
    }

    #[test]
    fn machines_stand_in_the_labels_where_they_differ() {
        let other = Name { machine: "n1".to_owned(), ..name("openssl", "SHA256", "") };
        let names = [name("openssl", "SHA256", ""), other];
        assert_eq!(worded(&names).1, ["openssl on zen4", "openssl on n1"]);
        assert_eq!(wording(&[&names[0]]).subtitle, "zen4");
    }

    #[test]
    fn details_are_said_only_where_they_are_needed() {
        let detailed = |library: &str, details: [&str; 2]| Name {
            workload: "sha256 hash".to_owned(),
            details: details.map(str::to_owned).to_vec(),
            ..name(library, "SHA256", "")
        };
        let names = [
            detailed("native", ["avx2", "keyed"]),
            detailed("native", ["portable", "keyed"]),
            detailed("openssl", ["default", "keyed"]),
        ];
        let (title, labels) = worded(&names);
        assert_eq!(title, "sha256 hash");
        assert_eq!(labels, ["native avx2", "native portable", "openssl"]);
    }

    #[test]
    fn the_file_and_a_number_come_last() {
        let from = |file: &str| Name { file: file.to_owned(), ..name("openssl", "SHA256", "") };
        assert_eq!(
            worded(&[from("a.csv"), from("b.csv"), from("b.csv")]).1,
            ["openssl a.csv", "openssl b.csv", "openssl b.csv #2"]
        );
        assert_eq!(worded(&[from("a"), from("a")]).1, ["openssl", "openssl #2"]);
        assert!(worded(&[]).1.is_empty());
    }

    #[test]
    fn patterns_match_in_any_case() {
        let name = name("libgcrypt", "AES128", "CBC enc");
        for pattern in ["aes", "AES128 cbc", "gcrypt", "ZEN4", ""] {
            assert!(name.matches(pattern), "{pattern}");
        }
        assert!(!name.matches("sha"));
    }
}
