//! Labels groups of equal work, and their rows.

use crate::{Libraries, apart};
use cpb_figures::Group;
use cpb_model::{Alignment, Axis, Caches, Parameters, Record, Subject, Workload};

/// Returns the title of `group`: the work and the unit.
pub(crate) fn title(group: &Group) -> String {
    let per_iteration = group.rows.iter().any(|row| row.record.line.is_some());
    let Workload { primitive, operation, caches, .. } = group.workload;
    let unit = match (operation.row().axis, per_iteration) {
        (Axis::Bytes, _) if *caches == Caches::Warm => "",
        (Axis::Iterations, true) => ", per iteration",
        _ => ", per call",
    };
    let beside: String = group.modifiers().iter().map(|it| format!(", {it}")).collect();
    format!("{primitive} ({}{unit}{beside})", operation.name())
}

/// Returns a label for each row of `group`, in order: library and backend, and more only if these
/// do not distinguish rows.
pub fn labels(group: &Group, libraries: &Libraries) -> Vec<String> {
    // Of rows that nothing distinguishes, the first one measured has the plain label.
    let mut places: Vec<usize> = (0..group.rows.len()).collect();
    places.sort_by_key(|&place| group.rows[place].index);
    let records: Vec<&Record> = places.iter().map(|&place| group.rows[place].record).collect();
    let mut labels = vec![String::new(); places.len()];
    for (place, label) in places.into_iter().zip(of_records(&records, libraries)) {
        labels[place] = label;
    }
    labels
}

/// Returns a row's library, and its backend unless the library has only one.
pub(crate) fn name(record: &Record, libraries: &Libraries) -> String {
    let library = libraries.short_name(&record.subject.library);
    match record.subject.backend.as_str() {
        "default" => library,
        backend => format!("{library} {backend}"),
    }
}

/// Returns a backend's name in tables with a column of backends.
pub(crate) fn backend(subject: &Subject) -> String {
    match (subject.backend.as_str(), subject.default_backend) {
        ("default", _) => String::new(),
        (name, true) => format!("{name} (default)"),
        (name, false) => name.to_owned(),
    }
}

fn of_records(records: &[&Record], libraries: &Libraries) -> Vec<String> {
    let mut labels: Vec<String> = records.iter().map(|it| name(it, libraries)).collect();
    let more: [fn(&Record) -> String; 3] = [
        |record| record.subject.spelling.clone(),
        |record| {
            record.output_bytes().map_or_else(String::new, |bytes| format!("{bytes} bytes out"))
        },
        |record| record.points.first().map_or("", |point| placed(&point.parameters)).to_owned(),
    ];
    for word in more {
        let said: Vec<String> = records.iter().map(|record| word(record)).collect();
        let before = labels.clone();
        let ambiguous = apart::ambiguous(&before, &said);
        for (label, own) in labels.iter_mut().zip(&said) {
            if ambiguous.contains(label.as_str()) && !own.is_empty() {
                *label = format!("{label} {own}");
            }
        }
    }
    apart::number(&mut labels);
    labels
}

fn placed(parameters: &Parameters) -> &'static str {
    match parameters.alignment {
        Alignment::Page => "aligned",
        Alignment::Unaligned => "unaligned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::record;

    #[test]
    fn labels_say_what_tells_rows_apart_and_no_more() {
        let mut avx2 = record("sha256", "native", 5.0);
        avx2.subject.backend = "avx2".to_owned();
        let mut longer = record("sha256", "b", 5.0);
        longer.workload.output = Some(64);
        let mut spelled = record("sha256", "c", 5.0);
        spelled.subject.spelling = "SHA2-256".to_owned();
        let rows = [
            avx2,
            record("sha256", "b", 4.0),
            longer,
            record("sha256", "c", 4.0),
            spelled,
            record("sha256", "d", 4.0),
            record("sha256", "d", 4.0),
        ];
        assert_eq!(
            of_records(&rows.iter().collect::<Vec<_>>(), &Libraries::default()),
            ["native avx2", "b", "b 64 bytes out", "c SHA256", "c SHA2-256", "d", "d #2"]
        );
    }
}
