//! The help of `cpb`: its commands, by what one wants.

use crate::commands::GROUPS;
use clap::Command;

/// `command` with a help that lists its subcommands in their [`GROUPS`]. (clap knows one
/// heading for all of them.)
pub(crate) fn in_groups(command: Command) -> Command {
    let (header, literal) =
        (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        template.push_str(&format!("\n{header}{title}:{header:#}\n"));
        for name in *names {
            let subcommand = command.find_subcommand(name);
            let about = subcommand.and_then(Command::get_about).cloned().unwrap_or_default();
            template.push_str(&format!("  {literal}{name:<width$}{literal:#}  {about}\n"));
        }
    }
    template.push_str(&format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}"));
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arguments;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group_and_its_line_fits_a_terminal() {
        let command = Arguments::command();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut known: Vec<&str> = shown.map(Command::get_name).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        known.sort_unstable();
        assert_eq!(sorted, known);
        for line in in_groups(command).term_width(80).render_help().to_string().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
