//! What it offers: the rows of bench-slopes and more, each once.

use crate::{described, library};
use cpb_model::{Length, Operation, RowName};
use std::collections::HashSet;

/// Rows of bench-slopes that cannot be there, with the reason.
const ROWS_THAT_CANNOT_BE: &[(&str, &str)] = &[];

#[test]
fn the_rows_of_bench_slopes_are_offered_in_their_order() {
    let Some(library) = library() else { return };
    let asked: Vec<RowName> = include_str!("../rows/nettle.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [group, algorithm, mode] = fields[..] else { panic!("{line}") };
            let [group, algorithm, mode] = [group, algorithm, mode].map(str::to_owned);
            RowName { group, algorithm, mode }
        })
        .collect();
    let offers = library.offers();
    let present: Vec<RowName> = offers.iter().map_while(|offer| offer.row.clone()).collect();
    let extra = offers.len() - present.len();
    assert!(
        offers[present.len()..].iter().all(|offer| offer.row.is_none()),
        "offers with rows stand before those without"
    );
    let missing: Vec<&RowName> = asked.iter().filter(|row| !present.contains(row)).collect();
    println!(
        "rows asked {}, present {} (newer than the list: {}), offers without a row {extra}",
        asked.len(),
        present.len(),
        present.len() + missing.len() - asked.len(),
    );
    let unexpected: Vec<_> = missing
        .iter()
        .filter(|row| !ROWS_THAT_CANNOT_BE.iter().any(|(known, _)| *known == row.algorithm))
        .collect();
    assert!(unexpected.is_empty(), "missing: {unexpected:#?}");
    let common: Vec<&RowName> = present.iter().filter(|row| asked.contains(row)).collect();
    let expected: Vec<&RowName> = asked.iter().filter(|row| present.contains(row)).collect();
    assert_eq!(common, expected);
}

#[test]
fn offers_are_unique_and_their_rows_fit_their_operations() {
    let Some(library) = library() else { return };
    let (mut spellings, mut rows) = (HashSet::new(), HashSet::new());
    for offer in library.offers() {
        let what = described(&offer);
        assert!(spellings.insert((offer.spelling.clone(), offer.operation)), "{what} twice");
        assert!(!offer.primitive.contains(['_', ' ']), "{what}");
        if offer.operation == Operation::Derive {
            let (key, salt) = (offer.lengths.key, offer.lengths.nonce);
            assert_eq!((key, salt), (Length::free(16), Length::free(16)), "{what}");
        }
        let Some(row) = offer.row else { continue };
        assert!(rows.insert(row.clone()), "{row:?} twice");
        let expected = match row.mode.split_once(' ') {
            None => Operation::Hash,
            Some((_, "auth")) => Operation::Auth,
            Some((_, direction)) => match (direction, offer.lengths.tag) {
                ("enc", 0) => Operation::Encrypt,
                ("dec", 0) => Operation::Decrypt,
                ("enc", 16) => Operation::Seal,
                ("dec", 16) => Operation::Open,
                other => panic!("{row:?}: {other:?}"),
            },
        };
        assert_eq!(offer.operation, expected, "{row:?}");
    }
}
