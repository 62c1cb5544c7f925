//! Makes tables, each in a scrolling region of its own, so that a wide table does not
//! widen the page.

use crate::markup::{Html, Piece, html};

/// A column: its heading, and the class of its cells.
pub(crate) struct Column {
    heading: &'static str,
    class: &'static str,
}

impl Column {
    pub(crate) const fn text(heading: &'static str) -> Self {
        Self { heading, class: "" }
    }

    pub(crate) const fn number(heading: &'static str) -> Self {
        Self { heading, class: "number" }
    }

    /// Creates a column that is hidden on phones.
    pub(crate) const fn rare(heading: &'static str) -> Self {
        Self { heading, class: "rare" }
    }

    /// Creates a column of numbers that is hidden on phones.
    pub(crate) const fn rare_number(heading: &'static str) -> Self {
        Self { heading, class: "number rare" }
    }

    /// Creates a column whose cells are not broken into lines.
    pub(crate) const fn whole(heading: &'static str) -> Self {
        Self { heading, class: "whole" }
    }
}

/// Makes a table of `rows`, where the first cell is the row's heading; shows `nothing` if
/// there are none.
pub(crate) fn table(
    caption: &str,
    columns: &[Column],
    rows: Vec<Vec<Html>>,
    nothing: &str,
) -> Html {
    if rows.is_empty() {
        return html!("<p class=\"nothing\">" (nothing) "</p>\n");
    }
    let heads: Html = columns
        .iter()
        .map(|column| {
            let (class, heading) = (class(column.class), column.heading);
            html!("<th scope=\"col\"" (class) ">" (heading) "</th>")
        })
        .collect();
    scrolled(caption, &heads, &body(columns, rows))
}

/// Makes a table of these headings and rows, in its scrolling region.
pub(crate) fn scrolled(caption: &str, heads: &Html, rows: &Html) -> Html {
    html!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" (caption) "\">"
        "<table><caption class=\"unseen\">" (caption) "</caption><thead><tr>" (heads)
        "</tr></thead>\n<tbody>" (rows) "</tbody></table></div>\n"
    )
}

/// Makes the headings of columns of text, then of numbers.
pub(crate) fn heads<'a, const N: usize>(
    texts: [&'static str; N],
    numbers: impl IntoIterator<Item = &'a str>,
) -> Html {
    let text = |head: &'static str| html!("<th scope=\"col\">" (head) "</th>");
    let number = |head: &str| html!("<th scope=\"col\" class=\"number\">" (head) "</th>");
    texts.into_iter().map(text).chain(numbers.into_iter().map(number)).collect()
}

fn body(columns: &[Column], rows: Vec<Vec<Html>>) -> Html {
    let row = |cells: Vec<Html>| -> Html {
        let cells = cells.into_iter().zip(columns).enumerate().map(|(place, (cell, column))| {
            let class = class(column.class);
            match place {
                0 => html!("<th scope=\"row\"" (class) ">" (cell) "</th>"),
                _ => html!("<td" (class) ">" (cell) "</td>"),
            }
        });
        let cells: Html = cells.collect();
        html!("<tr>" (cells) "</tr>\n")
    };
    rows.into_iter().map(row).collect()
}

fn class(class: &'static str) -> Html {
    if class.is_empty() { Html::default() } else { html!(" class=\"" (class) "\"") }
}

pub(crate) fn cell(piece: impl Piece) -> Html {
    html!((piece))
}
