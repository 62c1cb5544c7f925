//! CSV (RFC 4180).

use crate::WriteError;
use std::io::Write;

/// Writes `header` and `rows`, with a line feed after each.
///
/// # Errors
/// When writing fails.
pub fn write_csv<R>(
    output: &mut dyn Write,
    header: &[String],
    rows: impl IntoIterator<Item = R>,
) -> Result<(), WriteError>
where
    R: AsRef<[String]>,
{
    let mut writer = ::csv::WriterBuilder::new().from_writer(output);
    writer.write_record(header).map_err(WriteError::from_csv)?;
    for row in rows {
        writer.write_record(row.as_ref()).map_err(WriteError::from_csv)?;
    }
    Ok(writer.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_separators_are_quoted() {
        let mut output = Vec::new();
        let field = |text: &str| text.to_owned();
        write_csv(&mut output, &[field("a"), field("b")], [[field("1,5"), field("x\"y")]]).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), "a,b\n\"1,5\",\"x\"\"y\"\n");
    }
}
