//! Markdown.

use super::Format;
use crate::table::Line;
use crate::{Cell, Section, Style, Table};

pub(super) const MARKDOWN: Format = Format {
    name: "markdown",
    about: "The tables, for a README or a page of a forge",
    endings: &["md", "markdown"],
    suits: |_| true,
    write: |document, _, output| Ok(output.write_all(markdown(&document.sections()).as_bytes())?),
};

/// Formats `sections` as Markdown: headings, tables and paragraphs. Good and bad cells are bold.
pub fn markdown(sections: &[Section]) -> String {
    let mut parts = Vec::new();
    for Section { heading, before, table, after } in sections {
        if !heading.is_empty() {
            parts.push(format!("### {}\n", escaped(heading)));
        }
        parts.extend(before.iter().map(paragraph));
        parts.extend(tables(table));
        parts.extend(after.iter().map(paragraph));
    }
    parts.join("\n")
}

fn paragraph(line: &Cell) -> String {
    emphasised(line) + "\n"
}

/// Splits `table` at its titles, each part with headings.
fn tables(table: &Table) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rows = String::new();
    let end = |rows: &mut String, parts: &mut Vec<String>| {
        if !rows.is_empty() {
            parts.push(head(table) + &std::mem::take(rows));
        }
    };
    for line in table.lines() {
        match line {
            Line::Blank => {}
            Line::Title(title) => {
                end(&mut rows, &mut parts);
                parts.push(format!("#### {}\n", escaped(title)));
            }
            Line::Note(cells, note) if cells.is_empty() => {
                end(&mut rows, &mut parts);
                parts.push(paragraph(note));
            }
            Line::Note(cells, note) => rows.push_str(&row(table, cells.iter().chain([note]))),
            Line::Cells(cells) => rows.push_str(&row(table, cells.iter())),
        }
    }
    end(&mut rows, &mut parts);
    parts
}

fn head(table: &Table) -> String {
    let headings = table.headings().map(|(heading, _)| format!(" {} |", escaped(heading)));
    let sides = table.headings().map(|(_, is_number)| if is_number { "---:|" } else { "---|" });
    format!("|{}\n|{}\n", headings.collect::<String>(), sides.collect::<String>())
}

fn row<'a>(table: &Table, cells: impl Iterator<Item = &'a Cell>) -> String {
    let cells: Vec<String> = cells.map(|cell| format!(" {} |", emphasised(cell))).collect();
    let missing = table.headings().len().saturating_sub(cells.len());
    format!("|{}{}\n", cells.concat(), " |".repeat(missing))
}

/// Makes a good or bad cell bold, unless it is only a mark.
fn emphasised(cell: &Cell) -> String {
    let is_said = matches!(cell.style(), Style::Good | Style::Bad)
        && cell.text().contains(char::is_alphanumeric);
    let text = escaped(cell.text());
    if is_said { format!("**{text}**") } else { text }
}

/// Escapes characters of `text` that would end or change a cell.
fn escaped(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '\\' | '*' | '_' | '`' | '<' | '[' | ']' => {
                output.push('\\');
                output.push(character);
            }
            '\n' | '\r' | '\t' => output.push(' '),
            other => output.push(other),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{left, right};

    #[test]
    fn titles_part_tables_and_no_cell_ends_one() {
        let mut table = Table::new(vec![left(""), left("a|b"), right("c")]);
        table.title("first_one");
        table.note(Vec::new(), "about it".into());
        table.row(vec![Cell::new("★", Style::Good), Cell::new("x|y", Style::Good)]);
        table.blank();
        table.title("second");
        table.note(vec!["z".into()], Cell::new("it failed", Style::Bad));
        let section = Section {
            heading: "All".to_owned(),
            before: vec!["<i>".into()],
            table,
            ..Section::default()
        };
        let head = "|  | a\\|b | c |\n|---|---|---:|\n";
        assert_eq!(
            markdown(&[section]),
            format!(
                "### All\n\n\\<i>\n\n#### first\\_one\n\nabout it\n\n{head}| ★ | **x\\|y** | |\n\n\
                 #### second\n\n{head}| z | **it failed** | |\n"
            )
        );
    }
}
