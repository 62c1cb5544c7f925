//! Writes the table of bench-slopes.

use super::csv::LEAST_DIFFERENCE;
use super::key_pairs;
use super::rows::{
    Figures, RowOptions, algorithm, by_library, first_line, group_name, is_of_key_pairs, mode,
};
use cpb_model::{Record, Run};

/// Formats the whole table, without failed rows, which were reported.
pub fn text(run: &Run, shown: &RowOptions) -> String {
    let mut text = String::new();
    for (label, records) in by_library(run) {
        text.push_str(&first_line(run, label, shown));
        for group in records.chunk_by(|a, b| group_name(a) == group_name(b)) {
            text.push_str(&format!("{}:\n", title(group_name(&group[0]))));
            let by_mode = matches!(group_name(&group[0]), "cipher" | "codec");
            if by_mode || is_of_key_pairs(&group[0]) {
                for rows in by_algorithm(group) {
                    section(&mut text, rows, shown, algorithm(&rows[0]), 14, mode);
                }
            } else {
                let width = match group_name(&group[0]) {
                    "mac" => 18,
                    "kdf" => 24,
                    _ => 14,
                };
                section(&mut text, group, shown, "", width, algorithm);
            }
        }
    }
    text
}

/// Groups the rows by algorithm; one that is requested again starts a new group.
fn by_algorithm(group: &[Record]) -> Vec<&[Record]> {
    let mut sections = Vec::new();
    let mut rest = group;
    while let Some((first, others)) = rest.split_first() {
        let is_anew = |row: &Record| algorithm(row) != algorithm(first) || mode(row) == mode(first);
        let end = others.iter().position(is_anew).unwrap_or(others.len()) + 1;
        let (section, after) = rest.split_at(end);
        sections.push(section);
        rest = after;
    }
    sections
}

fn section(
    text: &mut String,
    rows: &[Record],
    shown: &RowOptions,
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
        let difference = Some(figures.clock_difference).filter(|_| is_old && !per_iteration);
        let clock =
            if shown.clock { clock_of(figures.megahertz, difference) } else { String::new() };
        let name = match heading {
            "" => format!("{:<width$}", name(record)),
            _ => format!("{:>width$}", name(record)),
        };
        text.push_str(&format!(" {name} |{values}{clock}\n"));
    }
    text.push_str(&format!(" {:<width$} =\n", ""));
}

/// Formats the clock in MHz, with its difference over the row if that is large enough.
fn clock_of(megahertz: f64, difference: Option<f64>) -> String {
    match difference.filter(|difference| *difference >= LEAST_DIFFERENCE) {
        Some(difference) => format!(" {megahertz:>9.1}±{difference:.1}"),
        None => format!(" {megahertz:>9.1}"),
    }
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

#[cfg(test)]
mod tests {
    use super::clock_of;

    #[test]
    fn the_clock_has_its_difference_where_it_moved() {
        for (difference, text) in
            [(None, "    3752.5"), (Some(0.09), "    3752.5"), (Some(0.1), "    3752.5±0.1")]
        {
            assert_eq!(clock_of(3752.5, difference), text);
        }
    }
}
