//! Writes GitHub's annotations: lines that its runners show in the summary of a job
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>). Passed cases
//! have none.

use super::Format;
use crate::WriteError;
use crate::{Case, Document, Outcome};
use std::io::Write;

pub(super) const GITHUB_ANNOTATIONS: Format = Format {
    name: "github-annotations",
    about: "Annotations of a job on GitHub, one for each row that is not fine",
    endings: &[],
    suits: |document| !document.cases().is_empty(),
    write: |document, _, output| write(document, output),
};

fn write(document: &dyn Document, output: &mut dyn Write) -> Result<(), WriteError> {
    Ok(output.write_all(annotations(document).as_bytes())?)
}

/// Returns the annotations of `document`, one per line.
pub fn annotations(document: &dyn Document) -> String {
    let title = format!("cpb {}", document.command());
    let line = |Case { name, outcome, words }| {
        let kind = match outcome {
            Outcome::Passed => return None,
            Outcome::Failed => "error",
            Outcome::Unknown => "warning",
        };
        Some(format!("::{kind} title={title}::{}\n", escaped(&format!("{name}: {words}"))))
    };
    document.cases().into_iter().filter_map(line).collect()
}

/// Escapes a text into one line that cannot contain another command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
