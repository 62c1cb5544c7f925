//! Splits lists into parts.

use crate::markup::{Html, html};
use crate::page_request::PageRequest;
use crate::words::count;

/// A part of a list: how many entries come before it, and how many it has at most.
pub(crate) struct Part {
    pub(crate) skipped: i64,
    pub(crate) limit: i64,
}

/// The largest number of a part.
const MOST: i64 = 1_000_000;

impl Part {
    /// The parameter of addresses with the number of the part.
    pub(crate) const PARAMETER: &'static str = "part";

    /// Returns the requested part, with at most `limit` entries.
    pub(crate) fn of(asked: &PageRequest, limit: i64) -> Result<Self, String> {
        let part = asked.number(Self::PARAMETER, [1, MOST], 1)?;
        Ok(Self { skipped: (part - 1) * limit, limit })
    }

    /// Returns the entries of `all` that are in it.
    pub(crate) fn take<T>(&self, all: Vec<T>) -> Vec<T> {
        let (skipped, limit) = (usize::try_from(self.skipped), usize::try_from(self.limit));
        all.into_iter().skip(skipped.unwrap_or(0)).take(limit.unwrap_or(0)).collect()
    }

    /// Says which part of a list of `all` entries it is, with links to the parts
    /// before and after.
    pub(crate) fn links(&self, asked: &PageRequest, path: &str, all: i64) -> Html {
        let (from, to) = (self.skipped + 1, (self.skipped + self.limit).min(all));
        if self.skipped == 0 && to >= all {
            return Html::default();
        }
        let number = self.skipped / self.limit + 1;
        let link = |number: i64, relation: &'static str, words: &'static str| {
            let address = asked.with(path, (Self::PARAMETER, &number.to_string()));
            html!("<a rel=\"" (relation) "\" href=\"" (address) "\">" (words) "</a>")
        };
        let before = (number > 1).then(|| link(number - 1, "prev", "Before"));
        let after = (to < all).then(|| link(number + 1, "next", "After"));
        let words = match from <= to {
            true => format!("{} to {} of {}", count(from), count(to), count(all)),
            false => format!("none here, of {}", count(all)),
        };
        html!(
            "<nav class=\"parts\" aria-label=\"Parts of the list\">" (before) " <span>" (words)
            "</span> " (after) "</nav>\n"
        )
    }
}
