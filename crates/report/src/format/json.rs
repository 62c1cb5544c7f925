//! JSON.

use super::Format;

pub(super) const JSON: Format = Format {
    name: "json",
    about: "Everything, with intervals and provenance",
    endings: &["json"],
    suits: |_| true,
    write: |document, _, output| document.json(output),
};
