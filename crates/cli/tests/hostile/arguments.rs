//! Tests nonsensical command lines: each ends by itself, with a meaningful exit
//! status, and with a message unless that is 0.
//!
//! By default a share of them runs; all with `CPB_HOSTILE_ALL=1`.

use crate::calling::{Call, chosen, make, survive};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use tempfile::TempDir;

/// Command lines in which `?` stands for a nonsensical value. With a sensible one,
/// each would be quick.
const LINES: &str = include_str!("arguments.txt");

/// Returns nonsensical values, without endless devices, which are another matter.
fn values() -> Vec<OsString> {
    let words = "- -- -1 --nonsense 0 +1 NaN inf -inf 1e999 1e-320 99999999999999999999 0x10 * ** \
                 = ;;; ,, a,b=c;d:e %s%n%p '\"`$(true) \u{1b}[31mred\u{1b}[0m two\nlines \
                 \u{202e}txt.exe ẞtraße no/such/x.json /dev/null / latest~99999999999999999999 \
                 #-1";
    let texts = ["", " "].into_iter().chain(words.split(' '));
    let mut values: Vec<OsString> = texts.map(OsString::from).collect();
    values.push(OsString::from_vec(vec![0xff, 0xfe, b'x']));
    values.push("x".repeat(100_000).into());
    values.push("9".repeat(1000).into());
    values.push("🦀".repeat(2000).into());
    values
}

fn filled(line: &str, value: &OsString) -> Call {
    let line = line.replace("START", &"0".repeat(64));
    let fill = |word: &str| {
        let mut filled = OsString::new();
        let mut parts = word.split('?');
        filled.push(parts.next().unwrap_or_default());
        for part in parts {
            filled.push(value);
            filled.push(part);
        }
        filled
    };
    Call { words: line.split_whitespace().map(fill).collect(), variables: Vec::new() }
}

#[test]
fn every_command_line_has_an_answer() {
    let folder = TempDir::new().expect("a folder of our own");
    let values = values();
    let with_each = |line| values.iter().map(move |value| filled(line, value));
    let calls: Vec<Call> = LINES.lines().flat_map(with_each).collect();
    assert!(calls.len() >= 430);
    make(&chosen(calls, 60), folder.path(), |call, place| {
        let survived = survive(call, place)?;
        let longest = survived.stderr.lines().map(str::len).max().unwrap_or(0);
        if longest > 5000 {
            return Err(format!("{:?}… is echoed in full", &survived.stderr[..200]));
        }
        Ok(survived.status)
    });
}

#[test]
fn a_long_word_is_cut_where_it_is_repeated() {
    let folder = TempDir::new().expect("a folder of our own");
    let long = OsString::from("x".repeat(100_000));
    for line in [
        "?",
        "run ? --library native",
        "run --library ?",
        "run --library native;?",
        "run --sizes 64,?",
        "run --?",
        "run --format ?",
        "bench ?",
        "show ?",
        "gate --baseline ?",
        "compare ? native",
        "history --library ? hash",
    ] {
        let survived = survive(&filled(line, &long), folder.path()).expect(line);
        assert_eq!(survived.status, 2, "{line}: {}", survived.stderr);
        assert!(survived.stderr.len() < 3000, "{line}: {} bytes", survived.stderr.len());
    }
}
