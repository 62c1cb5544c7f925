//! Builds HTML in which every text is escaped.

use cpb_report::escaped;

/// HTML. Everything except our own literals is escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// Takes our own markup.
    pub(crate) fn literal(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    /// Takes the output of `cpb-report`, which escapes its input.
    pub(crate) fn of_report(markup: String) -> Self {
        Self(markup)
    }

    pub(crate) fn push_literal(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    pub(crate) fn push(&mut self, piece: &(impl Piece + ?Sized)) {
        piece.write(self);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

/// A value that can be part of HTML.
pub(crate) trait Piece {
    fn write(&self, html: &mut Html);
}

impl Piece for Html {
    fn write(&self, html: &mut Html) {
        html.0.push_str(&self.0);
    }
}

impl Piece for str {
    fn write(&self, html: &mut Html) {
        html.0.push_str(&escaped(self));
    }
}

impl Piece for String {
    fn write(&self, html: &mut Html) {
        self.as_str().write(html);
    }
}

impl<T: Piece + ?Sized> Piece for &T {
    fn write(&self, html: &mut Html) {
        (**self).write(html);
    }
}

impl<T: Piece> Piece for Option<T> {
    fn write(&self, html: &mut Html) {
        if let Some(piece) = self {
            piece.write(html);
        }
    }
}

impl<T: Piece> Piece for Vec<T> {
    fn write(&self, html: &mut Html) {
        self.iter().for_each(|piece| piece.write(html));
    }
}

macro_rules! numbers {
    ($($Number:ty)*) => {$(
        impl Piece for $Number {
            fn write(&self, html: &mut Html) {
                html.0.push_str(&self.to_string());
            }
        }
    )*};
}
numbers!(i64 usize);

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(all: I) -> Self {
        Self(all.into_iter().map(Html::into_string).collect())
    }
}

/// Makes markup from literals, and from escaped values in parentheses: `html!("<p>" (name)
/// "</p>")`.
macro_rules! html {
    (@ $html:ident $literal:literal) => { $html.push_literal($literal); };
    (@ $html:ident ($piece:expr)) => { $html.push(&$piece); };
    ($($piece:tt)*) => {{
        let mut html = $crate::markup::Html::default();
        $($crate::markup::html!(@ html $piece);)*
        html
    }};
}
pub(crate) use html;

#[cfg(test)]
mod tests {
    #[test]
    fn only_literals_are_markup() {
        let name = "<script>\"'&\u{0}";
        let inner = html!("<b>" (name) "</b>");
        let some = [Some(inner), None];
        assert_eq!(
            html!("<p title=\"" (name) "\">" (some[0]) (some[1]) (3_usize) "</p>").into_string(),
            "<p title=\"&lt;script&gt;&quot;&#39;&amp;\u{fffd}\"><b>&lt;script&gt;&quot;&#39;&amp;\
             \u{fffd}</b>3</p>"
        );
    }
}
