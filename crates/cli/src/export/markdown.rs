//! Markdown.

use super::Format;

pub(super) const MARKDOWN: Format = Format {
    name: "markdown",
    about: "The tables, for a README or a page of a forge",
    endings: &["md", "markdown"],
    suits: |_| true,
    write: |document, _, output| {
        Ok(output.write_all(cpb_report::markdown(&document.sections()).as_bytes())?)
    },
};
