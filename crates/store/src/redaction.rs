//! Removes passwords from addresses in texts.

use std::borrow::Cow;

/// Replaces a password.
const HIDDEN: &str = "…";

/// Removes the password from every address `scheme://user:password@…` in `text`, and from
/// parameters `password=…`. An address ends with `text`, or at a space or quote that no `@`
/// follows: it hides too much rather than too little.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let is_none = !text.contains("://") && !is_postgres(text);
    if is_none { Cow::Borrowed(text) } else { Cow::Owned(parameters(&users(text))) }
}

/// Whether this is an address, even if its `//` is missing.
fn is_postgres(text: &str) -> bool {
    let start = text.get(..8).unwrap_or_default();
    start.eq_ignore_ascii_case("postgres") && text.contains(':')
}

/// Removes what is between `user:` and the last `@`.
fn users(text: &str) -> String {
    let start = match text.find("://") {
        Some(scheme) => scheme + 3,
        None => text.find(':').map_or(0, |colon| colon + 1),
    };
    let (before, rest) = text.split_at(start);
    // Another address begins a part of its own.
    let next = rest.find("://").map(|at| {
        let word = rest[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric());
        word.map_or(0, |word| word + 1)
    });
    let (rest, after) = rest.split_at(next.filter(|next| *next > 0).unwrap_or(rest.len()));
    let after = if after.is_empty() { String::new() } else { users(after) };
    let Some(at) = rest.rfind('@') else { return format!("{before}{rest}{after}") };
    match rest[..at].find(':') {
        Some(colon) => format!("{before}{}:{HIDDEN}{}{after}", &rest[..colon], &rest[at..]),
        None => format!("{before}{rest}{after}"),
    }
}

/// Removes the values of `password=` and `sslpassword=`.
fn parameters(text: &str) -> String {
    let mut hidden = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("password=") {
        let (before, value) = rest.split_at(at + "password=".len());
        let end = value.find(['&', ' ', '\'', '"', '\n']).unwrap_or(value.len());
        hidden.push_str(before);
        hidden.push_str(HIDDEN);
        rest = &value[end..];
    }
    hidden + rest
}

#[cfg(test)]
mod tests {
    use super::without_passwords;

    #[test]
    fn no_password_is_left() {
        for (text, hidden) in [
            ("postgres://a:b@c/d", "postgres://a:…@c/d"),
            ("postgres://a:b@b@c/d", "postgres://a:…@c/d"),
            ("postgres://a:b/?#:b@c/d", "postgres://a:…@c/d"),
            ("postgres://a:b b@c/d", "postgres://a:…@c/d"),
            ("postgres:a:b@c/d", "postgres:a:…@c/d"),
            ("--store=postgresql://a:b@c/d", "--store=postgresql://a:…@c/d"),
            ("postgres://a@c/d?x=1&password=b&y", "postgres://a@c/d?x=1&password=…&y"),
            ("cannot reach 'postgres://a:b@c/d': x", "cannot reach 'postgres://a:…@c/d': x"),
            ("postgres://a:b@c/d and http://e:f@g", "postgres://a:…@c/d and http://e:…@g"),
        ] {
            assert_eq!(without_passwords(text), hidden);
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "postgres",
            "postgres://a@b:5432/c",
            "postgres:///c?host=/tmp",
            "run --password=x",
            "see https://example.org/a:b",
            "größer: postgres://b/c",
        ] {
            assert_eq!(without_passwords(text), text);
        }
    }
}
