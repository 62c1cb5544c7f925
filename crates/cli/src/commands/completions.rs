//! `cpb completions`: scripts for shells.

use crate::cli_error::CliError;
use crate::output;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a script by which a shell completes commands and options
///
/// Into a file that the shell reads: bash, ~/.local/share/bash-completion/completions/cpb;
/// zsh, _cpb in a folder of $fpath; fish, ~/.config/fish/completions/cpb.fish.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which shell.
    #[arg(value_name = "SHELL", value_parser = clap::value_parser!(Shell))]
    shell: Shell,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "cpb", &mut script);
    Ok(output::print(&String::from_utf8_lossy(&script)).map(|()| 0)?)
}
