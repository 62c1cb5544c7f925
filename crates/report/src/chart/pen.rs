//! Writes the elements of drawings: text, rules, lines and markers.

use super::layout::{MARGIN, SAMPLE, SUBTITLE_SIZE, TITLE_SIZE};
use super::style::{Role, dashes, is_filled, marker, paint, style_sheet};
use super::text::{FONTS, escaped};
use super::{Style, Theme};
use std::fmt::Write as _;

/// The beginning of a document.
pub(super) struct Head<'a> {
    /// Total width and height.
    pub(super) size: (f64, f64),
    /// Its name for screen readers.
    pub(super) title: &'a str,
    /// A longer description for them.
    pub(super) description: &'a str,
    /// The visible title and subtitle.
    pub(super) shown: [&'a str; 2],
}

/// Writes elements in the colours of a style.
pub(super) struct Pen<'a> {
    pub(super) style: &'a Style,
    pub(super) text: String,
}

impl<'a> Pen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, text: String::new() }
    }

    /// Begins an SVG document that shows neither its title nor a background.
    pub(super) fn bare(
        style: &'a Style,
        (width, height): (f64, f64),
        title: &str,
        description: &str,
    ) -> Self {
        let mut pen = Self::new(style);
        let identifier = escaped(&style.identifier);
        let (title, description) = (escaped(title), escaped(description));
        pen.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cpb-chart\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{identifier}-title\" aria-describedby=\"{identifier}-description\" \
             font-family=\"{FONTS}\">\n<title id=\"{identifier}-title\">{title}</title>\n\
             <desc id=\"{identifier}-description\">{description}</desc>"
        ));
        pen
    }

    /// Begins a standalone SVG document.
    pub(super) fn document(style: &'a Style, head: &Head<'_>) -> Self {
        let Head { size: (width, height), title, description, shown } = head;
        let mut pen = Self::bare(style, head.size, title, description);
        if style.theme == Theme::Automatic {
            pen.push(format_args!("<style>\n{}</style>", style_sheet()));
        }
        let page = pen.paint(&[("fill", Role::Page)]);
        pen.push(format_args!("<rect width=\"{width}\" height=\"{height}\" {page}/>"));
        let [title, subtitle] = shown;
        let bold = "font-weight=\"600\"";
        pen.text(title, (MARGIN, MARGIN + 14.0), TITLE_SIZE, Role::Ink, bold);
        pen.text(subtitle, (MARGIN, MARGIN + 36.0), SUBTITLE_SIZE, Role::Faint, "");
        pen
    }

    /// Ends the document, and returns it.
    pub(super) fn end(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    pub(super) fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(element);
        self.text.push('\n');
    }

    pub(super) fn paint(&self, paints: &[(&str, Role)]) -> String {
        paint(self.style.theme, paints)
    }

    pub(super) fn text(
        &mut self,
        text: &str,
        (x, y): (f64, f64),
        size: f64,
        role: Role,
        more: &str,
    ) {
        if text.is_empty() {
            return;
        }
        let (fill, text) = (self.paint(&[("fill", role)]), escaped(text));
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" {fill} {more}>{text}</text>"
        ));
    }

    pub(super) fn rule(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), role: Role) {
        let stroke = self.paint(&[("stroke", role)]);
        self.push(format_args!(
            "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" fill=\"none\" {stroke}/>"
        ));
    }

    pub(super) fn stroke(&mut self, look: usize, path: &str, more: &str) {
        let stroke = self.paint(&[("stroke", Role::Line(look))]);
        let dashes = match dashes(look) {
            "" => String::new(),
            pattern => format!(" stroke-dasharray=\"{pattern}\""),
        };
        self.push(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\"{dashes}{more} \
             {stroke}/>"
        ));
    }

    /// Returns the paints of a marker. A filled marker has a rim in the page's colour, so that it
    /// is distinct from the lines it covers; the marker of a dashed line is hollow.
    pub(super) fn marker_paints(&self, look: usize) -> String {
        if is_filled(look) {
            self.paint(&[("fill", Role::Line(look)), ("stroke", Role::Page)])
        } else {
            let paints = self.paint(&[("fill", Role::Page), ("stroke", Role::Line(look))]);
            format!("stroke-width=\"1.6\" {paints}")
        }
    }

    /// Draws a line sample before its label, which starts at `(x, y)`.
    pub(super) fn sample(&mut self, look: usize, (x, y): (f64, f64)) {
        self.stroke(look, &format!("M{x:.1} {y:.1}L{:.1} {y:.1}", x + SAMPLE), "");
        let paints = self.marker_paints(look);
        let shape = marker(look, x + SAMPLE / 2.0, y);
        self.push(format_args!("<path d=\"{shape}\" {paints}/>"));
    }
}
