//! Defines styled text.

use cpb_model::harmless;
use std::borrow::Cow;

/// States how a cell stands out. The text is the same without colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// It does not stand out.
    #[default]
    Plain,
    /// Bold.
    Strong,
    Faint,
    /// Bold green.
    Good,
    /// Bold yellow.
    Caution,
    /// Bold red.
    Bad,
}

impl Style {
    /// Wraps `text` in the escape sequences of the style.
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

/// A cell of a table: text and style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    pub(crate) text: String,
    short: Option<String>,
    pub(crate) style: Style,
}

impl Cell {
    /// Creates a cell. Characters that would leave the cell or act on the terminal are escaped.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        let mut text = text.into();
        if let Cow::Owned(visible) = harmless(&text) {
            text = visible;
        }
        Self { text, short: None, style }
    }

    /// Sets a shorter text for narrow lines. It must be harmless.
    #[must_use]
    pub fn or(self, short: impl Into<String>) -> Self {
        Self { short: Some(short.into()), ..self }
    }

    pub(crate) fn fitting(&self, is_short: bool) -> &str {
        self.short.as_deref().filter(|_| is_short).unwrap_or(&self.text)
    }

    /// Returns the text, without escape sequences.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn style(&self) -> Style {
        self.style
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Style::Plain)
    }
}
