//! Parses the name of a run.

/// States how a run is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name<'a> {
    /// By its number in this store.
    Number(i64),
    /// By its distance from the run started last.
    Latest {
        /// 0 means the last.
        before: usize,
    },
    /// By its label or its UUID.
    Word(&'a str),
}

impl<'a> Name<'a> {
    /// Parses `17`, `#17`, `latest`, `latest~2`, or a label.
    pub fn parse(text: &'a str) -> Self {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        if let Some(number) = number(text.strip_prefix('#').unwrap_or(text)) {
            return Name::Number(number);
        }
        let before = match text.strip_prefix("latest") {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('~').and_then(number),
            None => None,
        };
        match before.map(usize::try_from) {
            Some(Ok(before)) => Name::Latest { before },
            _ => Name::Word(text),
        }
    }
}
