//! Standard output is results, standard error is everything else.

use crate::{echo, progress};
use cpb_model::harmless;
use cpb_report::WriteError;
use std::io::Write;

/// Writes `text` to standard output; colours only where they are wanted.
pub(crate) fn print(text: &str) -> Result<(), WriteError> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// How many characters a line of standard output has room for: as COLUMNS says, else as
/// the terminal does. Unlimited in files and pipes.
pub(crate) fn room() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let of_terminal = || {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(usize::from(size.ws_col))
    };
    stated.or_else(of_terminal).filter(|columns| *columns != 0)
}

/// How many characters a line has on the terminal that is standard error, and how many lines
/// there are; what terminals had of old, where it does not say.
pub(crate) fn screen() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let stated = size.map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    stated.filter(|(columns, lines)| *columns != 0 && *lines != 0).unwrap_or((80, 24))
}

/// `text` with colours only where standard error is to have them.
pub(crate) fn for_stderr(text: &str) -> String {
    match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// Says what went wrong on standard error.
pub(crate) fn complain(reason: &str) {
    to_stderr(&format!("\u{1b}[1;31merror:\u{1b}[0m {}\n", told(reason)));
}

/// Warns on standard error.
pub(crate) fn warn(reason: &str) {
    to_stderr(&format!("\u{1b}[1;33mwarning:\u{1b}[0m {}\n", told(reason)));
}

/// Says `text`, which has its own lines, on standard error.
pub(crate) fn say(text: &str) {
    to_stderr(text);
}

/// Tells on standard error what a library said there.
pub(crate) fn quote(library: &str, line: &str) {
    to_stderr(&format!("{library} says: {}\n", harmless(line)));
}

/// Informs on standard error.
pub(crate) fn inform(text: &str) {
    to_stderr(&format!("info: {}\n", told(text)));
}

/// What is told may quote a file or a path: nothing in it acts on the terminal,
/// and lines after the first are indented, so that none looks like another
/// message.
fn told(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n       ")
}

fn to_stderr(text: &str) {
    let words = || std::env::args_os().skip(1);
    let text = echo::redacted(text, words().chain(std::env::var_os("CPB_STORE")));
    let text = echo::shortened(&text, words());
    // Where standard error is closed there is nobody left to tell.
    progress::aside(|| drop(anstream::stderr().lock().write_all(text.as_bytes())));
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn no_message_acts_or_looks_like_another() {
        assert_eq!(told("a\u{1b}[2J\nerror: b"), "a\\u{1b}[2J\n       error: b");
        assert_eq!(told("\u{202e}\r\t"), "\\u{202e}\\r\\t");
    }
}
