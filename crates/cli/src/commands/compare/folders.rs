//! Compares folders of sources, and matches their implementations.

use crate::cli_error::CliError;
use crate::folders::BuiltFolders;
use crate::side::{LibrarySide, Side};
use cpb_engine::LibrarySpec;
use cpb_model::Offer;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Rejects sides that are not two, or equal.
pub(super) fn check(folders: &[PathBuf], baseline: &Option<String>) -> Result<(), CliError> {
    let usage = |words: &str| Err(CliError::Usage(words.to_owned()));
    match folders {
        [_] if baseline.is_none() => usage(
            "--folder is one side; name the other before it: a library, a saved run, or another \
             --folder",
        ),
        [first, second] if first == second => usage(
            "both sides are the same folder; copy what it was before, and name the copy first",
        ),
        [] | [_] | [_, _] => Ok(()),
        _ => usage("a comparison has two sides; give --folder once or twice"),
    }
}

/// Returns both sides: the `named` one, replaced by built folders; a single folder becomes the
/// candidate.
pub(super) fn both(
    built: &BuiltFolders,
    named: [&Option<String>; 2],
    parse: impl Fn(&Option<String>) -> Result<Side, CliError>,
) -> Result<[Side; 2], CliError> {
    let specs: Vec<LibrarySpec> = built.libraries().collect();
    let side =
        |spec: &LibrarySpec| Side::LibrarySide(LibrarySide { spec: spec.clone(), backend: None });
    match (&specs[..], named) {
        ([], [baseline, candidate]) => Ok([parse(baseline)?, parse(candidate)?]),
        ([folder], [baseline, _]) => Ok([parse(baseline)?, side(folder)]),
        ([first, second, ..], _) => Ok([side(first), side(second)]),
    }
}

/// Returns which of `others` are compared with `offer` if at least one side is a folder: all equal
/// operations of a library; of two folders the implementation of the same name, or the only one of
/// each, built by the same compiler.
pub(super) fn counterparts<'a>(
    offer: &Offer,
    ours: &[Offer],
    others: &'a [Offer],
    both: bool,
) -> Vec<&'a Offer> {
    let does_the_same = |it: &&Offer| it.does_the_same_as(offer);
    let same: Vec<&Offer> = others.iter().filter(does_the_same).collect();
    if !both {
        return same;
    }
    if let Some(namesake) = same.iter().find(|other| other.backend == offer.backend) {
        return vec![namesake];
    }
    let implementations = |offers: &mut dyn Iterator<Item = &Offer>| {
        offers.map(|it| parts(&it.backend).0.to_owned()).collect::<BTreeSet<String>>().len()
    };
    let is_alone = implementations(&mut ours.iter().filter(does_the_same)) == 1
        && implementations(&mut same.iter().copied()) == 1;
    let compiler = parts(&offer.backend).1;
    same.into_iter().filter(|it| is_alone && parts(&it.backend).1 == compiler).collect()
}

/// Splits a backend into implementation and compiler.
fn parts(backend: &str) -> (&str, &str) {
    backend.split_once('@').unwrap_or((backend, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lengths;
    use cpb_model::{Lengths, Operation};

    fn offer(backend: &str) -> Offer {
        let lengths = Lengths { granularity: 1, ..Lengths::default() };
        Offer {
            backend: backend.to_owned(),
            default_backend: false,
            ..Offer::new("x", Operation::Hash, lengths)
        }
    }

    fn names(of: &str, ours: &[&str], others: &[&str], both: bool) -> Vec<String> {
        let [ours, others] =
            [ours, others].map(|all| all.iter().map(|it| offer(it)).collect::<Vec<_>>());
        let found = counterparts(&offer(of), &ours, &others, both);
        assert!(found.iter().all(|it| lengths::fits(it, 64)));
        found.into_iter().map(|it| it.backend.clone()).collect()
    }

    #[test]
    fn implementations_meet_by_name_and_compiler() {
        let ours = ["ref@gcc-O2", "ref@gcc-O3"];
        assert_eq!(names("ref@gcc-O3", &ours, &["a@gcc-O3", "ref@gcc-O3"], true), ["ref@gcc-O3"]);
        assert_eq!(names("ref@gcc-O3", &ours, &["a@gcc-O2", "a@gcc-O3"], true), ["a@gcc-O3"]);
        assert!(names("ref@gcc-O3", &ours, &["a@gcc-O3", "b@gcc-O3"], true).is_empty());
        assert!(names("ref@gcc-O3", &ours, &["a@clang-O3"], true).is_empty());
        assert_eq!(names("default", &["default"], &ours, false), ours);
    }
}
