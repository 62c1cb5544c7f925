//! A page.

use super::Format;
use cpb_report::html;

pub(super) const HTML: Format = Format {
    name: "html",
    about: "A page with charts, of what was measured",
    endings: &["html", "htm"],
    suits: |document| document.runs().iter().any(|source| !source.run.records.is_empty()),
    write: |document, _, output| Ok(output.write_all(html::page(&document.runs()).as_bytes())?),
};
