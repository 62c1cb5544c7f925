//! `cpb config`: the file of usual options, and what it says.

use crate::cli_error::CliError;
use crate::config::Config;
use crate::export::{Exporting, Format};
use crate::views::config::Settings;
use clap::Args;

/// Show the config file: where it is, and what it says and may say
///
/// The file is $XDG_CONFIG_HOME/cpb/config.toml, or ~/.config/cpb/config.toml where
/// that is not set, or the one that CPB_CONFIG names; CPB_CONFIG= reads none. It is
/// TOML: a line for each key, as precision = "0.5%". The command line wins over
/// the environment (NO_COLOR), and the environment over the file. Called by the name
/// of an old tool, cpb reads no file.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    exporting: Exporting,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    exporter.write(&Settings(Config::load()?))?;
    Ok(0)
}
