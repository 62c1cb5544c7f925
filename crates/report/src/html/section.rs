//! Converts sections to HTML, for pages without a script.

use crate::chart::escaped;
use crate::table::Line;
use crate::{Cell, Section, Style, Table};

/// Converts `section` to a heading, paragraphs, and a table with `caption`.
pub fn section(section: &Section, caption: &str) -> String {
    let Section { heading, before, table, after } = section;
    let heading = match heading.is_empty() {
        true => String::new(),
        false => format!("<h2>{}</h2>\n", escaped(heading)),
    };
    let over: String = before.iter().map(paragraph).collect();
    let under: String = after.iter().map(paragraph).collect();
    let table = if table.lines().is_empty() { String::new() } else { self::table(table, caption) };
    [heading, over, table, under].concat()
}

fn paragraph(line: &Cell) -> String {
    format!("<p class=\"note\">{}</p>\n", escaped(line.text()))
}

fn table(table: &Table, caption: &str) -> String {
    let columns: Vec<(&str, bool)> = table.headings().collect();
    let heads: String = columns
        .iter()
        .map(|(heading, is_number)| {
            format!("<th scope=\"col\"{}>{}</th>", class(*is_number, ""), escaped(heading))
        })
        .collect();
    let rows: String = table.lines().iter().map(|line| row(line, &columns)).collect();
    let caption = escaped(caption);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table><caption class=\"unseen\">{caption}</caption><thead><tr>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div>\n"
    )
}

fn row(line: &Line, columns: &[(&str, bool)]) -> String {
    let across = columns.len().max(1);
    match line {
        Line::Blank => String::new(),
        Line::Title(title) => {
            format!("<tr><th scope=\"rowgroup\" colspan=\"{across}\">{}</th></tr>", escaped(title))
        }
        Line::Cells(cells) => {
            let missing = across.saturating_sub(cells.len());
            format!("<tr>{}{}</tr>", row_cells(cells, columns), "<td></td>".repeat(missing))
        }
        Line::Note(cells, note) => {
            let rest = across.saturating_sub(cells.len()).max(1);
            let note = escaped(note.text());
            format!("<tr>{}<td colspan=\"{rest}\">{note}</td></tr>", row_cells(cells, columns))
        }
    }
}

fn row_cells(cells: &[Cell], columns: &[(&str, bool)]) -> String {
    let cell = |(place, cell): (usize, &Cell)| {
        let is_number = columns.get(place).is_some_and(|(_, is_number)| *is_number);
        let class = class(is_number, look(cell.style()));
        let text = escaped(cell.text());
        match place {
            0 => format!("<th scope=\"row\"{class}>{text}</th>"),
            _ => format!("<td{class}>{text}</td>"),
        }
    };
    cells.iter().enumerate().map(cell).collect()
}

fn class(is_number: bool, look: &str) -> String {
    match (is_number, look) {
        (false, "") => String::new(),
        (true, "") => " class=\"number\"".to_owned(),
        (false, look) => format!(" class=\"{look}\""),
        (true, look) => format!(" class=\"number {look}\""),
    }
}

fn look(style: Style) -> &'static str {
    match style {
        Style::Plain => "",
        Style::Strong => "strong",
        Style::Faint => "faint",
        Style::Good => "good",
        Style::Caution => "caution",
        Style::Bad => "bad",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{left, right};
    use roxmltree::Document;

    #[test]
    fn sections_are_whole_and_their_texts_are_texts() {
        let mut table = Table::new(vec![left("<a>"), right("b"), left("")]);
        table.title("<i>title</i>");
        table.blank();
        table.row(vec!["<x>".into(), Cell::new("1", Style::Good)]);
        table.note(vec!["y".into()], Cell::new("\"why\"", Style::Bad));
        let after = vec!["<after>".into()];
        let html = section(&Section { table, after, ..Section::default() }, "<caption>");
        let html = format!("<div>{html}</div>");
        let document = Document::parse(&html).expect("well-formed");
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        for text in ["<a>", "<i>title</i>", "<x>", "\"why\"", "<after>", "<caption>"] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        for row in document.descendants().filter(|node| node.has_tag_name("tr")) {
            let span = |cell: roxmltree::Node| {
                cell.attribute("colspan").map_or(1, |text| text.parse::<usize>().expect("a number"))
            };
            assert_eq!(row.children().map(span).sum::<usize>(), 3);
        }
    }
}
