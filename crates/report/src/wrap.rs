//! Wraps text to the lines of a terminal.

/// Wraps `text` to lines of at most `room` characters, at spaces, and inside words longer than a
/// line.
pub fn wrapped(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| width(text) > *room) else {
        return vec![text.to_owned()];
    };
    let room = room.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars() {
            if width(&line) == room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(line);
    lines
}

/// Returns the width on a terminal. Everything that cpb prints has one column per character.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_or_where_they_must() {
        assert_eq!(wrapped("one two three", None), ["one two three"]);
        assert_eq!(wrapped("one two three", Some(13)), ["one two three"]);
        assert_eq!(wrapped("one two three", Some(7)), ["one two", "three"]);
        assert_eq!(wrapped("a /a/long/path b", Some(6)), ["a", "/a/lon", "g/path", "b"]);
        assert_eq!(wrapped("abc", Some(0)), ["a", "b", "c"]);
    }
}
