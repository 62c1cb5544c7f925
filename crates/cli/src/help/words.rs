//! `cpb help words`: the glossary, which is `docs/WORDS.md`.

/// The text without its heading and its markup.
pub(crate) struct Words;

pub(crate) const WORDS: Words = Words;

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = include_str!("../../../../docs/WORDS.md");
        for line in text.lines().skip_while(|line| !line.starts_with("**")) {
            writeln!(f, "{}", line.replace("**", "").replace('`', ""))?;
        }
        Ok(())
    }
}
