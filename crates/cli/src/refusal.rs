//! Explains why a command line cannot be understood.

use crate::arguments::nearest;
use crate::output;
use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use cpb_model::{harmless, is_harmless};
use std::ffi::OsString;

/// Prints clap's message about `words`, a command line of `command`, and returns the exit status.
/// Help and version are results; everything else is wrong use, with the status `wrong`.
pub(crate) fn tell(mut error: Error, command: &Command, words: &[OsString], wrong: u8) -> u8 {
    if !error.use_stderr() {
        let _ = error.print();
        return 0;
    }
    suggest_command(&mut error, command, words);
    output::say(&rendered(&error, words));
    if let Some(reason) = why_excluded(&error) {
        output::say(&format!("\nWhy: {reason}\n"));
    }
    // Old tools have commands of their own.
    let is_ours = command.get_name() == env!("CARGO_PKG_NAME");
    let is_unknown = words.get(1).is_some_and(|word| !known(word));
    if error.kind() == ErrorKind::InvalidSubcommand && is_ours && is_unknown {
        let groups = crate::commands::GROUPS.iter();
        let groups = groups.map(|(title, names)| format!("  {title}: {}\n", names.join(" ")));
        output::say(&format!("\nCommands:\n{}", groups.collect::<String>()));
    }
    wrong
}

/// Reasons why `--threads` excludes these options, which are not obvious.
const REASONS: [(&str, &str); 6] = [
    ("--caches", "threads call back to back: what the calls before left is in the caches"),
    ("--chain", "it has the calls of one thread wait for each other, and tells nothing of several"),
    ("--cpu", "each thread has a CPU of its own"),
    ("--path", "the path of a call is that of one thread: cpb path"),
    ("--resources", "what a call takes is that of one thread: cpb path --resources"),
    ("--raw", "of several threads the figures of each round are kept, and no samples"),
];

/// Returns why the options in `error` exclude each other, if that is not obvious.
fn why_excluded(error: &Error) -> Option<&'static str> {
    let named = |kind| -> Vec<&str> {
        let names = match error.get(kind) {
            Some(ContextValue::String(name)) => std::slice::from_ref(name),
            Some(ContextValue::Strings(names)) => names,
            _ => &[],
        };
        names.iter().filter_map(|name| name.split_whitespace().next()).collect()
    };
    let both = [named(ContextKind::InvalidArg), named(ContextKind::PriorArg)].concat();
    let is_meant = error.kind() == ErrorKind::ArgumentConflict && both.contains(&"--threads");
    let reason = REASONS.iter().find(|(option, _)| is_meant && both.contains(option));
    reason.map(|(_, reason)| *reason)
}

/// Whether there is such a command.
fn known(word: &OsString) -> bool {
    crate::commands::GROUPS.iter().flat_map(|(_, names)| *names).any(|name| word == name)
}

/// Returns clap's message, with colours unless one of `words`, which it quotes literally, would act
/// on a terminal.
fn rendered(error: &Error, words: &[OsString]) -> String {
    let mut text = error.render().ansi().to_string();
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    if words.iter().all(|word| word.chars().all(is_harmless)) {
        return text;
    }
    for word in &words {
        // An option's value is quoted without it, and an item without its list.
        let parts = [&**word].into_iter().chain(word.split('=')).chain(word.split(','));
        for part in parts.filter(|part| !part.chars().all(is_harmless)) {
            text = text.replace(part, &harmless(part));
        }
    }
    let text = anstream::adapter::strip_str(&text).to_string();
    text.lines().map(|line| format!("{}\n", harmless(line))).collect()
}

/// Adds the nearest command, because clap sees no similarity between short words.
fn suggest_command(error: &mut Error, command: &Command, words: &[OsString]) {
    let is_told = error.get(ContextKind::SuggestedSubcommand).is_some();
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if error.kind() != ErrorKind::InvalidSubcommand || is_told {
        return;
    }
    let mut inner = command;
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        inner = inner.find_subcommand(word).unwrap_or(inner);
    }
    let known: Vec<&str> =
        inner.get_subcommands().filter(|it| !it.is_hide_set()).map(Command::get_name).collect();
    if let Some(nearest) = nearest(name, &known) {
        let nearest = ContextValue::Strings(vec![nearest.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, nearest);
    }
}
