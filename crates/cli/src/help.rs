//! Arranges the help of `cpb`: its commands by purpose, with examples.

use crate::commands::GROUPS;
use clap::Command;

/// Command lines that work as they are, up to three per command, those of one command together; a
/// test parses them.
const EXAMPLES: &str = include_str!("help/examples.txt");

/// Groups whose commands share one line, so that the help of daily commands fits on a screen.
const IN_ONE_LINE: [&str; 4] = ["Saved runs", "Many machines", "Set up", "Old tools"];

/// Returns the glossary, `docs/WORDS.md`, without its heading and its markup.
pub(crate) fn words() -> String {
    let lines = include_str!("../../../docs/WORDS.md").lines();
    let words = lines.skip_while(|line| !line.starts_with("**"));
    words.map(|line| line.replace("**", "").replace('`', "") + "\n").collect()
}

/// Changes the help of `command` so that it lists its subcommands in their [`GROUPS`], and adds
/// examples to the help of each. (clap has only one heading for all commands.)
pub(crate) fn in_groups(command: Command) -> Command {
    let (header, literal) =
        (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let names = GROUPS.iter().filter(|(title, _)| !IN_ONE_LINE.contains(title));
    let width = names.flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let titles = GROUPS.iter().map(|(title, _)| title.len()).max().unwrap_or(0);
    let mut template = "{about-with-newline}{usage-heading} {usage}\n\n".to_owned();
    for (title, names) in GROUPS {
        if IN_ONE_LINE.contains(title) {
            let names = names.join(" ");
            template.push_str(&format!(
                "{header}{title:<titles$}{header:#}  {literal}{names}{literal:#}\n"
            ));
            continue;
        }
        for (place, name) in names.iter().enumerate() {
            let title = if place == 0 { title } else { "" };
            let subcommand = command.find_subcommand(name);
            let about = subcommand.and_then(Command::get_about).cloned().unwrap_or_default();
            template.push_str(&format!(
                "{header}{title:<titles$}{header:#}  {literal}{name:<width$}{literal:#}  {about}\n"
            ));
        }
    }
    template.push_str(&format!(
        "\n{literal}cpb COMMAND -h{literal:#}: examples and options · \
         {literal}cpb help words{literal:#}: what words mean\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    ));
    let lines: Vec<&str> = EXAMPLES.lines().collect();
    let of_commands = lines.chunk_by(|one, next| command_of(one) == command_of(next));
    of_commands.fold(command.help_template(template), |command, lines| {
        let name = command_of(lines[0]);
        let lines: String =
            lines.iter().map(|line| format!("  {literal}{line}{literal:#}\n")).collect();
        let template = format!(
            "{{about-with-newline}}\n{header}Examples:{header:#}\n{lines}\n\
             {{usage-heading}} {{usage}}\n\n{{all-args}}{{after-help}}"
        );
        command.mut_subcommand(name, |it| it.help_template(template))
    })
}

/// What command the command line `line` calls.
fn command_of(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arguments;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group_and_all_fit_a_screen() {
        let command = Arguments::command();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut known: Vec<&str> = shown.map(Command::get_name).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        known.sort_unstable();
        assert_eq!(sorted, known);
        let help = in_groups(command).term_width(80).render_help().to_string();
        assert!(help.lines().count() <= 24, "{}:\n{help}", help.lines().count());
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn every_command_has_examples_that_are_understood() {
        crate::know_all_libraries();
        let mut command = in_groups(Arguments::command());
        command.build();
        let known = command.get_subcommands().filter(|it| !it.is_hide_set());
        let known = known.map(Command::get_name).filter(|name| *name != "help");
        let with_examples: Vec<&str> = EXAMPLES.lines().map(command_of).collect();
        for name in known {
            assert!(with_examples.contains(&name), "{name} has no examples");
        }
        for line in EXAMPLES.lines() {
            let words = line.split_whitespace().map(|word| word.trim_matches('\'').into());
            let words = crate::each_library(&words.collect::<Vec<_>>());
            assert_eq!(words[0], "cpb", "{line}");
            let parsed = command.clone().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
        }
    }
}
