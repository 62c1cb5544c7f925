//! Writes text for a terminal: headings, aligned tables, and lines around them.

use super::Format;
use crate::wrap::{width, wrapped};
use crate::{Cell, Section, Style, Table};

pub(super) const TABLE: Format = Format {
    name: "table",
    about: "Aligned columns for people",
    endings: &["txt"],
    suits: |_| true,
    write: |document, room, output| {
        Ok(output.write_all(text(&document.sections(), room).as_bytes())?)
    },
};

/// Formats `sections` for a terminal with lines of `room` characters, with escape sequences.
pub fn text(sections: &[Section], room: Option<usize>) -> String {
    let parts = sections.iter().flat_map(|section| {
        let Section { heading, before, table, after } = section;
        let heading = Some(heading).filter(|it| !it.is_empty());
        let heading = heading.map(|it| Cell::new(it.as_str(), Style::Strong));
        let over: String = heading.iter().chain(before).map(|line| painted(line, room)).collect();
        let left_out = left_out(table, room);
        let under = left_out.iter().chain(after).map(|line| painted(line, room)).collect();
        [over, table.render(room), under]
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Lists columns that were left out for lack of room.
fn left_out(table: &Table, room: Option<usize>) -> Option<Cell> {
    let headings = table.left_out(room);
    let words = format!("hidden at this width: {}", headings.join(", "));
    (!headings.is_empty()).then(|| Cell::new(words, Style::Faint))
}

fn painted(line: &Cell, room: Option<usize>) -> String {
    let lines = match room {
        Some(room) if width(line.text()) > room => wrapped(line.fitting(true), Some(room)),
        room => wrapped(line.text(), room),
    };
    lines.iter().map(|text| line.style().paint(text) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{left, right};

    #[test]
    fn parts_stand_apart_and_lines_fit() {
        let mut table = Table::new(vec![left("a")]);
        table.row(vec!["b".into()]);
        let section = Section {
            before: vec!["one two".into()],
            after: vec!["c".into()],
            table,
            ..Section::default()
        };
        let lines = Section { heading: "d".to_owned(), ..Section::default() };
        let text = text(&[section, lines], Some(5));
        assert_eq!(
            text.replace(['\u{1b}'], "").replace("[2m", "").replace("[0m", "").replace("[1m", ""),
            "one\ntwo\n\na\nb\n\nc\n\nd\n"
        );
    }

    #[test]
    fn a_line_that_is_too_long_may_have_a_shorter_one() {
        let line = Cell::from("one two three").or("1 2 3");
        assert_eq!(painted(&line, Some(13)), "one two three\n");
        assert_eq!(painted(&line, Some(12)), "1 2 3\n");
    }

    #[test]
    fn columns_without_room_are_named() {
        let mut table = Table::new(vec![left("a"), right("1 KiB").rank(1)]);
        table.row(vec!["b".into(), "2".into()]);
        let sections = [Section::from(table)];
        let named = "hidden at this width: 1 KiB";
        assert!(left_out(&sections[0].table, Some(6)).is_some_and(|it| it.text() == named));
        assert!(!text(&sections, Some(60)).contains("hidden"));
        assert!(!text(&sections, None).contains("hidden"));
    }
}
