//! Shortens words of the command line that messages repeat.

use cpb_store::without_passwords;
use std::borrow::Cow;
use std::ffi::OsString;

/// Longer words are cut to their beginning.
const LONGEST: usize = 160;
const SHOWN: usize = 60;

/// Cuts long `words` in `text`, and long parts of lists and assignments: the user knows them, and
/// they would hide the reason behind them.
pub(crate) fn shortened(text: &str, words: impl IntoIterator<Item = OsString>) -> Cow<'_, str> {
    let mut shortened = Cow::Borrowed(text);
    if text.len() <= LONGEST {
        return shortened;
    }
    for word in words {
        let word = word.to_string_lossy();
        let parts = word.split(['=', ',', ';', ':']);
        for part in std::iter::once(&*word).chain(parts).filter(|part| part.len() > LONGEST) {
            if shortened.contains(part) {
                shortened = Cow::Owned(shortened.replace(part, &cut(part)));
            }
        }
    }
    shortened
}

/// Removes the passwords of `words` from `text`.
pub(crate) fn redacted(text: &str, words: impl IntoIterator<Item = OsString>) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    for word in words {
        let word = word.to_string_lossy();
        // An option's value is quoted without the option.
        let value = word.split_once('=').map_or("", |(_, value)| value);
        for part in [&*word, value] {
            let hidden = without_passwords(part);
            if *hidden != *part && redacted.contains(part) {
                redacted = Cow::Owned(redacted.replace(part, &hidden));
            }
        }
    }
    redacted
}

fn cut(word: &str) -> String {
    let count = word.chars().count();
    let start: String = word.chars().take(SHOWN).collect();
    if count > SHOWN { format!("{start}… ({count} characters)") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_wherever_they_stand() {
        let long = "x".repeat(100_000);
        let words = [OsString::from("run"), OsString::from(format!("--sizes=64,{long}"))];
        let text = format!("a length is no '{long}', nor is '{long}'");
        let cut = format!("'{}… (100000 characters)'", &long[..60]);
        assert_eq!(shortened(&text, words), format!("a length is no {cut}, nor is {cut}"));
    }

    #[test]
    fn passwords_are_hidden_wherever_they_stand() {
        let words = ["run", "--store=postgres://a:b c@d/e", "postgres://f:g@h"].map(OsString::from);
        let text =
            "'postgres://a:b c@d/e' is not 'postgres://f:g@h', nor --store=postgres://a:b c@d/e";
        assert_eq!(
            redacted(text, words),
            "'postgres://a:…@d/e' is not 'postgres://f:…@h', nor --store=postgres://a:…@d/e"
        );
    }

    #[test]
    fn everything_else_stays() {
        let reason = "y".repeat(1000);
        let words = [OsString::from("run"), OsString::from("x".repeat(160))];
        assert_eq!(shortened(&reason, words), reason);
        assert_eq!(shortened("'run'", [OsString::from("run")]), "'run'");
        let path = "ü".repeat(90);
        let told =
            format!("cannot read '{path}' and more words than before, of which none is long");
        assert!(shortened(&told, [OsString::from(path)]).contains("(90 characters)"));
    }
}
