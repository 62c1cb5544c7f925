//! The table of bench-slopes.

use super::key_pairs;
use super::rows::{
    Figures, Shown, algorithm, by_library, first_line, group_name, is_of_key_pairs, mode,
};
use cpb_model::{Record, Run};

/// The whole table. Rows that failed are left out; they were told of.
#[must_use]
pub fn text(run: &Run, shown: &Shown) -> String {
    let mut text = String::new();
    for (label, records) in by_library(run) {
        text.push_str(&first_line(run, label, shown));
        for group in records.chunk_by(|a, b| group_name(a) == group_name(b)) {
            text.push_str(&format!("{}:\n", title(group_name(&group[0]))));
            let by_mode = matches!(group_name(&group[0]), "cipher" | "codec");
            if by_mode || is_of_key_pairs(&group[0]) {
                for rows in group.chunk_by(|a, b| algorithm(a) == algorithm(b)) {
                    section(&mut text, rows, shown, algorithm(&rows[0]), 14, mode);
                }
            } else {
                let width = match group_name(&group[0]) {
                    "mac" => 20,
                    "kdf" => 24,
                    _ => 14,
                };
                section(&mut text, group, shown, "", width, algorithm);
            }
        }
    }
    text
}

fn section(
    text: &mut String,
    rows: &[Record],
    shown: &Shown,
    heading: &str,
    width: usize,
    name: fn(&Record) -> &str,
) {
    let per_iteration = group_name(&rows[0]) == "kdf" || is_of_key_pairs(&rows[0]);
    let columns = if per_iteration {
        format!(" {:>14} {:>13}", "nanosecs/iter", "cycles/iter")
    } else {
        format!(" {:>14} {:>15} {:>13}", "nanosecs/byte", "mebibytes/sec", "cycles/byte")
    };
    let clock = if shown.clock { format!(" {:>9}", "auto Mhz") } else { String::new() };
    text.push_str(&format!(" {heading:<width$} | {columns}{clock}\n").replacen("|  ", "| ", 1));
    for record in rows {
        let Some(figures) = Figures::of(record) else { continue };
        let number = |value: f64| shown.number(value);
        let is_old = shown.old_tool.is_some();
        let at_most = |digits: String| if is_old { digits } else { figures.at_most(digits) };
        let at_least = |digits: String| if is_old { digits } else { figures.at_least(digits) };
        let nanoseconds = at_most(number(figures.nanoseconds));
        let speed = at_least(number(figures.mebibytes_per_second));
        let cycles = if shown.cycles { at_most(number(figures.cycles)) } else { "-".to_owned() };
        let values = if per_iteration {
            format!(" {nanoseconds:>14} {cycles:>13}")
        } else {
            format!(
                " {:>14} {:>15} {:>13}",
                format!("{nanoseconds} ns/B"),
                format!("{speed} MiB/s"),
                format!("{cycles} c/B")
            )
        };
        let clock = match shown.clock {
            true => format!(" {:>9.1}", figures.megahertz),
            false => String::new(),
        };
        let name = match heading {
            "" => format!("{:<width$}", name(record)),
            _ => format!("{:>width$}", name(record)),
        };
        text.push_str(&format!(" {name} |{values}{clock}\n"));
    }
    text.push_str(&format!(" {:<width$} =\n", ""));
}

fn title(group: &str) -> &str {
    match group {
        "hash" => "Hash",
        "mac" => "MAC",
        "cipher" => "Cipher",
        "kdf" => "KDF",
        "codec" => "Codec",
        key_pairs::PUBLIC_KEY => "Public-key",
        key_pairs::CURVES => "ECC",
        key_pairs::POST_QUANTUM => "Post-quantum",
        other => other,
    }
}
