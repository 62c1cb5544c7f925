//! A page.

use super::Format;
use crate::html;

pub(super) const HTML: Format = Format {
    name: "html",
    about: "A page with charts, of what was measured",
    endings: &["html", "htm"],
    suits: |document| document.runs().iter().any(|source| !source.run.records.is_empty()),
    write: |document, _, output| {
        let page = html::page(&document.runs(), document.paired().as_ref());
        Ok(output.write_all(page.as_bytes())?)
    },
};
