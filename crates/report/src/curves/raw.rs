//! Reads raw files of bench-slopes: `bytes,cycles,cycles-per-byte` lines without a header, named
//! `LIBRARY_results_for_GROUP_ALGORITHM_MODE_on_MACHINE.csv`. In files by cpb, `,bound` follows
//! upper bounds.

use super::{Curve, Curves, CurvesError, Length, Name};
use cpb_model::harmless;
use std::collections::HashSet;
use std::path::Path;

/// Describes a valid line.
pub(super) const EXPECTED: &str = "a raw file of bench-slopes, with lines \
    'bytes,cycles,cycles-per-byte' such as '16,442,27.6', or results that cpb saved with \
    '--format json'";

pub(super) fn parse(path: &Path, text: &str) -> Result<Curves, CurvesError> {
    let mut lengths: Vec<Length> = Vec::new();
    let mut known = HashSet::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |wrong| CurvesError::Wrong { path: path.to_owned(), line: index + 1, wrong };
        let length = parse_line(line).map_err(wrong)?;
        if !known.insert(length.bytes.to_bits()) {
            return Err(wrong(format!("a second line for {} bytes", length.bytes)));
        }
        lengths.push(length);
    }
    lengths.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
    let curve = Curve { name: name(path), lengths };
    Ok(Curves { curves: vec![curve], notes: Vec::new() })
}

fn parse_line(line: &str) -> Result<Length, String> {
    let shown: String = line.chars().take(60).collect();
    let no_line = || format!("'{shown}' is not such a line; expected {EXPECTED}");
    let (numbers, upper_bound) = match line.trim_end().strip_suffix(",bound") {
        Some(numbers) => (numbers, true),
        None => (line, false),
    };
    let fields: Vec<f64> = numbers
        .split(',')
        .map(|field| field.trim().parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(no_line)?;
    let &[bytes, cycles, cycles_per_byte] = fields.as_slice() else { return Err(no_line()) };
    if !(bytes >= 1.0 && bytes.fract() == 0.0 && bytes <= 1e15) {
        return Err(format!("'{shown}' does not start with a whole number of bytes above 0"));
    }
    if !(cycles > 0.0 && cycles <= 1e18) {
        return Err(format!("'{shown}' has no cycles: the second number must be above 0"));
    }
    // Cycles are truncated to integers, cycles per byte to at least one decimal.
    let slack = 1.0 + 0.01 * cycles + 0.06 * bytes;
    let difference = (cycles_per_byte * bytes - cycles).abs();
    if difference.is_nan() || difference > slack {
        return Err(format!(
            "'{shown}' contradicts itself: {cycles} cycles of {bytes} bytes are {:.3} cycles per byte",
            cycles / bytes
        ));
    }
    Ok(Length { bytes, cycles, interval: None, nanoseconds: None, upper_bound })
}

/// Returns the name contained in a file's name; the file's name itself if it has another form.
fn name(path: &Path) -> Name {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let stem = harmless(&stem).into_owned();
    let file = harmless(&path.to_string_lossy()).into_owned();
    let unnamed = || Name { library: stem.clone(), file: file.clone(), ..Name::default() };
    let Some((library, rest)) = stem.split_once("_results_for_") else { return unnamed() };
    let Some((row, machine)) = rest.split_once("_on_") else { return unnamed() };
    // A hash has an empty mode.
    let Some((_group, row)) = row.split_once('_') else { return unnamed() };
    let (algorithm, mode) = row.rsplit_once('_').unwrap_or((row, ""));
    Name {
        library: library.to_owned(),
        algorithm: algorithm.to_owned(),
        mode: spaced(mode),
        machine: machine.to_owned(),
        file,
        ..Name::default()
    }
}

/// Restores a mode that became part of a file's name: `CBC-enc` to `CBC enc`.
fn spaced(mode: &str) -> String {
    match mode.rsplit_once('-') {
        Some((mode, direction @ ("enc" | "dec" | "auth"))) => format!("{mode} {direction}"),
        _ => mode.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(file: &str) -> [String; 4] {
        let name = name(Path::new(file));
        [name.library, name.algorithm, name.mode, name.machine]
    }

    #[test]
    fn file_names_tell_library_algorithm_mode_and_machine() {
        assert_eq!(
            named("raw/libgcrypt_results_for_hash_SHA256__on_zen4.csv"),
            ["libgcrypt", "SHA256", "", "zen4"]
        );
        assert_eq!(
            named("openssl_results_for_cipher_aes-128_CBC-enc_on_my_box.csv"),
            ["openssl", "aes-128", "CBC enc", "my_box"]
        );
        assert_eq!(
            named("botan_results_for_cipher_ChaCha20Poly1305_AEAD-auth_on_.csv"),
            ["botan", "ChaCha20Poly1305", "AEAD auth", ""]
        );
        assert_eq!(
            named("cryptopp_results_for_cipher_AES_GCM-SIV-dec_on_a.b.csv"),
            ["cryptopp", "AES", "GCM-SIV dec", "a.b"]
        );
    }

    #[test]
    fn other_file_names_stand_for_themselves() {
        for file in ["mine.csv", "a_results_for_b.csv", "a_results_for_b_on_c.csv"] {
            let stem = file.trim_end_matches(".csv");
            assert_eq!(named(file), [stem, "", "", ""]);
        }
    }

    #[test]
    fn lines_are_bytes_cycles_and_cycles_per_byte() {
        let length = parse_line("16,442,27.6").unwrap();
        assert_eq!((length.bytes, length.cycles, length.upper_bound), (16.0, 442.0, false));
        assert!(parse_line("16,442,27.6,bound").unwrap().upper_bound);
        for right in ["2097152,8388608,4.000", "16,1,0.094", " 64 , 100.5 , 1.57 ", "16,10,0.68"] {
            assert!(parse_line(right).is_ok(), "{right}");
        }
        for (wrong, word) in [
            ("bytes,cycles,cycles-per-byte", "expected"),
            ("16,442", "expected"),
            ("16,442,27.6,9", "expected"),
            ("16;442;27.6", "expected"),
            ("0,442,27.6", "whole number of bytes"),
            ("16.5,442,27.6", "whole number of bytes"),
            ("-16,442,27.6", "whole number of bytes"),
            ("NaN,442,27.6", "whole number of bytes"),
            ("16,0,0", "above 0"),
            ("16,inf,27.6", "above 0"),
            ("16,442,72.6", "27.625 cycles per byte"),
            ("16,442,NaN", "contradicts"),
        ] {
            let told = parse_line(wrong).unwrap_err();
            assert!(told.contains(word), "{wrong}: {told}");
        }
    }
}
