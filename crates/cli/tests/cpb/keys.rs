//! Tests operations with key pairs, in the installed OpenSSL and in a provider.

use crate::program::{
    Folder, call, command, cpb, provider, refused, succeeds, with_cross_checks, with_key_pairs,
};
use cpb_model::{FailureKind, Operation, Role, Run, Verification};

fn run(line: &str) -> Run {
    let how = "--library openssl --precision 99% --max-time 120 --format json";
    succeeds(&format!("run {line} {how}")).run()
}

#[test]
fn a_key_exchange_is_proved_and_measured_by_the_call() {
    let Some(_) = with_key_pairs() else { return };
    with_cross_checks();
    let run = run("curve25519 agree");
    let [record] = &run.records[..] else { panic!("{:?}", run.records) };
    assert_eq!(record.subject.primitive, "x25519");
    assert_eq!(record.verification, Some(Verification::KnownAnswer));
    let sizes = [Role::PublicKey, Role::SecretKey, Role::SharedSecret].map(|role| (role, 32));
    assert_eq!(record.sizes, sizes.into_iter().collect());
    assert!(record.failure.is_none() && record.line.is_none());
    assert_eq!(record.points.len(), 1);
    assert!(record.points[0].cycles_per_call.estimate > 1000.0);
}

#[test]
fn signatures_are_of_messages_as_long_as_is_asked() {
    let Some(_) = with_key_pairs() else { return };
    with_cross_checks();
    let lengths = |run: &Run| -> Vec<usize> {
        run.records[0].points.iter().map(|point| point.parameters.message_bytes).collect()
    };
    let usual = run("ecdsap256 sign");
    assert_eq!(lengths(&usual), [32]);
    let asked = run("ed25519 sign --sizes 1024,32 --contract oneshot");
    assert_eq!(lengths(&asked), [32, 1024]);
    assert!(asked.records.iter().all(|record| record.subject.operation == Operation::Sign));
    // The output is random, so the verification must accept it.
    let verification = usual.records[0].verification.as_ref().expect("verified");
    assert!(matches!(verification, Verification::RoundTrip | Verification::Agreement { .. }));
}

#[test]
fn operations_beside_names_are_those_of_what_is_named() {
    let Some(_) = with_key_pairs() else { return };
    let listed = succeeds("list ed25519 ecdsap256 verify --library openssl --format csv").stdout;
    let rows: Vec<&str> = listed.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{listed}");
    assert!(rows.iter().all(|row| row.contains(",verify,")), "{listed}");
    refused("run ed25518 sign --library openssl", &["ed25518", "ed25519"]);
}

/// Whichever operation returns too few bytes, its rows fail with a reason, and so do rows
/// that use its output; no worker crashes.
#[test]
fn outputs_of_a_provider_that_are_short_are_rows_with_a_reason() {
    let folder = Folder::new();
    let library = provider("key_pairs", &folder);
    let run = |short: &str| -> Run {
        let line = "run * --precision 99% --max-time 120 --no-save --format json --library";
        let mut command = command();
        command.args(line.split(' ')).arg(&library).env("SHORT", short);
        call(&mut command).ends(i32::from(!short.is_empty()), &[]).run()
    };
    let whole = run("");
    assert!(whole.records.iter().all(|record| record.failure.is_none()), "{whole:?}");
    let is_short = |it: &Operation| it.is_public_key() && !it.row().gives.is_empty();
    for operation in Operation::ALL.into_iter().filter(is_short) {
        let number = operation.row().number.expect("providers offer it").to_string();
        let run = run(&number);
        assert_eq!(run.records.len(), whole.records.len());
        let failed = |other: Operation| {
            let is_it = |record: &&cpb_model::Record| record.subject.operation == other;
            let record = run.records.iter().find(is_it).expect("a row");
            record.failure.clone()
        };
        let failure = failed(operation).unwrap_or_else(|| panic!("{}", operation.name()));
        assert!(failure.reason.contains("31 bytes"), "{}: {}", operation.name(), failure.reason);
        for failure in Operation::ALL.into_iter().filter(is_short).filter_map(failed) {
            assert!(failure.kind != FailureKind::Crashed, "{}", failure.reason);
        }
    }
}

/// Slow operations of random duration are measured only on request; naming one without the
/// request gives an explanation.
#[test]
fn rsa_key_generation_is_left_out_unless_it_is_asked_for() {
    let Some(_) = with_key_pairs() else { return };
    const LINE: &str = "rsa-2048-pkcs1 keygen takes long and varies: run and compare \
                        measure it with --include-slow";
    for line in ["run rsa-2048 keygen --library openssl", "compare openssl openssl rsa-2048 keygen"]
    {
        let called = cpb(line);
        assert_eq!(called.stderr.lines().filter(|it| it.contains(LINE)).count(), 1);
        called.fails(2, &[]);
    }
    let listed = succeeds("list rsa-2048 --library openssl").stdout;
    let is_marked = |operation: &str| {
        let line = listed.lines().find(|line| line.contains(operation)).expect(operation);
        line.trim_end().ends_with("slow")
    };
    assert_eq!((is_marked("keygen"), is_marked("sign")), (true, false), "{listed}");
    let row = &succeeds("list rsa-2048 keygen --library openssl --format csv").csv()[0];
    assert_eq!([&row["operation"], &row["slow"]], ["keygen", "true"], "{row:?}");
}

#[test]
fn rsa_key_generation_has_the_costs_that_were_seen() {
    let Some(_) = with_key_pairs() else { return };
    let run = run("rsa-2048 keygen --include-slow");
    let [record] = &run.records[..] else { panic!("one row: {:?}", run.records) };
    assert_eq!(record.failure, None);
    let draws = record.points[0].draws.expect("costs by chance");
    assert_eq!((draws.expected_attempts, draws.cycles_per_attempt), (None, None));
    assert!(0.0 < draws.p50 && draws.p50 <= draws.p90 && draws.p90 <= draws.p99, "{draws:?}");
}
