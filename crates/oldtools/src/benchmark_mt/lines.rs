//! Prints the lines of the recursive SHA-256 benchmark, including colours.

use super::rates::{BLOCK_BYTES, RateOptions, Unit, rate_of};
use cpb_model::{Record, Verification};

const GOOD: &str = "\u{1b}[1;32m";
const BAD: &str = "\u{1b}[1;31m";
const CAUTION: &str = "\u{1b}[1;33m";
const TITLE: &str = "\u{1b}[1;97m";
const PLAIN: &str = "\u{1b}[0m";

/// Returns the lines before the first row.
pub fn heading(iterations: u64, threads: usize, shown: &RateOptions) -> String {
    let instructions = match std::env::consts::ARCH {
        "x86_64" => "Intel SHA Extensions",
        "aarch64" => "ARM Cryptography Extensions",
        _ => "<unknown platform>",
    };
    let unit = if shown.unit == Unit::Cpb { "cpb" } else { shown.rate_unit() };
    let clock = shown.gigahertz.map_or_else(|| "n/a".to_owned(), |ghz| format!("{ghz:.2}"));
    let mut text =
        format!("{TITLE}[Benchmark (mt) - Fast Recursive SHA256 (w/{instructions})]{PLAIN}\n");
    if shown.unit == Unit::Cpb && threads > 1 {
        text.push_str(&information(
            "Detected -m cpb and -t <threads> larger than 1. Make sure benchmark locked to 1 CPU \
             core.",
        ));
        text.push_str(&information(
            "Throughput cpb values only valid if 1 thread and/or benchmark locked to 1 CPU core.",
        ));
    }
    text.push_str(&format!(
        "- Parameters: {} MH (iterations), {clock} GHz (cpu speed), {unit} (unit), {threads} \
         (threads)\n",
        iterations as f64 / 1e6
    ));
    text
}

/// Returns the lines of one row.
pub fn row(row: &Record, shown: &RateOptions) -> String {
    let name = format!("Fast _x{}:", row.setup.lanes);
    let rate = rate_of(row).unwrap_or(0.0);
    let not_known = || "n/a".to_owned();
    let paint = |text: String| format!("{GOOD}{text}{PLAIN}");
    let figures = if shown.unit == Unit::Cpb {
        let cycles = shown.gigahertz.map(|gigahertz| gigahertz * 1e9 / rate);
        let block = cycles.map_or_else(not_known, |cycles| format!("{cycles:6.1}"));
        let byte = cycles.map_or_else(not_known, |cycles| format!("{:4.2}", cycles / BLOCK_BYTES));
        format!("{} cycles per block ({} per byte)", paint(block), paint(byte))
    } else {
        let unit = shown.rate_unit();
        let (rate_width, width, decimals) =
            if shown.unit == Unit::Mh { (7, 6, 3) } else { (9, 7, 2) };
        let rate = shown.rate(rate);
        let per_clock = shown.gigahertz.map(|gigahertz| rate / (gigahertz * 10.0));
        let per_clock = per_clock.map_or_else(not_known, |r| format!("{r:width$.decimals$}"));
        let rate = paint(format!("{rate:rate_width$.2}"));
        format!("{rate} {unit} ({} {unit}/0.1GHz)", paint(per_clock))
    };
    let verified = match (&row.failure, &row.verification) {
        (Some(_), _) => format!("{BAD}ERROR{PLAIN}"),
        (None, Some(Verification::Unverified { .. }) | None) => format!("{CAUTION}n/a{PLAIN}"),
        (None, Some(_)) => format!("{GOOD}ok{PLAIN}"),
    };
    let mut text = format!("- {name:<9} {figures} [verify hash: {verified}]\n");
    if shown.unit == Unit::Cpb && shown.gigahertz.is_none() {
        text.push_str(&information(
            "Need -s <cpuspeed> parameter to calculate CPU cycles results.",
        ));
    }
    text
}

fn information(text: &str) -> String {
    format!("- {CAUTION}INFO: {text}{PLAIN}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark_mt::rates::tests::row as measured;

    fn plain(text: &str) -> String {
        [GOOD, BAD, CAUTION, TITLE, PLAIN].iter().fold(text.to_owned(), |t, c| t.replace(c, ""))
    }

    #[test]
    fn rows_have_the_old_shape() {
        let shown = |unit, gigahertz| RateOptions { unit, gigahertz };
        for (unit, gigahertz, rate) in [
            (Unit::Mh, Some(4.3), " 28.80 MH/s ( 0.670 MH/s/0.1GHz)"),
            (Unit::Mh, None, " 28.80 MH/s (n/a MH/s/0.1GHz)"),
            (Unit::Mb, Some(4.3), " 1843.20 MB/s (  42.87 MB/s/0.1GHz)"),
            (Unit::Mib, None, " 1757.81 MiB/s (n/a MiB/s/0.1GHz)"),
            (Unit::Cpb, Some(4.3), "149.3 cycles per block (2.33 per byte)"),
        ] {
            let line = format!("- Fast _x1:  {rate} [verify hash: ok]\n");
            assert_eq!(plain(&row(&measured(1, 1, 28.8e6), &shown(unit, gigahertz))), line);
        }
        let line = row(&measured(1, 1, 28.8e6), &shown(Unit::Mh, Some(4.3)));
        assert!(line.contains("\u{1b}[1;32m  28.80\u{1b}[0m MH/s (\u{1b}[1;32m 0.670\u{1b}[0m "));
        let without = plain(&row(&measured(4, 1, 28.8e6), &shown(Unit::Cpb, None)));
        assert!(
            without.starts_with("- Fast _x4: n/a cycles per block (n/a per byte)"),
            "{without}"
        );
        assert!(
            without.ends_with(
                "- INFO: Need -s <cpuspeed> parameter to calculate CPU cycles results.\n"
            )
        );
    }

    #[test]
    fn headings_have_the_old_shape() {
        let text =
            plain(&heading(10_000_000, 2, &RateOptions { unit: Unit::Cpb, gigahertz: Some(4.3) }));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("[Benchmark (mt) - Fast Recursive SHA256 (w/"));
        assert!(lines[1].starts_with("- INFO: Detected -m cpb"));
        assert_eq!(
            lines[3],
            "- Parameters: 10 MH (iterations), 4.30 GHz (cpu speed), cpb (unit), 2 (threads)"
        );
        let text = plain(&heading(1000, 1, &RateOptions { unit: Unit::Mb, gigahertz: None }));
        let expected =
            "- Parameters: 0.001 MH (iterations), n/a GHz (cpu speed), MB/s (unit), 1 (threads)";
        assert_eq!(text.lines().nth(1), Some(expected));
    }
}
