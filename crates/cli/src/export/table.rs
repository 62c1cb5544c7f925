//! Aligned columns.

use super::Format;

pub(super) const TABLE: Format = Format {
    name: "table",
    about: "Aligned columns for people",
    endings: &["txt"],
    suits: |_| true,
    write: |document, room, output| {
        Ok(output.write_all(cpb_report::text(&document.sections(), room).as_bytes())?)
    },
};
