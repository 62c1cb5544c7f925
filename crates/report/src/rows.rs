//! Holds rows for programs.

/// Rows of named cells.
pub struct Rows<'a> {
    pub(crate) names: Vec<String>,
    pub(crate) cells: Box<dyn Iterator<Item = Vec<String>> + 'a>,
}

impl<'a> Rows<'a> {
    /// Creates rows whose cells are in the order of `names`.
    pub fn new(names: Vec<String>, cells: impl Iterator<Item = Vec<String>> + 'a) -> Self {
        Self { names, cells: Box::new(cells) }
    }
}
