//! Tables, each in a scroller of its own: where they are too wide, the page is not.

use crate::markup::{Html, Piece, html};

/// A column: its heading, and what its cells are.
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

    /// One that phones do without.
    pub(crate) const fn rare(heading: &'static str) -> Self {
        Self { heading, class: "rare" }
    }

    /// The same of numbers.
    pub(crate) const fn rare_number(heading: &'static str) -> Self {
        Self { heading, class: "number rare" }
    }

    /// Of what is not broken into lines.
    pub(crate) const fn whole(heading: &'static str) -> Self {
        Self { heading, class: "whole" }
    }
}

/// A table of `rows`, the first cell of each of which names it; `nothing` where there is none.
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
    html!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" (caption) "\">"
        "<table><caption class=\"unseen\">" (caption) "</caption><thead><tr>" (heads)
        "</tr></thead>\n<tbody>" (body(columns, rows)) "</tbody></table></div>\n"
    )
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

/// A cell's content.
pub(crate) fn cell(piece: impl Piece) -> Html {
    html!((piece))
}
