//! JUnit XML: a test case for each row. What could not be measured is an error.

use super::Format;
use crate::{Document, Outcome};
use crate::{WriteError, escaped};
use std::io::Write;

pub(super) const JUNIT: Format = Format {
    name: "junit",
    about: "JUnit XML, for what reads tests' results",
    endings: &["xml"],
    suits: |document| !document.cases().is_empty(),
    write: |document, _, output| write(document, output),
};

fn write(document: &dyn Document, output: &mut dyn Write) -> Result<(), WriteError> {
    let (cases, command) = (document.cases(), document.command());
    let count = |outcome| cases.iter().filter(|case| case.outcome == outcome).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count(Outcome::Failed),
        count(Outcome::Unknown),
        document.runs().iter().map(|source| source.run.seconds).sum::<f64>(),
    );
    writeln!(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>")?;
    writeln!(output, "  <testsuite name=\"cpb {command}\" {counts}>")?;
    for case in &cases {
        let (name, words) = (escaped(&case.name), escaped(&case.words));
        let inside = match case.outcome {
            Outcome::Passed => format!("<system-out>{words}</system-out>"),
            Outcome::Failed => format!("<failure message=\"{words}\"/>"),
            Outcome::Unknown => format!("<error message=\"{words}\"/>"),
        };
        let class = format!("classname=\"cpb.{command}\"");
        writeln!(output, "    <testcase {class} name=\"{name}\">{inside}</testcase>")?;
    }
    Ok(output.write_all(b"  </testsuite>\n</testsuites>\n")?)
}
