//! Comma-separated values.

use super::Format;

pub(super) const CSV: Format = Format {
    name: "csv",
    about: "Comma-separated values",
    endings: &["csv"],
    suits: |_| true,
    write: |document, _, output| cpb_report::write_csv(output, document.rows()),
};
