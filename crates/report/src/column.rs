//! The columns of a table for people.

use crate::Style;

/// Which side of its column a cell keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A column: heading, alignment, how soon it is left out, and how what stands in it is written.
#[derive(Debug, Clone)]
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

/// A column of text.
#[must_use]
pub fn left(heading: impl Into<String>) -> Column {
    Column {
        heading: heading.into(),
        align: Align::Left,
        rank: 0,
        is_asked: false,
        is_whole: false,
        style: Style::Plain,
        missing: "",
        format: None,
    }
}

/// A column of numbers.
#[must_use]
pub fn right(heading: impl Into<String>) -> Column {
    Column { align: Align::Right, ..left(heading) }
}

impl Column {
    /// One that is left out where lines are too narrow for all: those of the highest
    /// rank first, and those of rank 0, as columns are, never.
    #[must_use]
    pub fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// One of what was asked for, which is never left out: where there is no room for all of
    /// these, they stand below each row, by their headings. With a [`rank`](Self::rank) it is one
    /// that nobody asked for, and can be left out, but not for the sake of longer names.
    #[must_use]
    pub fn asked(self) -> Self {
        Self { is_asked: true, ..self }
    }

    /// One whose texts tell rows apart by their ends, too: others become shorter, or go below, first.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }

    /// One whose fields stand out so.
    #[must_use]
    pub fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// One in which `text` stands for a field that has no value; without it, nothing does.
    #[must_use]
    pub fn missing(self, text: &'static str) -> Self {
        Self { missing: text, ..self }
    }

    /// One whose numbers are written so.
    #[must_use]
    pub fn format(self, format: fn(f64) -> String) -> Self {
        Self { format: Some(format), ..self }
    }
}
