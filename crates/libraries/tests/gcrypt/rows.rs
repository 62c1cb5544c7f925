//! The rows of bench-slopes.

use crate::{installed, version};
use cpb_model::RowName;

const ROWS: &str = include_str!("../rows/gcrypt.csv");
/// Rows that older versions lack: the version they came with, a group, and
/// what algorithm and mode begin with.
const CAME_LATER: &[((u32, u32), &str, &str, &str)] = &[
    ((1, 9), "hash", "SM3", ""),
    ((1, 9), "hash", "SHA512_", ""),
    ((1, 9), "mac", "GOST28147_IMIT", ""),
    ((1, 9), "mac", "HMAC_BLAKE2", ""),
    ((1, 9), "mac", "HMAC_GOSTR3411_CP", ""),
    ((1, 9), "mac", "HMAC_SHA512_", ""),
    ((1, 9), "mac", "HMAC_SM3", ""),
    ((1, 9), "mac", "CMAC_SM4", ""),
    ((1, 9), "cipher", "GOST28147_MESH", ""),
    ((1, 9), "cipher", "SM4", ""),
    ((1, 9), "cipher", "", "EAX"),
    ((1, 10), "cipher", "", "SIV"),
    ((1, 10), "cipher", "", "GCM-SIV"),
    ((1, 9), "kdf", "PBKDF2-HMAC-SHA512_", ""),
    ((1, 9), "kdf", "PBKDF2-HMAC-SM3", ""),
];

#[test]
fn every_row_of_bench_slopes_is_there_in_its_order() {
    let Some(library) = installed() else { return };
    let version = version(library.as_ref());
    let asked: Vec<RowName> = ROWS
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',').map(str::to_owned);
            let mut next = || fields.next().unwrap();
            RowName { group: next(), algorithm: next(), mode: next() }
        })
        .collect();
    let offers = library.offers();
    let present: Vec<&RowName> = offers.iter().filter_map(|offer| offer.row.as_ref()).collect();
    let missing: Vec<&RowName> = asked.iter().filter(|row| !present.contains(row)).collect();
    let more: Vec<&&RowName> = present.iter().filter(|row| !asked.contains(row)).collect();
    println!(
        "rows asked for: {}, present: {}, missing: {}, more: {}; offers without a row: {}",
        asked.len(),
        asked.len() - missing.len(),
        missing.len(),
        more.len(),
        offers.len() - present.len(),
    );
    println!("more: {more:?}");
    let unexplained: Vec<&&RowName> = missing
        .iter()
        .filter(|row| {
            !CAME_LATER.iter().any(|(since, group, algorithm, mode)| {
                version < *since
                    && row.group == *group
                    && row.algorithm.starts_with(algorithm)
                    && row.mode.starts_with(mode)
            })
        })
        .collect();
    assert!(unexplained.is_empty(), "missing: {unexplained:?}");
    let in_order: Vec<&RowName> =
        present.iter().copied().filter(|row| asked.contains(row)).collect();
    let expected: Vec<&RowName> = asked.iter().filter(|row| present.contains(row)).collect();
    assert_eq!(in_order, expected);
    // What has no row comes after what has one.
    assert!(offers[..present.len()].iter().all(|offer| offer.row.is_some()));
}
