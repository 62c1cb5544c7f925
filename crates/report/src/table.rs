//! Aligned tables for people.

use cpb_model::harmless;
use std::borrow::Cow;

/// Which side of its column a cell keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A column: heading and alignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// Which side its cells keep to.
    pub align: Align,
}

/// How a cell stands out. The words stay the same without colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    #[default]
    Plain,
    /// Bold.
    Strong,
    /// Faint.
    Faint,
    /// Bold green.
    Good,
    /// Bold yellow.
    Caution,
    /// Bold red.
    Bad,
}

impl Style {
    /// `text` with the escape sequences of the style around it.
    #[must_use]
    pub fn paint(self, text: &str) -> String {
        let code = match self {
            Style::Plain => return text.to_owned(),
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Good => "1;32",
            Style::Caution => "1;33",
            Style::Bad => "1;31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// A cell: text and style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in `style`. What would leave the cell or act on the terminal is shown
    /// as an escape.
    #[must_use]
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        let mut text = text.into();
        if let Cow::Owned(visible) = harmless(&text) {
            text = visible;
        }
        Self { text, style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Style::Plain)
    }
}

enum Line {
    Cells(Vec<Cell>),
    /// Cells up to a column, then text that takes the rest of the line.
    Note(Vec<Cell>, Cell),
    Title(String),
    Blank,
}

/// A table with titles between its rows.
///
/// Rendering includes escape sequences; a writer for a file or pipe strips
/// them.
pub struct Table {
    columns: Vec<Column>,
    lines: Vec<Line>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, lines: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.lines.push(Line::Cells(cells));
    }

    /// Adds a row whose last cell takes the rest of the line.
    pub fn note(&mut self, cells: Vec<Cell>, note: Cell) {
        self.lines.push(Line::Note(cells, note));
    }

    /// Adds a title over the rows that follow.
    pub fn title(&mut self, title: impl Into<String>) {
        self.lines.push(Line::Title(harmless(&title.into()).into_owned()));
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push(Line::Blank);
    }

    /// The table as text, headings first, one line feed after each line.
    #[must_use]
    pub fn render(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        let headings: Vec<Cell> = self
            .columns
            .iter()
            .map(|column| Cell::new(column.heading.clone(), Style::Faint))
            .collect();
        if headings.iter().any(|heading| !heading.text.is_empty()) {
            self.write_cells(&mut text, &headings, &widths);
            end_line(&mut text);
        }
        for line in &self.lines {
            match line {
                Line::Blank => {}
                Line::Title(title) => text.push_str(&Style::Strong.paint(title)),
                Line::Cells(cells) => self.write_cells(&mut text, cells, &widths),
                Line::Note(cells, note) => {
                    self.write_cells(&mut text, cells, &widths);
                    if !cells.is_empty() {
                        text.push_str("  ");
                    }
                    text.push_str(&note.style.paint(&note.text));
                }
            }
            end_line(&mut text);
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|column| width(&column.heading)).collect();
        for line in &self.lines {
            let (Line::Cells(cells) | Line::Note(cells, _)) = line else { continue };
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = (*widest).max(width(&cell.text));
            }
        }
        widths
    }

    fn write_cells(&self, text: &mut String, cells: &[Cell], widths: &[usize]) {
        for (index, ((cell, &width_wanted), column)) in
            cells.iter().zip(widths).zip(&self.columns).enumerate()
        {
            if index != 0 {
                text.push_str("  ");
            }
            // Not by a format's width, which ends at 65,535: texts come from files, too.
            let padding = " ".repeat(width_wanted - width(&cell.text));
            let painted = cell.style.paint(&cell.text);
            let (before, behind) = match column.align {
                Align::Left => (painted, padding),
                Align::Right => (padding, painted),
            };
            text.push_str(&before);
            text.push_str(&behind);
        }
    }
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

/// Columns on a terminal. Everything cpb prints is one column a character.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_any_length_has_a_column() {
        let column = |align| Column { heading: "x".into(), align };
        let mut table = Table::new(vec![column(Align::Right), column(Align::Left)]);
        table.row(vec![Cell::from("a".repeat(70_000)), Cell::from("b")]);
        let text = table.render();
        assert!(text.lines().all(|line| line.chars().count() >= 70_000), "{}", text.len());
    }

    #[test]
    fn columns_line_up_and_lines_end_clean() {
        let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
        let mut table = Table::new(vec![column("name", Align::Left), column("c/B", Align::Right)]);
        table.title("group");
        table.row(vec!["a".into(), "1.5".into()]);
        table.row(vec!["longer".into(), "10.25".into()]);
        table.blank();
        table.note(vec!["b".into()], "cannot run here".into());
        let plain = strip(&table.render());
        assert_eq!(
            plain,
            "name      c/B\ngroup\na         1.5\nlonger  10.25\n\nb       cannot run here\n"
        );
    }

    #[test]
    fn a_cell_stays_on_its_line() {
        let mut table = Table::new(vec![Column { heading: String::new(), align: Align::Left }; 2]);
        table.title("a\nb");
        table.row(vec![Cell::new("\u{202e}x\n", Style::Good), "\u{1b}[2J".into()]);
        assert_eq!(strip(&table.render()), "a\\nb\n\\u{202e}x\\n  \\u{1b}[2J\n");
    }

    #[test]
    fn styles_do_not_widen() {
        let mut table = Table::new(vec![Column { heading: String::new(), align: Align::Right }; 2]);
        table.row(vec![Cell::new("x", Style::Good), "1".into()]);
        table.row(vec!["yy".into(), "22".into()]);
        assert_eq!(strip(&table.render()), " x   1\nyy  22\n");
    }

    fn strip(text: &str) -> String {
        let mut plain = String::new();
        let mut escaped = false;
        for character in text.chars() {
            match character {
                '\u{1b}' => escaped = true,
                'm' if escaped => escaped = false,
                _ if escaped => {}
                _ => plain.push(character),
            }
        }
        plain
    }
}
