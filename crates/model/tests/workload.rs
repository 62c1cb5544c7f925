//! Tests that workloads differ exactly if one of their fields differs; and that their keys are
//! unique, can be parsed, and never change.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what helpers of tests may do as tests")]

use cpb_model::{
    Alignment, Caches, Contract, LengthRange, Lengths, Offer, Operation, Parameters, Workload,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn lengths() -> impl Strategy<Value = Option<usize>> {
    prop_oneof![Just(None), (0..100_usize).prop_map(Some), any::<usize>().prop_map(Some)]
}

fn workloads() -> impl Strategy<Value = Workload> {
    let names = prop_oneof!["[a-z0-9-]{1,12}", "\\PC{1,8}", Just("aes-128-gcm".to_owned())];
    let what = (names, 0..Operation::ALL.len(), 0..Contract::ALL.len());
    let beside = (lengths(), lengths(), lengths(), 0..100_usize, any::<bool>(), any::<bool>());
    (what, beside).prop_map(
        |((name, operation, contract), (key, nonce, output, aad, off, cold))| {
            let parameters = Parameters {
                aad_bytes: aad,
                key_bytes: key,
                nonce_bytes: nonce,
                output_bytes: output,
                alignment: if off { Alignment::Unaligned } else { Alignment::Page },
                caches: if cold { Caches::Evicted } else { Caches::Warm },
                ..Parameters::default()
            };
            Workload::with(&name, Operation::ALL[operation], Contract::ALL[contract], &parameters)
        },
    )
}

proptest! {
    #[test]
    fn a_key_is_read_as_what_it_was_written_of(workload in workloads()) {
        let key = workload.to_string();
        prop_assert_eq!(key.parse::<Workload>().unwrap(), workload);
        // It needs no quotes in a shell or in a file.
        prop_assert!(key.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-%/+=".contains(&it)));
    }

    #[test]
    fn each_workload_has_one_key(text in "[a-z0-9-]{1,6}/(hash|seal|derive)(/oneshot)?(\\+(aad|key|nonce|out)=[0-9]{1,3}){0,3}(\\+unaligned)?(\\+evicted)?") {
        if let Ok(workload) = text.parse::<Workload>() {
            prop_assert_eq!(workload.to_string(), text);
        }
    }
}

/// Lists keys with their meanings: a line that changes here would break users' histories.
#[test]
fn keys_are_frozen() {
    for (key, title) in [
        ("sha256/hash", "sha256 hash"),
        ("aes-128-gcm/seal/oneshot+aad=13", "aes-128-gcm seal, oneshot, 13 B aad"),
        ("aes-128-gcm/open+nonce=16+evicted", "aes-128-gcm open, 16 B nonce, caches evicted"),
        ("hmac-sha256/mac+key=64+unaligned", "hmac-sha256 mac, 64 B key, unaligned"),
        ("shake128/xof+out=64", "shake128 xof, 64 B out"),
        (
            "hkdf-sha256/derive+aad=10+key=22+nonce=13+out=42",
            "hkdf-sha256 derive, 10 B info, 22 B password, 13 B salt, 42 B out",
        ),
        ("a%2Fb%20c/hash", "a/b c hash"),
    ] {
        let workload: Workload = key.parse().unwrap_or_else(|wrong| panic!("{key}: {wrong}"));
        assert_eq!((workload.to_string(), workload.title()), (key.to_owned(), title.to_owned()));
    }
}

#[test]
fn a_wrong_key_is_refused_in_words() {
    for (key, words) in [
        ("", "no name of a primitive"),
        ("sha256", "'' is not an operation"),
        ("sha256/hsah", "'hsah' is not an operation"),
        ("sha256/hash/keyed", "'keyed' is not a contract: oneshot or compat"),
        ("sha256/hash/oneshot/x", "'/x' is more"),
        ("aes-128-gcm/seal+aad", "'aad' is none of aad=N"),
        ("aes-128-gcm/seal+aad=x", "has no number of bytes"),
        ("aes-128-gcm/seal+aad=013", "has no number of bytes"),
        ("aes-128-gcm/seal+key=24+aad=1", "out of order"),
        ("aes-128-gcm/seal+key=16", "it is written aes-128-gcm/seal"),
        ("aes-128-gcm/seal+aad=0", "it is written aes-128-gcm/seal"),
        ("a b/hash", "no name of a primitive"),
        ("a%1B/hash", "no name of a primitive"),
    ] {
        let refused = key.parse::<Workload>().unwrap_err().to_string();
        assert!(refused.contains(words), "{key}: {refused}");
    }
}

/// Offers and parameters that differ in one property are different workloads.
#[test]
fn every_field_tells_workloads_apart() {
    let offer = |key: usize, nonce: usize| {
        let (key, nonce) = (LengthRange::fixed(key), LengthRange::fixed(nonce));
        let lengths = Lengths { key, nonce, aad: LengthRange::free(0), ..Lengths::default() };
        Offer::new("aes-128-gcm", Operation::Seal, lengths)
    };
    let usual = Parameters::default();
    let of = |offer: Offer, contract, parameters: Parameters| {
        Workload::of(&offer, contract, &parameters)
    };
    let gcm = || offer(16, 12);
    let other = Offer { primitive: "aes-128-ccm".to_owned(), ..gcm() };
    let open = Offer { operation: Operation::Open, ..gcm() };
    let all = [
        of(gcm(), Contract::Keyed, usual),
        of(other, Contract::Keyed, usual),
        of(open, Contract::Keyed, usual),
        of(gcm(), Contract::Oneshot, usual),
        of(gcm(), Contract::Keyed, Parameters { aad_bytes: 13, ..usual }),
        of(gcm(), Contract::Keyed, Parameters { key_bytes: Some(24), ..usual }),
        of(gcm(), Contract::Keyed, Parameters { nonce_bytes: Some(16), ..usual }),
        of(gcm(), Contract::Keyed, Parameters { output_bytes: Some(8), ..usual }),
        of(gcm(), Contract::Keyed, Parameters { alignment: Alignment::Unaligned, ..usual }),
        of(gcm(), Contract::Keyed, Parameters { caches: Caches::Evicted, ..usual }),
        // A library's own defaults do not make different workloads equal.
        of(offer(32, 12), Contract::Keyed, usual),
        of(offer(16, 8), Contract::Keyed, usual),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
    // Neither the message nor an explicit default changes the workload.
    let same =
        Parameters { message_bytes: 64, key_bytes: Some(16), nonce_bytes: Some(12), ..usual };
    assert_eq!(of(gcm(), Contract::Keyed, same), all[0]);
    assert_eq!(of(offer(16, 16), Contract::Keyed, same), all[0]);
    assert_eq!(all[0].parameters_in(&gcm()), usual);
    assert_eq!(all[0].parameters_in(&offer(16, 16)).nonce_bytes, Some(12));
    // Calls are given the length of an output of free length.
    let lengths = Lengths { output: Some(LengthRange::free(64)), ..Lengths::default() };
    let xof =
        Offer { primitive: "shake128".to_owned(), operation: Operation::Xof, lengths, ..gcm() };
    let shake: Workload = "shake128/xof".parse().unwrap();
    assert_eq!(shake.parameters_in(&xof).output_bytes, Some(32));
    assert_eq!(of(xof.clone(), Contract::Keyed, shake.parameters_in(&xof)), shake);
    assert_eq!(of(xof, Contract::Keyed, usual).to_string(), "shake128/xof+out=64");
}

/// Files that compare primitive and operation separately: for offers of libraries, before workloads
/// exist, and for names in a suite. Rows are never compared this way.
const OFFERS_AND_SUITES: [&str; 8] = [
    "cli/src/matching/remeasurement.rs",
    "engine/src/plan/selection.rs",
    "engine/src/verification.rs",
    "model/src/offer.rs",
    "model/src/sum.rs",
    "oldtools/src/milo/names.rs",
    "provider/src/table.rs",
    "report/src/documents/sums.rs",
];

/// Files that compare workloads without setups: for rows that are yet to be measured, which share
/// one setup; for traced calls, which use one thread; and for a user's names, which mean any setup.
const WORKLOADS_ALONE: [&str; 5] = [
    "cli/src/commands/compare/pairs.rs",
    "cli/src/comparison.rs",
    "cli/src/matching.rs",
    "model/src/workload.rs",
    "report/src/paths.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension() {
            _ if path.is_dir() => sources(&path, found),
            // Comparisons in tests are not restricted.
            _ if path.ends_with("tests.rs") => {}
            Some(it) if it == "rs" => found.push(path),
            _ => {}
        }
    }
}

/// Splits `code` into statements, without spaces.
fn statements(code: &str) -> impl Iterator<Item = String> {
    let code: String = code.split_whitespace().collect();
    code.split([';', '{', '}']).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Whether a statement compares two values of this name, with `==` or `!=`. A comparison with a
/// constant does not count.
fn compares(statement: &str, name: &str) -> bool {
    let names_another = |(at, _): (usize, &str)| {
        let rest = &statement[at + name.len()..];
        let other = rest.strip_prefix("==").or(rest.strip_prefix("!="));
        other.is_some_and(|it| !it.starts_with('"') && !it.starts_with("Operation::"))
    };
    statement.match_indices(name).any(names_another)
}

/// Whether a statement of the code compares both primitives and operations of two values, with `==`
/// or `!=`, one after the other or as a pair. A comparison with a constant does not count.
fn compares_both(code: &str) -> bool {
    statements(code).any(|statement| {
        let both = compares(&statement, "primitive") && compares(&statement, "operation");
        both || statement.contains("primitive,") && compares(&statement, "operation)")
    })
}

#[test]
fn nothing_else_says_what_the_same_work_is() {
    assert!(compares_both("a.primitive == b.primitive\n && a.operation == b.operation"));
    assert!(compares_both("(&a.primitive, a.operation) != (&b.primitive, b.operation)"));
    assert!(!compares_both("a.primitive == b.primitive"));
    assert!(!compares_both("a.primitive == b.primitive && a.operation == Operation::Hash"));
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if folder.is_dir() {
            sources(&folder, &mut all);
        }
    }
    assert!(all.len() > 300, "{} files", all.len());
    let files_that = |compare: fn(&str) -> bool| {
        let is_one = |path: &&PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            compare(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default())
        };
        let name = |path: &PathBuf| path.strip_prefix(crates).unwrap().display().to_string();
        let mut found: Vec<String> = all.iter().filter(is_one).map(name).collect();
        found.sort();
        found
    };
    let found = files_that(compares_both);
    assert_eq!(found, OFFERS_AND_SUITES, "a row is what its workload says: compare workloads");
    let found = files_that(|code| statements(code).any(|it| compares(&it, "workload")));
    assert_eq!(found, WORKLOADS_ALONE, "a record is the same work by Record::work: compare that");
}
