//! Writes results to standard output, and everything else to standard error.

use crate::echo;
use cpb_model::harmless;
use cpb_report::{WriteError, wrapped};
use indicatif::ProgressBar;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The progress bar on standard error, which messages must not break.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes `text` to standard output, with colours only if wanted.
pub(crate) fn print(text: &str) -> Result<(), WriteError> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Returns the width of standard output in characters, from COLUMNS or else the terminal. `None`
/// for files and pipes.
pub(crate) fn room() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let of_terminal = || {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(usize::from(size.ws_col))
    };
    stated.or_else(of_terminal).filter(|columns| *columns != 0)
}

/// Returns the width and height of the terminal on standard error; the traditional size if it does
/// not tell.
pub(crate) fn screen() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let stated = size.map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    stated.filter(|(columns, lines)| *columns != 0 && *lines != 0).unwrap_or((80, 24))
}

/// Prepares `text` for standard error, with colours only if wanted.
pub(crate) fn for_stderr(text: &str) -> String {
    match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// Reports an error on standard error.
pub(crate) fn complain(reason: &str) {
    message("\u{1b}[1;31merror:\u{1b}[0m", reason);
}

/// Reports a warning on standard error.
pub(crate) fn warn(reason: &str) {
    message("\u{1b}[1;33mwarning:\u{1b}[0m", reason);
}

/// Writes `text`, which has its own line breaks, to standard error.
pub(crate) fn say(text: &str) {
    to_stderr(&repeatable(text));
}

/// Forwards to standard error what a library printed there.
pub(crate) fn quote(library: &str, line: &str) {
    say(&format!("{library} says: {}\n", harmless(line)));
}

/// Reports information on standard error.
pub(crate) fn inform(text: &str) {
    message("info:", text);
}

fn message(kind: &str, text: &str) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let room = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns != 0);
    to_stderr(&format!("{kind} {}\n", formatted(text, room)));
}

/// Formats a message that may quote a file or a path: makes it harmless for the terminal, and
/// indents further lines, so that none looks like another message. Breaks lines at `room`
/// characters, including the message's kind.
fn formatted(text: &str, room: Option<usize>) -> String {
    const KIND: usize = "warning: ".len();
    let text = text.lines().map(harmless).collect::<Vec<_>>().join("\n");
    let room = room.map(|room| room.saturating_sub(KIND));
    let lines = repeatable(&text);
    let lines: Vec<String> = lines.lines().flat_map(|line| wrapped(line, room)).collect();
    lines.join("\n       ")
}

/// Removes passwords of the command line from `text`, and cuts its long words.
fn repeatable(text: &str) -> String {
    let words = || std::env::args_os().skip(1);
    let text = echo::redacted(text, words().chain(std::env::var_os("CPB_STORE")));
    echo::shortened(&text, words()).into_owned()
}

/// Hides this bar from now on while something else is written to standard error.
pub(crate) fn hide_for_messages(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

fn to_stderr(text: &str) {
    // If standard error is closed, the message is lost.
    let write = || drop(anstream::stderr().lock().write_all(text.as_bytes()));
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

#[cfg(test)]
mod tests {
    use super::formatted;

    #[test]
    fn no_message_acts_or_looks_like_another() {
        assert_eq!(formatted("a\u{1b}[2J\nerror: b", None), "a\\u{1b}[2J\n       error: b");
        assert_eq!(formatted("\u{202e}\r\t", None), "\\u{202e}\\r\\t");
    }

    #[test]
    fn lines_of_a_message_end_between_words() {
        assert_eq!(formatted("one two three", Some(16)), "one two\n       three");
        assert_eq!(formatted("one two\nthree", Some(80)), "one two\n       three");
    }
}
