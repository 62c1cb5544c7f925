//! Makes the table for a README: primitives down, libraries across.

use crate::number::{self, estimate, gigahertz, half_width};
use crate::{Cell, Libraries, Section, Style, Table, date, left, right};
use cpb_figures::{Group, Ranked, Standing, Unit, groups};
use cpb_model::Run;
use std::collections::HashSet;

/// More libraries than this fit in no readable table.
const MOST_COLUMNS: usize = 100;

/// Makes the table of `run`, with the fastest marked (≈ for ties), and with the machine.
///
/// Each library has its default backend, if the run contains it; otherwise its fastest one, with
/// its name.
pub fn matrix(run: &Run) -> Section {
    let groups = groups(&run.records);
    let mut seen = HashSet::new();
    let all = run.records.iter().map(|record| record.subject.library.as_str());
    let mut libraries: Vec<&str> = all.filter(|library| seen.insert(*library)).collect();
    let left_out = libraries.len().saturating_sub(MOST_COLUMNS);
    libraries.truncate(MOST_COLUMNS);
    let names = Libraries::of(run);
    let across = libraries.iter().map(|library| right(names.short_name(library)));
    let mut table = Table::new([left("primitive")].into_iter().chain(across).collect());
    for group in &groups {
        let chosen = libraries.iter().map(|library| choice(group, library));
        let cells = chosen.map(|row| row.map_or_else(|| "–".into(), cell));
        table.row([title(group).into()].into_iter().chain(cells).collect());
    }
    Section { table, after: vec![foot(run, &groups, left_out).into()], ..Section::default() }
}

/// Returns the row that represents a library.
fn choice<'a>(group: &'a Group, library: &str) -> Option<&'a Ranked<'a>> {
    let mut rows = group.rows.iter().filter(|row| row.record.subject.library == library);
    let first = rows.clone().next();
    rows.find(|row| row.record.subject.default_backend).or(first)
}

fn cell(row: &Ranked) -> Cell {
    let subject = &row.record.subject;
    let Some(figure) = row.figure else { return "failed".into() };
    let style = if row.standing == Standing::Best { Style::Good } else { Style::Plain };
    let mark = match row.standing {
        Standing::Tied | Standing::Unknown => format!("{} ", row.standing.mark()),
        _ => String::new(),
    };
    let backend = match subject.default_backend {
        true => String::new(),
        false => format!(" ({})", subject.backend),
    };
    let width = figure.interval.map(|_| format!(" ±{}", half_width(figure))).unwrap_or_default();
    Cell::new(format!("{mark}{}{width}{backend}", estimate(figure)), style)
}

fn title(group: &Group) -> String {
    let title = group.title();
    match group.unit {
        Unit::PerByte => title,
        Unit::PerByteAt(length) => format!("{title}, {}", number::bytes(length)),
        Unit::PerIteration => format!("{title}, per iteration"),
        Unit::PerCall => format!("{title}, per call"),
    }
}

fn foot(run: &Run, groups: &[Group], left_out: usize) -> String {
    let mut parts = vec![
        "Core cycles per byte, lower is better".to_owned(),
        "±: half-width of the 95 % confidence interval".to_owned(),
    ];
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
    // Libraries that only checked results have no column.
    let measured: HashSet<&str> =
        run.records.iter().map(|record| record.subject.library.as_str()).collect();
    let libraries = run.libraries.iter().filter(|library| measured.contains(&library.label[..]));
    for library in libraries.take(MOST_COLUMNS) {
        let name = names.short_name(&library.label);
        parts.push(format!("{name} {}", library.version).trim_end().to_owned());
    }
    parts.push(format!("cpb {}, {}", run.version, date::utc(run.started)));
    format!("{}.", parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;
    use cpb_figures::testing::{failed, record, run};
    use cpb_model::LibraryBuild;

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
        let library = |label: &str| LibraryBuild {
            label: label.to_owned(),
            name: label.to_owned(),
            version: "3.0.17".to_owned(),
            ..LibraryBuild::default()
        };
        run.libraries = vec![library("openssl"), library("checked-against")];
        let text = markdown(&[matrix(&run)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| primitive | native | openssl | open\\|ssl 2 |");
        assert_eq!(lines[1], "|---|---:|---:|---:|");
        assert_eq!(lines[2], "| sha256 hash | 5.00 ±1.0 % | **4.00 ±1.0 %** | – |");
        assert_eq!(lines[3], "| md5 hash | **3.00 ±1.0 % (avx2)** | failed | – |");
        assert_eq!(lines[4], "| sha1 hash | – | – | 1.00 ±1.0 % |");
        assert_eq!(lines[5], "");
        assert!(lines[6].starts_with("Core cycles per byte"), "{}", lines[6]);
        for word in ["a CPU", "openssl 3.0.17", "cpb 0.1.0, 2026-09-21"] {
            assert!(lines[6].contains(word), "{word}: {}", lines[6]);
        }
        assert!(!lines[6].contains("checked-against"), "{}", lines[6]);
    }
}
