//! A table for a README.

use crate::number::{estimate, gigahertz};
use crate::{Libraries, date, number};
use cpb_figures::{Group, Ranked, Standing, Unit, groups};
use cpb_model::{Contract, Run};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Libraries beyond which a table is for nobody.
const MOST_COLUMNS: usize = 100;

/// The figures of `run` as a Markdown table: primitives down, libraries
/// across, the fastest in bold (≈ where several may be it), and what it was measured on.
///
/// A library stands with the backend that it uses when not told otherwise,
/// where the run has it; else with its fastest one, by name.
#[must_use]
pub fn markdown(run: &Run) -> String {
    let groups = groups(run);
    let mut seen = HashSet::new();
    let all = run.records.iter().map(|record| record.subject.library.as_str());
    let mut libraries: Vec<&str> = all.filter(|library| seen.insert(*library)).collect();
    let left_out = libraries.len().saturating_sub(MOST_COLUMNS);
    libraries.truncate(MOST_COLUMNS);
    let names = Libraries::of(run);
    let mut text = String::from("| primitive | ");
    for library in &libraries {
        text.push_str(&format!("{} | ", cell(&names.short_name(library))));
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(libraries.len()));
    text.push('\n');
    for group in &groups {
        let chosen: Vec<Option<&Ranked>> =
            libraries.iter().map(|library| choice(group, library)).collect();
        let _ = write!(text, "| {} | ", cell(&title(group)));
        for row in chosen {
            text.push_str(&row.map_or_else(|| "–".to_owned(), words));
            text.push_str(" | ");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&foot(run, &groups, left_out));
    text
}

/// The row that stands for a library.
fn choice<'a>(group: &'a Group, library: &str) -> Option<&'a Ranked<'a>> {
    let mut rows = group.rows.iter().filter(|row| row.record.subject.library == library);
    let first = rows.clone().next();
    rows.find(|row| row.record.subject.default_backend).or(first)
}

fn words(row: &Ranked) -> String {
    let subject = &row.record.subject;
    let Some(figure) = row.figure else { return "failed".to_owned() };
    let text = estimate(figure);
    let figure = match row.standing {
        Standing::Best => format!("**{text}**"),
        Standing::Tied => format!("{} {text}", row.standing.mark()),
        Standing::Alone | Standing::Behind => text,
    };
    match subject.default_backend {
        true => figure,
        false => format!("{figure} ({})", cell(&subject.backend)),
    }
}

fn title(group: &Group) -> String {
    let mut title = format!("{} {}", group.primitive, group.operation.name());
    if group.contract != Contract::Keyed {
        title.push_str(&format!(", {}", group.contract.name()));
    }
    if group.aad_bytes != 0 {
        title.push_str(&format!(", {} aad", number::bytes(group.aad_bytes)));
    }
    match group.unit {
        Unit::PerByte => title,
        Unit::PerByteAt(length) => format!("{title}, {}", number::bytes(length)),
        Unit::PerIteration => format!("{title}, per iteration"),
        Unit::PerCall => format!("{title}, per call"),
    }
}

fn foot(run: &Run, groups: &[Group], left_out: usize) -> String {
    let mut parts = vec!["Core cycles per byte, lower is better".to_owned()];
    if groups.iter().any(|group| group.rows.iter().any(|row| row.figure.is_none())) {
        parts.push("failed: no figure".to_owned());
    }
    if left_out > 0 {
        parts.push(format!("{left_out} more libraries are left out"));
    }
    parts.extend(run.host.cpu.clone());
    parts.extend(
        run.clock
            .as_ref()
            .map(|clock| format!("{} at {}", clock.name, gigahertz(clock.core_hertz))),
    );
    let names = Libraries::of(run);
    for library in run.libraries.iter().take(MOST_COLUMNS) {
        let name = names.short_name(&library.label);
        parts.push(format!("{name} {}", library.version).trim_end().to_owned());
    }
    parts.push(format!("cpb {}, {}", run.version, date::utc(run.started)));
    format!("{}.\n", cell(&parts.join(" · ")))
}

/// `text` where a vertical bar, a line feed or markup would end or change a cell.
fn cell(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '\\' | '*' | '_' | '`' | '<' | '[' | ']' => {
                output.push('\\');
                output.push(character);
            }
            '\n' | '\r' | '\t' => output.push(' '),
            other => output.push(other),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{failed, record, run};
    use cpb_model::LibraryId;

    #[test]
    fn primitives_stand_down_and_libraries_across() {
        let mut portable = record("sha256", "native", 9.0);
        portable.subject.backend = "portable".to_owned();
        portable.subject.default_backend = false;
        let mut avx2 = record("md5", "native", 3.0);
        avx2.subject.backend = "avx2".to_owned();
        avx2.subject.default_backend = false;
        let mut run = run(vec![
            portable,
            record("sha256", "native", 5.0),
            record("sha256", "openssl", 4.0),
            failed("md5", "openssl", "SIGILL"),
            avx2,
            record("sha1", "open|ssl\n2", 1.0),
        ]);
        run.libraries = vec![LibraryId {
            label: "openssl".to_owned(),
            name: "openssl".to_owned(),
            version: "3.0.17".to_owned(),
            banner: String::new(),
            path: None,
            digest: None,
            code_path: None,
        }];
        let text = markdown(&run);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| primitive | native | openssl | open\\|ssl 2 |");
        assert_eq!(lines[1], "|---|---:|---:|---:|");
        assert_eq!(lines[2], "| sha256 hash | 5.0000 | **4.0000** | – |");
        assert_eq!(lines[3], "| md5 hash | **3.0000** (avx2) | failed | – |");
        assert_eq!(lines[4], "| sha1 hash | – | – | 1.0000 |");
        assert_eq!(lines[5], "");
        assert!(lines[6].starts_with("Core cycles per byte"), "{}", lines[6]);
        for word in ["a CPU", "openssl 3.0.17", "cpb 0.1.0, 2026-09-21"] {
            assert!(lines[6].contains(word), "{word}: {}", lines[6]);
        }
    }
}
