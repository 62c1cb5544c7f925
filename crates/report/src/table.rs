//! Formats aligned tables for people.

mod layout;

use self::layout::{BETWEEN, Layout, shown};
use crate::column::{Align, Column};
use crate::wrap::{width, wrapped};
use crate::{Cell, Style};
use cpb_model::harmless;
use std::borrow::Cow;

pub(crate) use self::layout::Line;

/// A table with titles between its rows.
#[derive(Default)]
pub struct Table {
    columns: Vec<Column>,
    lines: Vec<Line>,
}

impl Table {
    /// Creates a table without rows.
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

    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Iterates over the headings, with whether the column is numeric.
    pub(crate) fn headings(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.columns.iter().map(|it| (it.heading.as_str(), it.align == Align::Right))
    }

    /// Formats the table as text, headings first, with a line feed after each line and with escape
    /// sequences, which writers for files and pipes strip. If lines only have room for `room`
    /// characters, cells become [short](Cell::or), columns are dropped by rank, names are cut,
    /// [requested](Column::asked) columns move below each row, and notes wrap.
    pub fn render(&self, room: Option<usize>) -> String {
        let Layout { widths, below, is_short } = &Layout::of(&self.columns, &self.lines, room);
        let write = |text: &mut String, cells: &[Cell]| {
            self.write_cells(text, cells, widths, *is_short);
        };
        let mut text = String::new();
        let heading = |column: &Column| Cell::new(column.heading.clone(), Style::Faint);
        let headings: Vec<Cell> = self.columns.iter().map(heading).collect();
        if headings.iter().any(|heading| !heading.text.is_empty()) {
            write(&mut text, &headings);
            end_line(&mut text);
        }
        for line in &self.lines {
            match line {
                Line::Blank => {}
                Line::Title(title) => {
                    let lines = wrapped(title, room);
                    let painted = lines.iter().map(|line| Style::Strong.paint(line));
                    text.push_str(&painted.collect::<Vec<_>>().join("\n"));
                }
                Line::Cells(cells) => {
                    write(&mut text, cells);
                    self.write_below(&mut text, cells, below, room);
                }
                Line::Note(cells, note) => {
                    write(&mut text, cells);
                    write_note(
                        &mut text,
                        note,
                        shown(&widths[..cells.len().min(widths.len())]),
                        room,
                    );
                }
            }
            end_line(&mut text);
        }
        text
    }

    /// Returns the headings of columns that are left out in this `room`.
    pub fn left_out(&self, room: Option<usize>) -> Vec<&str> {
        let Layout { widths, below, .. } = Layout::of(&self.columns, &self.lines, room);
        let hidden = widths
            .iter()
            .enumerate()
            .filter(|(place, width)| width.is_none() && !below.contains(place));
        hidden.map(|(place, _)| self.columns[place].heading.as_str()).collect()
    }

    /// Writes the cells of the columns `below` with their headings, in lines of their own.
    fn write_below(&self, text: &mut String, cells: &[Cell], below: &[usize], room: Option<usize>) {
        let cells = below.iter().filter_map(|&it| Some((&self.columns[it], cells.get(it)?)));
        let cells: Vec<_> = cells.filter(|(_, cell)| !cell.text.is_empty()).collect();
        let widest = |of: &dyn Fn(&(&Column, &Cell)) -> usize| cells.iter().map(of).max();
        let Some((heading, value)) =
            widest(&|it| width(&it.0.heading)).zip(widest(&|it| width(&it.1.text)))
        else {
            return;
        };
        let indent = 2 * BETWEEN.len();
        let each = heading + 1 + value + BETWEEN.len();
        let beside = room.map_or(cells.len(), |room| room.saturating_sub(indent) / each).max(1);
        for line in cells.chunks(beside) {
            end_line(text);
            text.push_str(&" ".repeat(indent));
            for (column, cell) in line {
                let name = " ".repeat(heading - width(&column.heading)) + &column.heading;
                text.push_str(&Style::Faint.paint(&name));
                text.push_str(&" ".repeat(1 + value - width(&cell.text)));
                text.push_str(&cell.style.paint(&cell.text));
                text.push_str(BETWEEN);
            }
            text.truncate(text.trim_end_matches(' ').len());
        }
    }

    fn write_cells(
        &self,
        text: &mut String,
        cells: &[Cell],
        widths: &[Option<usize>],
        is_short: bool,
    ) {
        let mut is_first = true;
        for ((cell, wanted), column) in cells.iter().zip(widths).zip(&self.columns) {
            let Some(wanted) = *wanted else { continue };
            if !std::mem::take(&mut is_first) {
                text.push_str(BETWEEN);
            }
            let content = cut(cell.fitting(is_short), wanted);
            // Not with a format width, which is limited to 65,535: texts come from files, too.
            let padding = " ".repeat(wanted - width(&content));
            let painted = cell.style.paint(&content);
            let (before, behind) = match column.align {
                Align::Left => (painted, padding),
                Align::Right => (padding, painted),
            };
            text.push_str(&before);
            text.push_str(&behind);
        }
    }
}

/// Notes with less room than this get lines of their own.
const NARROW: usize = 24;

/// Writes a note after cells of this width.
fn write_note(text: &mut String, note: &Cell, before: usize, room: Option<usize>) {
    let mut start = if before == 0 { 0 } else { before + BETWEEN.len() };
    let mut lead = " ".repeat(start - before);
    if room.is_some_and(|room| room < start + NARROW.min(width(&note.text))) {
        start = 2 * BETWEEN.len();
        text.truncate(text.trim_end_matches(' ').len());
        lead = format!("\n{}", " ".repeat(start));
    }
    let lines = wrapped(&note.text, room.map(|room| room.saturating_sub(start)));
    let painted: Vec<String> = lines.iter().map(|line| note.style.paint(line)).collect();
    text.push_str(&lead);
    text.push_str(&painted.join(&format!("\n{}", " ".repeat(start))));
}

/// Cuts `text` to the available room.
fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let start: String = text.chars().take(room.saturating_sub(1)).collect();
    Cow::Owned(start + "…")
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{left, right};

    #[test]
    fn a_cell_of_any_length_has_a_column() {
        let mut table = Table::new(vec![right("x"), left("x")]);
        table.row(vec![Cell::from("a".repeat(70_000)), Cell::from("b")]);
        let text = table.render(None);
        assert!(text.lines().all(|line| line.chars().count() >= 70_000), "{}", text.len());
    }

    #[test]
    fn columns_line_up_and_lines_end_clean() {
        let mut table = Table::new(vec![left("name"), right("c/B")]);
        table.title("group");
        table.row(vec!["a".into(), "1.5".into()]);
        table.row(vec!["longer".into(), "10.25".into()]);
        table.blank();
        table.note(vec!["b".into()], "cannot run here".into());
        let plain = strip(&table.render(None));
        assert_eq!(
            plain,
            "name      c/B\ngroup\na         1.5\nlonger  10.25\n\nb       cannot run here\n"
        );
    }

    #[test]
    fn columns_are_left_out_by_rank_and_texts_cut() {
        let columns =
            vec![left("name"), right("c/B"), right("GB/s").rank(2), right("64 B").rank(1)];
        let mut table = Table::new(columns);
        table.row(vec!["sha3-256-long".into(), "5.2".into(), "0.8".into(), "9.1".into()]);
        table.note(vec!["x".into()], "it is not here, and will not be here tomorrow".into());
        let lines = |room| strip(&table.render(Some(room)));
        let narrow = lines(27);
        assert!(
            narrow.starts_with("name           c/B  64 B\nsha3-256-long  5.2   9.1\n"),
            "{narrow}"
        );
        assert!(
            narrow.ends_with("x\n    it is not here, and\n    will not be here\n    tomorrow\n")
        );
        assert!(lines(15).starts_with("name        c/B\nsha3-256-…  5.2\n"), "{}", lines(15));
        for room in 13..60 {
            let text = lines(room);
            assert!(text.lines().all(|line| width(line) <= room), "{room}:\n{text}");
        }
    }

    #[test]
    fn what_was_asked_for_is_never_left_out() {
        let mut columns = vec![left("name"), right("GB/s").rank(1)];
        columns.extend(["64 B", "1350 B", "16 KiB"].map(|it| right(it).asked()));
        let mut table = Table::new(columns);
        let costs = ["9.25", "6.33", ""].map(Cell::from);
        let name = Cell::from("a (default)").or("a*");
        table.row([vec![name, "0.8".into()], costs.to_vec()].concat());
        let at = |room| strip(&table.render(Some(room)));
        let whole = "name         GB/s  64 B  1350 B  16 KiB\na (default)   0.8  9.25    6.33\n";
        assert_eq!(at(39), whole);
        assert_eq!(at(38), "name  GB/s  64 B  1350 B  16 KiB\na*     0.8  9.25    6.33\n");
        assert_eq!(at(27), "name  64 B  1350 B  16 KiB\na*    9.25    6.33\n");
        assert_eq!(table.left_out(Some(27)), ["GB/s"]);
        let below = "name  GB/s\na*     0.8\n      64 B 9.25\n    1350 B 6.33\n";
        assert_eq!(at(24), below);
        assert_eq!(table.left_out(Some(24)), Vec::<&str>::new());
    }

    #[test]
    fn a_cell_stays_on_its_line() {
        let mut table = Table::new(vec![left(""); 2]);
        table.title("a\nb");
        table.row(vec![Cell::new("\u{202e}x\n", Style::Good), "\u{1b}[2J".into()]);
        assert_eq!(strip(&table.render(None)), "a\\nb\n\\u{202e}x\\n  \\u{1b}[2J\n");
    }

    #[test]
    fn styles_do_not_widen() {
        let mut table = Table::new(vec![right(""); 2]);
        table.row(vec![Cell::new("x", Style::Good), "1".into()]);
        table.row(vec!["yy".into(), "22".into()]);
        assert_eq!(strip(&table.render(None)), " x   1\nyy  22\n");
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
