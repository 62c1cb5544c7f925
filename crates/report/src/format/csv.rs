//! Writes CSV (RFC 4180) that no spreadsheet executes.

use super::Format;
use crate::{Rows, WriteError};
use cpb_model::harmless;
use std::borrow::Cow;
use std::io::Write;

/// Beginnings of cells that spreadsheets take for formulas (OWASP, "CSV injection"), including the
/// full-width forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

pub(super) const CSV: Format = Format {
    name: "csv",
    about: "Comma-separated values",
    endings: &["csv"],
    suits: |_| true,
    write: |document, _, output| write_csv(output, document.rows()),
};

/// Writes `rows` below their names, each with a line feed. Characters that act on a terminal are
/// escaped, and cells that a spreadsheet would execute get an apostrophe; numbers stay as they are.
///
/// # Errors
/// When writing fails.
pub fn write_csv(output: &mut dyn Write, rows: Rows<'_>) -> Result<(), WriteError> {
    let mut writer = ::csv::WriterBuilder::new().from_writer(output);
    writer.write_record(&rows.names).map_err(WriteError::from_csv)?;
    for row in rows.cells {
        let cells = row.iter().map(|cell| defused(cell).into_owned());
        writer.write_record(cells).map_err(WriteError::from_csv)?;
    }
    Ok(writer.flush()?)
}

fn defused(cell: &str) -> Cow<'_, str> {
    let cell = harmless(cell);
    let is_number = || cell.parse::<f64>().is_ok_and(f64::is_finite);
    if cell.starts_with(FORMULA) && !is_number() {
        return Cow::Owned(format!("'{cell}"));
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay_numbers() {
        for (cell, written) in [
            ("=cmd|'/c calc'!A1", "'=cmd|'/c calc'!A1"),
            ("+1+1", "'+1+1"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("-inf", "'-inf"),
            ("\t=1", "\\t=1"),
            ("\r\n=1", "\\r\\n=1"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("-0.2727", "-0.2727"),
            ("+1.5e-7", "+1.5e-7"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(defused(cell), written);
        }
    }

    #[test]
    fn fields_with_separators_are_quoted() {
        let mut output = Vec::new();
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let cells = ["1,5", "x\"y"].map(str::to_owned).to_vec();
        write_csv(&mut output, Rows::new(names, [cells].into_iter())).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "a,b\n\"1,5\",\"x\"\"y\"\n");
    }
}
