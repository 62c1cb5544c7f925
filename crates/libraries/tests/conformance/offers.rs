//! Tests libraries' offers: each is unique, has a name in the catalogue's form, and the
//! rows of bench-slopes come first, in its order.

use crate::{Subject, lines, none, subjects};
use cpb_model::{BenchSlopesRow, Offer, Operation};
use std::collections::HashSet;
use std::path::Path;

#[test]
fn names_stand_for_one_thing() {
    for subject in subjects() {
        let (mut spellings, mut primitives) = (HashSet::new(), HashSet::new());
        let mut defaults = HashSet::new();
        for offer in subject.library.offers() {
            let what = subject.described(offer);
            let Offer { primitive, operation, spelling, backend, default_backend, .. } = offer;
            assert!(spellings.insert((spelling, operation, backend.clone())), "{what} twice");
            let is_plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            assert!(primitive.chars().all(is_plain), "{what}: {primitive}");
            let is_first = !default_backend || defaults.insert((primitive.clone(), operation));
            assert!(is_first, "{what}: a second default");
            assert!(primitives.insert((primitive, operation, backend)), "{what}: two spellings");
        }
        for (primitive, operation, _) in primitives {
            let has_default = defaults.contains(&(primitive.clone(), operation));
            assert!(has_default, "{}: no backend of {primitive} is the default", subject.name);
        }
    }
}

#[test]
fn rows_fit_their_operations() {
    for subject in subjects() {
        let mut rows = HashSet::new();
        for offer in subject.library.offers() {
            let Some(row) = &offer.row else { continue };
            let what = subject.described(offer);
            let fits: &[Operation] = match (&*row.group, row.mode.rsplit(' ').next()) {
                ("hash", _) => &[Operation::Hash, Operation::Xof],
                ("mac", _) => &[Operation::Mac],
                ("kdf", _) => &[Operation::Derive],
                ("codec", _) => &[Operation::Encode, Operation::Decode],
                ("cipher", Some("enc")) => &[Operation::Encrypt, Operation::Seal],
                ("cipher", Some("dec")) => &[Operation::Decrypt, Operation::Open],
                ("cipher", Some("enc/dec")) => &[Operation::Encrypt],
                ("cipher", Some("auth")) => &[Operation::Auth],
                _ => panic!("{what}: {row:?}"),
            };
            assert!(fits.contains(&offer.operation), "{what}: {row:?}");
            assert!(rows.insert((row.clone(), offer.backend.clone())), "{what}: {row:?} twice");
        }
    }
}

/// The first line of the file of a library that may also have other rows.
const MORE: &str = "# and what else the library lists";

/// Compares with the rows that bench-slopes has for a library, in `rows/<library>.csv`:
/// group, algorithm, mode, and, if not all versions have it, the first version that has it
/// and the first that no longer has it.
#[test]
fn the_rows_of_bench_slopes_come_first_and_in_its_order() {
    for subject in subjects() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/conformance/rows")
            .join(format!("{}.csv", subject.name));
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let asked = asked(&subject, &text);
        let offers = subject.library.offers();
        let present: Vec<BenchSlopesRow> =
            offers.iter().map_while(|offer| offer.row.clone()).collect();
        let (name, extra) = (&subject.name, offers.len() - present.len());
        let more: Vec<_> = present.iter().filter(|row| !asked.contains(row)).collect();
        println!("{name}: {} rows, {extra} offers without, more {more:?}", present.len());
        let is_first = offers[present.len()..].iter().all(|offer| offer.row.is_none());
        assert!(is_first, "{name}: rows come first");
        let missing: Vec<_> = asked.iter().filter(|row| !present.contains(row)).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:#?}");
        let in_order: Vec<_> = present.iter().filter(|row| asked.contains(row)).collect();
        assert!(in_order.into_iter().eq(asked.iter()), "{name}: rows are in another order");
        // A newer version may have rows that are not listed yet.
        let may_have_more = text.starts_with(MORE);
        assert!(may_have_more || more.is_empty(), "{name}: {more:?}");
    }
}

/// Returns the rows of a file that the library's version has.
fn asked(subject: &Subject, text: &str) -> Vec<BenchSlopesRow> {
    let version = |text: &str| -> Vec<u32> {
        text.split('.').filter_map(|number| number.parse().ok()).collect()
    };
    let here = version(&subject.library.identity().version);
    let rows = lines(text).filter_map(|[group, algorithm, mode, since, until]| {
        let is_there = here >= version(since) && (until.is_empty() || here < version(until));
        let [group, algorithm, mode] = [group, algorithm, mode].map(str::to_owned);
        is_there.then_some(BenchSlopesRow { group, algorithm, mode })
    });
    rows.collect()
}

#[test]
fn identities_say_which_library_it_is() {
    let mut problems = Vec::new();
    for subject in subjects() {
        let identity = subject.library.identity();
        println!("{}: {identity:?}", subject.name);
        if !identity.banner.contains(&identity.version) || identity.version.is_empty() {
            problems.push(format!("{}: {identity:?}", subject.name));
        }
        let path = identity.path.as_deref().map(Path::new);
        let is_file =
            path.is_some_and(|path| path.is_absolute() && path.is_file() && !path.is_symlink());
        if is_file != subject.is_a_file() {
            problems.push(format!("{}: {path:?}", subject.name));
        }
    }
    none(&problems);
}
