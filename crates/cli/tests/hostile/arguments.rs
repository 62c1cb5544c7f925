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
const LINES: [&str; 62] = [
    "?",
    "? ?",
    "run ? --library native --backend portable --precision 99% --max-time 120 --no-save",
    "run sha3-256 ? --library native --backend portable --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library ? --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native=? --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native;? --backend portable --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native;X=? --backend portable --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native --backend ? --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native --backend portable --sizes ? --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native --backend portable --sizes 64,? --precision 99% --max-time 120 --no-save",
    "run sha3-256 --library native --backend portable --precision ? --max-time 20 --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --timeout ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --cpu ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --cpu-mhz ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --counter ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --contract ? --no-save",
    "run sha3-256 --library native --backend portable --precision 99% --max-time 120 --format ? --no-save",
    "run --suite ? --library native --precision 99% --max-time 120 --no-save",
    "bench ? --src-lens 64",
    "bench 2 --src-lens ? --backend portable --no-save",
    "bench 2 --src-lens 64 --dst-lens ? --backend portable --no-save",
    "bench 2 --src-lens 64 --backend ? --no-save",
    "slope ? --library native --sizes 64,128 --repetitions 2 --no-save",
    "slope hash ? --library native --sizes 64,128 --repetitions 2 --no-save",
    "slope hash sha3-256 --library native --sizes ? --repetitions 2 --no-save",
    "slope hash sha3-256 --library native --sizes 64,128 --repetitions ? --no-save",
    "slope hash sha3-256 --library native --sizes 64,128 --repetitions 2 --cpu-mhz ? --no-save",
    "slope hash sha3-256 --library native --sizes 64,128 --repetitions 2 --machine ? --no-save",
    "slope --library ? hash --sizes 64,128 --repetitions 2 --no-save",
    "primitive ? --message-size=1 --no-save",
    "primitive hash-sha-3-256 --message-size=? --repeats-time=2 --no-save",
    "primitive hash-sha-3-256 --message-size=1 --repeats-time=? --no-save",
    "primitive hash-sha-3-256 --message-size=1 --repeats-time=2 --repeats-warm=? --no-save",
    "primitive hash-sha-3-256 --message-size=1 --repeats-time=2 --cpu-clock=? --no-save",
    "primitive mac-poly-1305 --message-size=1 --key-size=? --repeats-time=2 --no-save",
    "recursive -i ? --lanes 1 --repetitions 1 --no-save",
    "recursive -i 1K --lanes ? --repetitions 1 --no-save",
    "recursive -i 1K --lanes 1 -t ? --repetitions 1 --no-save",
    "recursive -i 1K --lanes 1 -s ? --repetitions 1 --no-save",
    "recursive -i 1K --lanes 1 -m ? --repetitions 1 --no-save",
    "recursive -i 1K --lanes 1 --repetitions ? --no-save",
    "recursive -i 1K --lanes 1 --scaling --plot ? --repetitions 1 --no-save",
    "compare ? native sha3-256 --max-time 0.1",
    "compare native:portable ? sha3-256 --max-time 0.1",
    "compare native:portable native:portable ? --max-time 0.1",
    "compare native:portable native:portable sha3-256 --aad ? --max-time 0.1 --precision 90%",
    "gate --baseline ?",
    "gate --baseline latest --tolerance ?",
    "chain make --start START --length 64 --every 8 -o ?",
    "chain make --start START --length ? --every 8 -o -",
    "chain make --start START --length 64 --every ? -o -",
    "chain make --start ? --length 64 --every 8 -o -",
    "chain verify ?",
    "history ? --last 1",
    "history --last ?",
    "show ?",
    "label latest ?",
    "export ?",
    "delete ?",
    "links ./?",
];

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
    let calls: Vec<Call> =
        LINES.iter().flat_map(|line| values.iter().map(|value| filled(line, value))).collect();
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
