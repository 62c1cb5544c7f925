//! Defines the columns of tables for people.

use crate::Style;

/// The side on which cells are aligned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Align {
    #[default]
    Left,
    Right,
}

/// A column: heading, alignment, when it is left out, and how its values are formatted.
#[derive(Debug, Clone, Default)]
pub struct Column {
    pub(crate) heading: String,
    pub(crate) align: Align,
    pub(crate) rank: u8,
    pub(crate) is_asked: bool,
    pub(crate) is_whole: bool,
    pub(crate) style: Style,
    pub(crate) missing: &'static str,
    pub(crate) format: Option<fn(f64) -> String>,
}

/// Creates a column of text.
pub fn left(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), ..Column::default() }
}

/// Creates a column of numbers.
pub fn right(heading: impl Into<String>) -> Column {
    Column { align: Align::Right, ..left(heading) }
}

impl Column {
    /// Sets when it is left out in narrow lines: the highest rank goes first, and rank 0, the
    /// default, never.
    #[must_use]
    pub fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Marks it as requested, so that it is never left out: without room, requested columns are
    /// shown below each row with their headings. With a [`rank`](Self::rank) it was not requested
    /// and may be left out, but not in favour of longer names.
    #[must_use]
    pub fn asked(self) -> Self {
        Self { is_asked: true, ..self }
    }

    /// Marks texts that also differ at their ends, so that others are shortened or moved first.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// Sets the style of its cells.
    #[must_use]
    pub fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Sets the text for a missing value; empty by default.
    #[must_use]
    pub fn missing(self, text: &'static str) -> Self {
        Self { missing: text, ..self }
    }

    /// Sets the format of its numbers.
    #[must_use]
    pub fn format(self, format: fn(f64) -> String) -> Self {
        Self { format: Some(format), ..self }
    }
}
