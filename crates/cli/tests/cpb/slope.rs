//! Tests the rows of key pairs in `cpb slope`; the others are in recordings.

use crate::program::{refused, succeeds, with_key_pairs};

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// The names are those of libgcrypt's own bench-slope since 2026.
#[test]
fn key_pairs_have_groups_of_their_own() {
    let Some(_) = with_key_pairs() else { return };
    let slope = "slope --library openssl --repetitions 2";
    let called = succeeds(&format!("{slope} ecc x25519 ed25519"));
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(lines[1], "ECC:");
    assert_eq!(lines[2], " Ed25519        |  nanosecs/iter   cycles/iter");
    assert!(lines[3].starts_with("           mult | "), "{}", called.stdout);
    assert!(lines.contains(&" X25519         |  nanosecs/iter   cycles/iter"));
    let called = succeeds(&format!("{slope} --csv --cpu-mhz auto ecc ecdh-p256"));
    let rows: Vec<Vec<&str>> =
        called.stdout.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let modes: Vec<&str> = rows.iter().map(|fields| fields[2]).collect();
    assert_eq!(modes, ["mult", "keygen", "agree"], "{}", called.stdout);
    for fields in &rows {
        assert!(fields.len() >= 17 && fields[..2] == ["ecc", "NIST-P256"], "{fields:?}");
        assert!(fields[3..11].iter().all(|field| field.is_empty()), "{fields:?}");
        assert_eq!([fields[12], fields[14], fields[16]], ["ns/iter", "c/iter", "Mhz"]);
        let (nanoseconds, cycles, megahertz) =
            (number(fields[11]), number(fields[13]), number(fields[15]));
        assert!((nanoseconds * megahertz / 1000.0 / cycles - 1.0).abs() < 0.001, "{fields:?}");
    }
    let wide = succeeds(&format!("{slope} --wide ecc x25519")).stdout;
    assert!(wide.contains("c/call") && !wide.contains("c/B"), "{wide}");
    refused(&format!("{slope} --sizes 64,128 ecc"), &["--sizes", "cost by the call"]);
}
