//! `cpb gate` as JUnit XML: a test case for each row. What is slower failed,
//! what could not be measured is an error.

use crate::verdict::Verdict;
use crate::views::gate_table::{cells_of, reason};
use cpb_figures::Status;
use cpb_report::escaped;

pub(crate) fn text(verdict: &Verdict) -> String {
    let (failures, errors) = (verdict.count(Status::Slower), verdict.count(Status::NotMeasured));
    let (tests, seconds) = (verdict.rows.len(), verdict.run.seconds);
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\""
    );
    let cases = verdict.rows.iter().map(|row| {
        let figures = cells_of(row).map(|[length, then, now, ratio, interval]| {
            format!("length {length}: {then} cycles then, {now} now, ratio {ratio} ({interval})")
        });
        let words = [figures, row.reason.clone()].into_iter().flatten().collect::<Vec<_>>();
        let words = escaped(&words.join("; "));
        let inside = match row.status {
            Status::Slower => format!("<failure message=\"slower\">{words}</failure>"),
            Status::NotMeasured => {
                format!("<error message=\"{}\">{words}</error>", escaped(&reason(row)))
            }
            _ => format!("<system-out>{words}</system-out>"),
        };
        let name = escaped(&row.name);
        format!("    <testcase classname=\"cpb.gate\" name=\"{name}\">{inside}</testcase>\n")
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite name=\"cpb gate\" {counts}>\n{}  </testsuite>\n</testsuites>\n",
        cases.collect::<String>()
    )
}
