//! Makes the frame around every page.

use crate::markup::{Html, html};
use cpb_report::html::style;

/// The address of the style sheet.
pub(crate) const STYLE: &str = "/style.css";

/// The rules of these pages, after those of reports.
const OWN_STYLE: &str = include_str!("assets/dashboard.css");

/// The links to each list, in the order of the menu.
const MENU: [(&str, &str); 7] = [
    ("/", "Overview"),
    ("/changes", "Changes"),
    ("/runs", "Runs"),
    ("/compare", "Compare"),
    ("/primitives", "Primitives"),
    ("/libraries", "Libraries"),
    ("/machines", "Machines"),
];

/// Returns the style sheet of all pages.
pub(crate) fn style_sheet() -> String {
    style() + OWN_STYLE
}

/// Makes a whole page: title, position in the menu (`/` and the like, or empty), and content.
pub(crate) fn framed(title: &str, at: &str, store: &str, main: &Html) -> String {
    let item = |(address, words): &(&'static str, &'static str)| {
        let (address, words) = (*address, *words);
        let current = (address == at).then(|| Html::literal(" aria-current=\"page\""));
        html!("<a href=\"" (address) "\"" (current) ">" (words) "</a>\n")
    };
    let menu: Html = MENU.iter().map(item).collect();
    html!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"" (STYLE) "\">\n"
        "<title>" (title) " · cpb</title>\n</head>\n<body>\n"
        "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
        "<header>\n<p class=\"brand\"><b>cpb</b> cycles per byte</p>\n"
        "<nav aria-label=\"Pages\">\n" (menu) "</nav>\n</header>\n"
        "<main id=\"content\" tabindex=\"-1\">\n" (main) "</main>\n"
        "<footer><p>" (store) ". Times are UTC.</p></footer>\n</body>\n</html>\n"
    )
    .into_string()
}
