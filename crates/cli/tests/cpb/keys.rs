//! Operations with key pairs, in the installed OpenSSL.

#![allow(clippy::print_stdout, reason = "says what was skipped")]

use crate::program::{cpb, refused, succeeds};
use cpb_model::{Operation, Role, Run, Verification};

/// Whether there is an OpenSSL that has them.
fn is_there() -> bool {
    let is_there = cpb("list x25519 --library openssl").status == 0;
    if !is_there {
        println!("skipped: no OpenSSL since 3.0");
    }
    is_there
}

fn run(line: &str) -> Run {
    let called = succeeds(&format!(
        "run {line} --library openssl --precision 99% --max-time 20 --format json"
    ));
    serde_json::from_str(&called.stdout).expect("cpb's own JSON")
}

#[test]
fn a_key_exchange_is_proved_and_measured_by_the_call() {
    if !is_there() {
        return;
    }
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
    if !is_there() {
        return;
    }
    let lengths = |run: &Run| -> Vec<usize> {
        run.records[0].points.iter().map(|point| point.parameters.message_bytes).collect()
    };
    let usual = run("ecdsap256 sign");
    assert_eq!(lengths(&usual), [32]);
    let asked = run("ed25519 sign --sizes 1024,32 --contract oneshot");
    assert_eq!(lengths(&asked), [32, 1024]);
    assert!(asked.records.iter().all(|record| record.subject.operation == Operation::Sign));
    // Nobody can foretell it: who verifies must take it.
    let verification = usual.records[0].verification.as_ref().expect("verified");
    assert!(matches!(verification, Verification::RoundTrip | Verification::Agreement { .. }));
}

#[test]
fn operations_beside_names_are_those_of_what_is_named() {
    if !is_there() {
        return;
    }
    let listed = succeeds("list ed25519 ecdsap256 verify --library openssl --format csv").stdout;
    let rows: Vec<&str> = listed.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{listed}");
    assert!(rows.iter().all(|row| row.contains(",verify,")), "{listed}");
    refused("run ed25518 sign --library openssl", &["ed25518", "ed25519"]);
}
